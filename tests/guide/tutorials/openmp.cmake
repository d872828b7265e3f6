# The programs of docs/tutorials/openmp.md.

# tutorial_openmp(NAME PRINTS regex ARGUMENTS ...): NAME.c, by each compiler, on `amity run ARGUMENTS`. ABORTS: it hangs, and
# AMITY_STALL=abort ends it.
function(tutorial_openmp name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ABORTS" "PRINTS" "ARGUMENTS;OPTIONS")
  if(NOT TARGET amity_cli OR NOT TARGET omp_amity OR AMITY_SANITIZE)
    return()
  endif()
  set(launch $<TARGET_FILE:amity_cli> run ${arg_ARGUMENTS} --)
  if(arg_ABORTS)
    list(PREPEND launch env AMITY_STALL=abort ${CMAKE_CURRENT_SOURCE_DIR}/ends_by_abort)
  endif()
  foreach(compiler IN LISTS AMITY_OPENMP_COMPILERS)
    set(program tutorial_${name}_${compiler})
    amity_openmp_program(NAME ${program} COMPILER ${compiler} SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${name}.c
                         OPTIONS ${arg_OPTIONS})
    set(test guide.tutorials.${name}.${compiler})
    add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/prints "${arg_PRINTS}" ${launch}
                                  ${PROJECT_BINARY_DIR}/test/${program})
    set_tests_properties(${test} PROPERTIES TIMEOUT 60 LABELS guide)
  endforeach()
endfunction()

# tutorial_python(NAME PRINTS regex): NAME.py, which wants libraries from PyPI; left out where there are none.
function(tutorial_python name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRINTS" "")
  if(NOT TARGET amity_cli OR NOT TARGET omp_amity OR AMITY_SANITIZE)
    return()
  endif()
  add_test(NAME guide.tutorials.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/python_with_wheels "${arg_PRINTS}"
                                                ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.py)
  set_tests_properties(guide.tutorials.${name} PROPERTIES TIMEOUT 120 LABELS guide SKIP_RETURN_CODE 77)
endfunction()

tutorial_openmp(openmp_first PRINTS "pi is 3.141593, by 4 threads" ARGUMENTS -t 4)
tutorial_openmp(openmp_nested PRINTS "12 threads in the inner regions" ARGUMENTS -t 4,3)
tutorial_openmp(openmp_profile PRINTS "openmp_profile.c:[567], parallel region" ARGUMENTS --profile OPTIONS -g)
tutorial_openmp(openmp_deadlock ABORTS PRINTS "a mutex at .*")
tutorial_openmp(openmp_race PRINTS "hits")
tutorial_python(openmp_wheels PRINTS "openmp 4 libomp_amity")
tutorial_python(openmp_fork PRINTS "are good: True")
