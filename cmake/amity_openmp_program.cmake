# Programs that know nothing of Amity: built by a named compiler with -fopenmp, as a user would, and run by `amity run`.
#
#   amity_find_openmp_compilers(compilers)               # of `gcc clang`, those that can build and link an OpenMP program
#   amity_openmp_program(target source.c gcc [OPTIONS])  # build/test/<target>, part of `all`

set(AMITY_OPENMP_GCC gcc CACHE STRING "The gcc that builds OpenMP test programs")
set(AMITY_OPENMP_CLANG "" CACHE STRING "The clang that builds OpenMP test programs; empty: the newest that has its libomp")

# Whether `compiler` compiles and links a C program with -fopenmp.
function(amity_has_openmp compiler out)
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/openmp_probe)
  file(WRITE ${probe}.c "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
  execute_process(COMMAND ${compiler} -fopenmp ${probe}.c -o ${probe} RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(result EQUAL 0)
    set(${out} TRUE PARENT_SCOPE)
  else()
    set(${out} FALSE PARENT_SCOPE)
  endif()
endfunction()

function(amity_find_openmp_compilers out)
  set(found "")
  amity_has_openmp(${AMITY_OPENMP_GCC} works)
  if(works)
    list(APPEND found gcc)
  else()
    message(NOTICE "amity: ${AMITY_OPENMP_GCC} can't build OpenMP programs here; tests of its programs are left out.")
  endif()
  if(AMITY_OPENMP_CLANG)
    set(candidates ${AMITY_OPENMP_CLANG})
  else()
    set(candidates clang-22 clang-21 clang-20 clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 clang)
  endif()
  foreach(candidate IN LISTS candidates)
    amity_has_openmp(${candidate} works)
    if(works)
      set(AMITY_OPENMP_CLANG ${candidate} CACHE STRING "" FORCE)
      list(APPEND found clang)
      break()
    endif()
  endforeach()
  if(NOT clang IN_LIST found)
    message(NOTICE "amity: no clang here can build OpenMP programs; tests of its programs are left out.")
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

function(amity_openmp_program target source compiler)
  string(TOUPPER ${compiler} upper)
  get_filename_component(source ${source} ABSOLUTE)
  set(program ${PROJECT_BINARY_DIR}/test/${target})
  add_custom_command(
    OUTPUT ${program}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/test
    COMMAND ${AMITY_OPENMP_${upper}} -O2 -fopenmp ${ARGN} ${source} -o ${program} -lm
    DEPENDS ${source}
    COMMENT "Building OpenMP program ${target}"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${program})
endfunction()
