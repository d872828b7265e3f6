# amity_module(): one folder of amity/ as one object library, with its tests, below the layers that it may use.
#
#   amity_module(
#     NAME sched
#     SOURCES worker.cpp deque.cpp switch_x86_64.S    # .cpp and .S
#     HEADERS worker.hpp deque.hpp internal/park.hpp
#     PUBLIC_HEADERS task.hpp                         # installed as <amity/sched/tasks/task.hpp>
#     TESTS worker_test.cpp deque_test.cpp            # GoogleTest, one program each; ctest label `sched` and `fast`
#     SLOW_TESTS deque_stress_test.cpp                # the same, label `slow`: not run under the sanitizers
#     DEPENDS base sys trace                          # every module that is included, declared before this one
#     ROOMS idle fiber loop                           # its folders, if it has rooms: each may use those before it
#     LIBS PkgConfig::HWLOC                           # what is outside Amity
#     LIBRARY amity)                                  # amity (default): libamity.so; omp_amity and amity_nodes likewise; none
#
# Further: EXECUTABLE name with MAIN main.cpp makes build/bin/<name> (target amity_<module>) of the module and all that it depends
# on; OPTIONS adds compile options to the module; TEST_SOURCES, TEST_OPTIONS and TEST_LIBS go to each of its tests; TEST_TIMEOUT
# (seconds, 60); RUN_SERIAL runs its tests alone.
#
# The modules and their layers stand here and nowhere else. A module may depend on modules of lower layers, and of its own layer
# where they are declared before it.
set(AMITY_LAYERS
    "0:base"
    "1:sys"
    "2:launch" "2:trace"
    "3:sched"
    "4:sync" "4:future"
    "5:algo" "5:finish" "5:omp" "5:net"
    "6:pgas" "6:coll" "6:partitioned" "6:upcxx" "6:accel"
    "7:dsm"
    "8:nodes"
    "9:cli")

set_property(GLOBAL PROPERTY AMITY_MODULES "") # declared so far, in order

# The layer of a module, or an error that names the known ones.
function(amity_layer_of module out)
  foreach(entry IN LISTS AMITY_LAYERS)
    string(REPLACE ":" ";" entry "${entry}")
    list(GET entry 1 name)
    if(name STREQUAL module)
      list(GET entry 0 layer)
      set(${out} ${layer} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "amity: '${module}' is in no layer. Known: ${AMITY_LAYERS} (AMITY_LAYERS in cmake/amity_module.cmake).")
endfunction()

# Refuses an edge that goes up, sideways to what comes later, or round in a circle.
function(amity_check_edge module dependency)
  amity_layer_of(${module} own)
  amity_layer_of(${dependency} below)
  if(below GREATER own)
    message(FATAL_ERROR "amity: module '${module}' (layer ${own}) must not depend on '${dependency}' (layer ${below}): "
                        "an edge goes down or stays in its layer.")
  endif()
  get_property(declared GLOBAL PROPERTY AMITY_MODULES)
  if(NOT dependency IN_LIST declared)
    message(FATAL_ERROR "amity: module '${module}' depends on '${dependency}', which is not declared before it. That is a cycle, "
                        "a misspelt name or the wrong order in amity/CMakeLists.txt. Declared: ${declared}.")
  endif()
endfunction()

# `module` and everything that it depends on, lowest first.
function(amity_closure module out)
  get_property(dependencies GLOBAL PROPERTY AMITY_DEPENDS_${module})
  set(all "")
  foreach(dependency IN LISTS dependencies)
    amity_closure(${dependency} below)
    list(APPEND all ${below})
  endforeach()
  list(APPEND all ${module})
  list(REMOVE_DUPLICATES all)
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# Gives `target` the objects of `modules` and the outside libraries that they need.
function(amity_add_objects target)
  foreach(module IN LISTS ARGN)
    get_property(libs GLOBAL PROPERTY AMITY_LIBS_${module})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:amity_mod_${module}>)
    target_link_libraries(${target} PRIVATE ${libs})
  endforeach()
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:amity_flags> Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

# The headers that most unit tests include and that are not ours, compiled once. None of ours: a change to one of them would compile
# every test again.
function(amity_precompile_test_headers)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp CONTENT "// For precompiled headers alone.\n")
  add_executable(amity_test_headers ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp)
  target_link_libraries(amity_test_headers PRIVATE amity_flags amity_unit_test_flags Threads::Threads GTest::gtest_main)
  set_target_properties(amity_test_headers PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  target_precompile_headers(
    amity_test_headers PRIVATE <gtest/gtest.h> <algorithm> <atomic> <chrono> <condition_variable> <functional> <future> <mutex>
                               <numeric> <optional> <ranges> <stop_token> <thread> <tuple> <variant> <vector>)
endfunction()

# One test program of a module; every TEST() in it is a ctest test of its own.
function(amity_module_test module source speed)
  cmake_parse_arguments(PARSE_ARGV 3 arg "RUN_SERIAL" "TIMEOUT" "SOURCES;OPTIONS;LIBS")
  get_filename_component(stem ${source} NAME_WE)
  set(target ${module}_${stem})
  amity_closure(${module} modules)
  add_executable(${target} ${source} ${arg_SOURCES})
  amity_add_objects(${target} ${modules})
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${target} PRIVATE amity_unit_test_flags ${arg_LIBS} GTest::gtest_main)
  if(NOT arg_OPTIONS) # which a precompiled header would have to have, too
    target_precompile_headers(${target} REUSE_FROM amity_test_headers)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  gtest_discover_tests(
    ${target}
    TEST_PREFIX "${module}."
    TEST_LIST ${target}_tests
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 30
    PROPERTIES TIMEOUT ${arg_TIMEOUT} RUN_SERIAL "${arg_RUN_SERIAL}")
  # Two labels can't be given above: the list would be taken apart.
  set(labels ${CMAKE_CURRENT_BINARY_DIR}/${target}_labels.cmake)
  file(WRITE ${labels} "set_tests_properties(\${${target}_tests} PROPERTIES LABELS \"${module};${speed}\")\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
endfunction()

function(amity_module)
  cmake_parse_arguments(
    PARSE_ARGV 0 arg "RUN_SERIAL" "NAME;LIBRARY;EXECUTABLE;MAIN;TEST_TIMEOUT"
    "SOURCES;HEADERS;PUBLIC_HEADERS;TESTS;SLOW_TESTS;DEPENDS;LIBS;ROOMS;OPTIONS;TEST_SOURCES;TEST_OPTIONS;TEST_LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "amity_module(${arg_NAME}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_LIBRARY)
    set(arg_LIBRARY amity)
  endif()
  if(NOT arg_LIBRARY MATCHES "^(amity|omp_amity|amity_nodes|none)$")
    message(FATAL_ERROR "amity_module(${arg_NAME}): LIBRARY is '${arg_LIBRARY}'; allowed are amity, omp_amity, amity_nodes, none.")
  endif()

  amity_layer_of(${arg_NAME} layer)
  foreach(dependency IN LISTS arg_DEPENDS)
    amity_check_edge(${arg_NAME} ${dependency})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY AMITY_MODULES ${arg_NAME})
  set_property(GLOBAL PROPERTY AMITY_DEPENDS_${arg_NAME} "${arg_DEPENDS}")
  set_property(GLOBAL PROPERTY AMITY_LIBS_${arg_NAME} "${arg_LIBS}")
  set_property(GLOBAL PROPERTY AMITY_ROOMS_${arg_NAME} "${arg_ROOMS}")
  set_property(GLOBAL APPEND PROPERTY AMITY_LIBRARY_${arg_LIBRARY} ${arg_NAME})
  foreach(header IN LISTS arg_PUBLIC_HEADERS)
    set_property(GLOBAL APPEND PROPERTY AMITY_PUBLIC_HEADERS amity/${arg_NAME}/${header})
  endforeach()

  # A module of headers alone still is an object library, of one empty file, so that nothing else needs to know.
  if(NOT arg_SOURCES)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/headers_only.cpp CONTENT "// ${arg_NAME} has headers only.\n")
    set(arg_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/headers_only.cpp)
  endif()
  set(target amity_mod_${arg_NAME})
  add_library(${target} OBJECT ${arg_SOURCES} ${arg_HEADERS} ${arg_PUBLIC_HEADERS})
  target_link_libraries(${target} PUBLIC amity_flags ${arg_LIBS})
  foreach(dependency IN LISTS arg_DEPENDS)
    target_include_directories(${target} PUBLIC $<TARGET_PROPERTY:amity_mod_${dependency},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(
    ${target} PRIVATE -ftls-model=initial-exec -fvisibility=hidden -fno-plt -fno-semantic-interposition
                      $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden> ${arg_OPTIONS})

  if(arg_EXECUTABLE)
    set(program amity_${arg_NAME}) # a target of its own: `amity` is the library
    amity_closure(${arg_NAME} modules)
    add_executable(${program} ${arg_MAIN})
    amity_add_objects(${program} ${modules})
    amity_carry_own_cxx(${program})
    set_target_properties(${program} PROPERTIES OUTPUT_NAME ${arg_EXECUTABLE})
    set_property(GLOBAL APPEND PROPERTY AMITY_PROGRAMS ${program})
  endif()

  if(AMITY_TESTS)
    set(serial "")
    if(arg_RUN_SERIAL)
      set(serial RUN_SERIAL)
    endif()
    if(NOT arg_TEST_TIMEOUT)
      set(arg_TEST_TIMEOUT 60)
    endif()
    if(AMITY_SANITIZE) # ThreadSanitizer makes some of them ten times slower
      math(EXPR arg_TEST_TIMEOUT "${arg_TEST_TIMEOUT} * 3")
    endif()
    set(common ${serial} TIMEOUT ${arg_TEST_TIMEOUT} SOURCES ${arg_TEST_SOURCES} OPTIONS ${arg_TEST_OPTIONS} LIBS ${arg_TEST_LIBS})
    foreach(test IN LISTS arg_TESTS)
      amity_module_test(${arg_NAME} ${test} fast ${common})
    endforeach()
    foreach(test IN LISTS arg_SLOW_TESTS)
      amity_module_test(${arg_NAME} ${test} slow ${common})
    endforeach()
  endif()
endfunction()

# Writes "<module> <layer> <dependency>... / <room>..." per line, for tools/check_layers.py.
function(amity_write_modules file)
  get_property(modules GLOBAL PROPERTY AMITY_MODULES)
  set(text "")
  foreach(module IN LISTS modules)
    amity_layer_of(${module} layer)
    get_property(dependencies GLOBAL PROPERTY AMITY_DEPENDS_${module})
    list(JOIN dependencies " " dependencies)
    get_property(rooms GLOBAL PROPERTY AMITY_ROOMS_${module})
    list(JOIN rooms " " rooms)
    string(APPEND text "${module} ${layer} ${dependencies} / ${rooms}\n")
  endforeach()
  file(WRITE ${file} "${text}")
endfunction()
