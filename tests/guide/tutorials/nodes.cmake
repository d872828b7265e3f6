# The programs of docs/tutorials/nodes.md.

# tutorial_over_nodes(NAME PRINTS regex): NAME.c, compiled by gcc as its reader does, over two nodes; by pages, where those may be
# had, and by shared memory.
function(tutorial_over_nodes name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRINTS" "")
  if(NOT TARGET amity_nodes OR NOT TARGET amity_cli OR NOT "gcc" IN_LIST AMITY_OPENMP_COMPILERS
     OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    return()
  endif()
  amity_openmp_program(NAME tutorial_${name} COMPILER gcc SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${name}.c
                       DEPENDS ${PROJECT_SOURCE_DIR}/amity/nodes.h OPTIONS -Wall -Werror -I${PROJECT_SOURCE_DIR})
  foreach(memory IN ITEMS pages shared)
    set(test guide.tutorials.${name}.${memory})
    add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/prints "${arg_PRINTS}" $<TARGET_FILE:amity_cli> run --nodes 2 -t 2 --
                                  ${PROJECT_BINARY_DIR}/test/tutorial_${name})
    set_tests_properties(${test} PROPERTIES TIMEOUT 120 LABELS guide ENVIRONMENT AMITY_NODES_MEMORY=${memory}
                                            SKIP_REGULAR_EXPRESSION "may not handle its own page faults")
  endforeach()
endfunction()

tutorial_over_nodes(nodes_first PRINTS "the sum is 524288")
tutorial_over_nodes(nodes_slow PRINTS "199553 walks ended at the same place")
tutorial_over_nodes(nodes_mended PRINTS "199553 walks ended at the same place")
tutorial_over_nodes(nodes_regions PRINTS "1500 in each of 512 cells")
tutorial_over_nodes(nodes_where PRINTS "thread 3 is on node 1 of 2")
