# Messages by MPI (AMITY_NET=mpi), and programs that call MPI beside Amity: by each family's launcher with its library.
function(processes_by_mpi family module)
  if(NOT family IN_LIST launchers OR NOT TARGET amity_mpi_${family} OR AMITY_SANITIZE)
    return()
  endif()
  set(launchers ${family})
  foreach(name IN ITEMS calls finish memory spans teams)
    processes_test(NAME ${name} RANKS 2 4 NETS mpi)
  endforeach()
  foreach(name IN ITEMS collectives collectives_more spans teams)
    processes_test(NAME ${name} SUFFIX .own RANKS 2 4 NETS mpi
                   ENVIRONMENT AMITY_COLLECTIVES=${CMAKE_CURRENT_SOURCE_DIR}/tables/mpi.txt)
  endforeach()
  # Where sites don't agree, MPI's own operations end as ours do.
  processes_test(NAME disagreement RANKS 4 NETS mpi)
  processes_test(NAME disagreement SUFFIX .own RANKS 2 3 4 NETS mpi
                 ENVIRONMENT AMITY_COLLECTIVES=${CMAKE_CURRENT_SOURCE_DIR}/tables/mpi.txt)
  processes_test(NAME large_values RANKS 2 4 NETS mpi)
  processes_test(NAME rings RANKS 4 NETS mpi ARGUMENTS 4)
  processes_test(NAME unpatched RANKS 2 NETS mpi)
  processes_test(NAME memory SUFFIX .far RANKS 3 NETS mpi ENVIRONMENT AMITY_TEST_FAR_MEMORY=1)
  processes_test(NAME calls SUFFIX .delays RANKS 4 NETS mpi ENVIRONMENT AMITY_TEST_NET_DELAYS=1)
  foreach(how IN ITEMS return task quick_exit)
    processes_test(NAME static_objects SUFFIX .${how} RANKS 2 3 NETS mpi ARGUMENTS ${how})
  endforeach()

  pkg_check_modules(beside_${family} QUIET REQUIRED IMPORTED_TARGET ${module})
  add_executable(processes_mpi_beside_${family} mpi_beside.cpp)
  set_target_properties(processes_mpi_beside_${family} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  target_link_libraries(processes_mpi_beside_${family} PRIVATE Amity::distributed amity_flags amity_test_flags
                                                               PkgConfig::beside_${family})
  foreach(net IN LISTS nets ITEMS mpi)
    foreach(how IN ITEMS before plain after at_exit at_last)
      # MPI carries nothing beside a program that has asked it for calls from one thread.
      if(NOT (net STREQUAL "mpi" AND how STREQUAL "plain"))
        set(test processes.mpi_beside.${family}.${net}.${how})
        add_test(NAME ${test}
                 COMMAND ${PROJECT_SOURCE_DIR}/tests/contract/expect_ok $<TARGET_FILE:amity_cli> run -n 3 --launcher
                         ${command_of_${family}} -- $<TARGET_FILE:processes_mpi_beside_${family}> ${how})
        set_tests_properties(${test} PROPERTIES TIMEOUT 120 LABELS "processes" ENVIRONMENT AMITY_NET=${net} PROCESSORS 2)
      endif()
    endforeach()
  endforeach()
endfunction()
processes_by_mpi(openmpi ompi-c)
processes_by_mpi(mpich mpich)
