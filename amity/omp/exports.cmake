# The exported names of libomp_amity.so, made from the lists in abi/ and from what the module's objects define at each build.
# `cmake --build . --target update_exports` copies the result over exports.txt, which script/check compares with the library.
if(NOT TARGET omp_amity)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(omp_folder ${PROJECT_SOURCE_DIR}/amity/omp)
set(exports_folder ${PROJECT_BINARY_DIR}/amity/omp/exports)
set(exports_made ${exports_folder}/exports.map ${exports_folder}/exports.ld)
set(exports_tool ${PROJECT_SOURCE_DIR}/tools/make_exports_map.py)
set(exports_lists ${omp_folder}/abi/gcc.txt ${omp_folder}/abi/later.txt ${omp_folder}/abi/llvm.txt ${omp_folder}/abi/amity.txt)
list(TRANSFORM exports_lists PREPEND "--abi=" OUTPUT_VARIABLE exports_list_arguments)

# A stamp, because the files themselves keep their time when they stay the same.
add_custom_command(
  OUTPUT ${exports_folder}/stamp
  BYPRODUCTS ${exports_made} ${exports_folder}/exports.txt ${exports_folder}/missing.txt
  COMMAND ${Python3_EXECUTABLE} ${exports_tool} --nm=${CMAKE_NM} ${exports_list_arguments} --out=${exports_folder}
          $<TARGET_OBJECTS:amity_mod_omp>
  COMMAND ${CMAKE_COMMAND} -E touch ${exports_folder}/stamp
  DEPENDS ${exports_tool} ${exports_lists} $<TARGET_OBJECTS:amity_mod_omp>
  COMMENT "Collecting the exported names of libomp_amity.so"
  COMMAND_EXPAND_LISTS VERBATIM)
target_sources(omp_amity PRIVATE ${exports_folder}/stamp)

# libamity.so keeps these to itself. They hold no state that has to be one, so the library has its own copy.
foreach(source IN ITEMS context_${CMAKE_SYSTEM_PROCESSOR}.S context_${CMAKE_SYSTEM_PROCESSOR}.cpp cpu_mask.cpp stack.cpp
        topology.cpp)
  target_sources(omp_amity PRIVATE ${PROJECT_SOURCE_DIR}/amity/sys/${source})
endforeach()

target_link_options(omp_amity PRIVATE -Wl,--version-script=${exports_folder}/exports.map -Wl,--no-undefined-version)
target_link_libraries(omp_amity PRIVATE ${exports_folder}/exports.ld)
set_target_properties(omp_amity PROPERTIES LINK_DEPENDS "${exports_made}")

add_custom_target(
  update_exports
  COMMAND ${CMAKE_COMMAND} -E copy ${exports_folder}/exports.txt ${omp_folder}/exports.txt
  DEPENDS omp_amity
  VERBATIM)

if(AMITY_TESTS)
  # Names of the lists that nothing defines: it prints them, and fails with the first.
  add_test(NAME omp.missing_names COMMAND ${CMAKE_COMMAND} -E cat ${exports_folder}/missing.txt)
  set_tests_properties(omp.missing_names PROPERTIES LABELS omp FAIL_REGULAR_EXPRESSION "[A-Za-z_]")
endif()
