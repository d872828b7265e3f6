# What a builder may choose, and the flags that follow for all of our code.

option(AMITY_TESTS "Build the unit tests and register every test with ctest" ${PROJECT_IS_TOP_LEVEL})
option(AMITY_BENCHES "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(AMITY_PROGRAM "Build the program amity, which needs CLI11 and nlohmann_json" ${PROJECT_IS_TOP_LEVEL})
set(AMITY_PLUGINS auto CACHE STRING "The plug-ins: a list of ucx, mpi_openmpi, mpi_mpich, pmix; or auto: those that can be made")
option(AMITY_WERROR "Treat warnings in Amity's own code as errors" ${PROJECT_IS_TOP_LEVEL})
option(AMITY_CHECKED "Keep AMITY_ASSERT in builds that define NDEBUG" OFF)
set(AMITY_SANITIZE "" CACHE STRING "A sanitizer for everything that is built: address, undefined, thread, or empty")
set_property(CACHE AMITY_SANITIZE PROPERTY STRINGS "" address undefined thread)

if(NOT AMITY_SANITIZE MATCHES "^(|address|undefined|thread)$")
  message(FATAL_ERROR "AMITY_SANITIZE is '${AMITY_SANITIZE}'; allowed are address, undefined, thread, or nothing.")
endif()

foreach(plugin IN LISTS AMITY_PLUGINS)
  if(NOT plugin MATCHES "^(auto|ucx|mpi_openmpi|mpi_mpich|pmix)$")
    message(FATAL_ERROR "AMITY_PLUGINS has '${plugin}'; allowed are ucx, mpi_openmpi, mpi_mpich, pmix in a list, or auto.")
  endif()
endforeach()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS ON) # __int128 and statement expressions, in the few places that need them
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# Everything of ours links to this target: language flags, warnings, sanitizer. Never installed.
add_library(amity_flags INTERFACE)
target_include_directories(amity_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(
  amity_flags
  INTERFACE -fno-omit-frame-pointer
            $<$<COMPILE_LANGUAGE:C,CXX>:-Wall>
            $<$<COMPILE_LANGUAGE:C,CXX>:-Wextra>
            $<$<COMPILE_LANGUAGE:C,CXX>:-Wshadow>
            $<$<COMPILE_LANGUAGE:C,CXX>:-Wundef>
            $<$<COMPILE_LANGUAGE:C,CXX>:-Wvla>
            $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
            $<$<COMPILE_LANGUAGE:CXX>:-Wextra-semi>)
if(AMITY_WERROR)
  target_compile_options(amity_flags INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>)
endif()
if(AMITY_CHECKED)
  target_compile_definitions(amity_flags INTERFACE AMITY_CHECKED=1)
endif()
if(AMITY_SANITIZE)
  target_compile_options(amity_flags INTERFACE -fsanitize=${AMITY_SANITIZE})
  target_link_options(amity_flags INTERFACE -fsanitize=${AMITY_SANITIZE})
  if(AMITY_SANITIZE STREQUAL "undefined")
    target_compile_options(amity_flags INTERFACE -fno-sanitize-recover=all)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # With -O3, which is Release's, it sees an overlap in `"a" + std::to_string(n)` (gcc's bug 105651).
  target_compile_options(amity_flags INTERFACE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-Wno-restrict>)
endif()
if(AMITY_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc says that ThreadSanitizer doesn't model fences; where it matters the code has a second form for it.
  target_compile_options(amity_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
endif()

# What tests and the programs of tests/ are compiled with beside amity_flags. They have lines in backtraces but no variables for a
# debugger, which halves what the compiler does; the code of Amity's own that they are linked to has both. AMITY_QUICK_TESTS takes
# another fifth off: headers of Amity's that are all templates are tested as -O1 makes them then.
option(AMITY_QUICK_TESTS "Compile tests with -O1" OFF)
add_library(amity_test_flags INTERFACE)
target_compile_options(amity_test_flags INTERFACE $<$<CONFIG:RelWithDebInfo>:-g1> $<$<BOOL:${AMITY_QUICK_TESTS}>:-O1>)

# Unit tests are always compiled with that: they are the larger part of what is compiled, and the programs of tests/ see the headers
# with -O2.
add_library(amity_unit_test_flags INTERFACE)
target_link_libraries(amity_unit_test_flags INTERFACE amity_test_flags)
if(NOT AMITY_SANITIZE)
  target_compile_options(amity_unit_test_flags INTERFACE $<$<CONFIG:RelWithDebInfo>:-O1>)
endif()

# Libraries and programs that carry their own libstdc++, hidden; a sanitizer needs the shared one.
function(amity_carry_own_cxx target)
  if(NOT AMITY_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:amity_older_glibc>)
  endif()
endfunction()

# The installed tree has one shape everywhere, because `amity` finds its libraries as ../lib from itself.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Folder of the libraries, below the prefix")
else() # the outer project's is its own
  set(CMAKE_INSTALL_LIBDIR lib)
endif()
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime) # the others are named in amity_install.cmake
