# The programs of docs/tutorials/processes.md.
tutorial(processes_first LIBRARIES Amity::distributed PROCESSES 4 PRINTS "hello from rank 3 of 4, workers: [1-9]")
tutorial(processes_calls LIBRARIES Amity::distributed PROCESSES 4 PRINTS "ranks 0 and 1 give 1; 10 apples")
tutorial(processes_finish LIBRARIES Amity::distributed PROCESSES 4 PRINTS "rank 3 had 20 visits")
tutorial(processes_memory LIBRARIES Amity::distributed PROCESSES 4 PRINTS "rank 0 has 30 from its left neighbour")
tutorial(processes_shared LIBRARIES Amity::distributed PROCESSES 4 PRINTS "squares\\[7\\] is 49, on rank 2")
tutorial(processes_collectives LIBRARIES Amity::distributed PROCESSES 4
         PRINTS "plate: sum 10, elements 6, last rank of row 0: 1")
tutorial(processes_any LIBRARIES Amity::distributed PROCESSES 4 PRINTS "all together 8192")

if(NOT TARGET amity_cli OR AMITY_SANITIZE)
  return()
endif()

# These two jobs do not end with 0: what they print decides.
function(tutorial_that_fails name says)
  add_executable(tutorial_${name} ${name}.cpp)
  target_link_libraries(tutorial_${name} PRIVATE Amity::distributed amity_flags amity_test_flags)
  set_target_properties(tutorial_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  add_test(NAME guide.tutorials.${name} COMMAND $<TARGET_FILE:amity_cli> run ${ARGN} $<TARGET_FILE:tutorial_${name}>)
  set_tests_properties(guide.tutorials.${name} PROPERTIES TIMEOUT 60 LABELS guide PASS_REGULAR_EXPRESSION "${says}")
endfunction()
tutorial_that_fails(processes_stuck "nothing in this job can go on any more" -n 2)
set_property(TEST guide.tutorials.processes_stuck PROPERTY ENVIRONMENT AMITY_STALL=abort)
tutorial_that_fails(processes_losses "rank 2 says 42" -n 3 --keep-going)

# The MPI of the page is any; here it is one that is installed. `amity run` finds its launcher.
set(module_of_MPICH mpich)
set(module_of_OPENMPI ompi-c)
foreach(family IN ITEMS MPICH OPENMPI)
  string(TOLOWER mpirun.${family} launcher)
  find_program(AMITY_MPIRUN_${family} ${launcher})
  mark_as_advanced(AMITY_MPIRUN_${family})
  if(AMITY_MPIRUN_${family} AND NOT TARGET tutorial_processes_mpi)
    pkg_check_modules(tutorial_${family} QUIET IMPORTED_TARGET ${module_of_${family}})
    if(tutorial_${family}_FOUND)
      tutorial(processes_mpi LIBRARIES Amity::distributed PkgConfig::tutorial_${family} PROCESSES 2
               PRINTS "rank 0 of MPI is rank 0 of Amity; sum 1")
      # The C++ bindings of old would want a library of their own, which mpicxx adds.
      target_compile_definitions(tutorial_processes_mpi PRIVATE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
    endif()
  endif()
endforeach()
