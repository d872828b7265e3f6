# Programs that know nothing of Amity: built by gcc and by clang with -fopenmp, as a user would, whichever compiler builds Amity.
#
#   foreach(compiler IN LISTS AMITY_OPENMP_COMPILERS)     # those of `gcc clang` that build OpenMP programs here
#     amity_openmp_program(NAME overheads_${compiler} COMPILER ${compiler} SOURCES a.c b.c
#                          [DEPENDS a.h] [OBJECTS library] [OPTIONS -Wall] [FOLDER bench])
#   endforeach()
#
# makes build/<FOLDER>/<NAME>, FOLDER being `test` unless it is given, as part of `all` (target program_<NAME>).

set(AMITY_OPENMP_GCC gcc CACHE STRING "The gcc that builds OpenMP programs for tests and benchmarks")
set(AMITY_OPENMP_CLANG "" CACHE STRING "The clang that does; empty: 22, or else the newest that has its libomp")

# Whether `compiler` compiles and links a C program with -fopenmp, and knows OpenMP 5.1's words that the tests use (clang: from 16
# on).
function(amity_builds_openmp compiler out)
  set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/openmp_probe)
  file(WRITE ${probe}.c "#include <omp.h>
int main(void) {
  int v = 0;
#ifdef __clang__
  omp_depend_t object;
#pragma omp depobj(object) depend(inoutset : v)
#endif
  return omp_get_max_threads() + v < 1;
}
")
  set(options -fopenmp)
  if(compiler MATCHES "clang")
    list(APPEND options -fopenmp-version=51)
  endif()
  execute_process(COMMAND ${compiler} ${options} ${probe}.c -o ${probe} RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(result EQUAL 0)
    set(${out} TRUE PARENT_SCOPE)
  else()
    set(${out} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Sets `out` to the first of the remaining arguments that builds OpenMP programs, or to nothing.
function(amity_first_openmp_compiler out)
  foreach(candidate IN LISTS ARGN)
    amity_builds_openmp(${candidate} works)
    if(works)
      set(${out} ${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(NOTICE "amity: none of '${ARGN}' builds OpenMP programs here; its tests and benchmarks are left out.")
  set(${out} "" PARENT_SCOPE)
endfunction()

set(amity_clangs ${AMITY_OPENMP_CLANG})
if(NOT amity_clangs)
  # script/lib.sh unpacks one there where the system holds another libomp.
  set(amity_clangs ${PROJECT_SOURCE_DIR}/build/clang-22/bin/clang-22 clang-22 clang-23 clang-21 clang-20 clang-19 clang-18 clang-17
                   clang-16 clang)
endif()
amity_first_openmp_compiler(amity_compiler_gcc ${AMITY_OPENMP_GCC})
amity_first_openmp_compiler(amity_compiler_clang ${amity_clangs})
set(AMITY_OPENMP_COMPILERS "")
foreach(compiler IN ITEMS gcc clang)
  if(amity_compiler_${compiler})
    list(APPEND AMITY_OPENMP_COMPILERS ${compiler})
  endif()
endforeach()

function(amity_openmp_program)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;COMPILER;FOLDER" "SOURCES;DEPENDS;OBJECTS;OPTIONS")
  if(NOT arg_FOLDER)
    set(arg_FOLDER test)
  endif()
  foreach(files IN ITEMS arg_SOURCES arg_DEPENDS)
    set(absolute "")
    foreach(file IN LISTS ${files})
      cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
      list(APPEND absolute ${file})
    endforeach()
    set(${files} ${absolute})
  endforeach()
  set(objects "")
  foreach(library IN LISTS arg_OBJECTS)
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  set(program ${PROJECT_BINARY_DIR}/${arg_FOLDER}/${arg_NAME})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${arg_FOLDER})
  add_custom_command(
    OUTPUT ${program}
    COMMAND ${amity_compiler_${arg_COMPILER}} -O2 -fopenmp ${arg_SOURCES} ${objects} ${arg_OPTIONS} -o ${program} -lm
    DEPENDS ${arg_SOURCES} ${arg_DEPENDS} ${objects}
    COMMENT "Building OpenMP program ${arg_NAME}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(program_${arg_NAME} ALL DEPENDS ${program})
endfunction()
