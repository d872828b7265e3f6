# The shared libraries, of the modules that named them, and the names under which programs ask for an OpenMP runtime.
#
# libamity.so owns the scheduler; libomp_amity.so holds both OpenMP ABIs and links to it. Both are guests in other people's
# processes: no libstdc++ of theirs is seen outside, and they are never unloaded, because workers run their code.

get_property(amity_library_modules GLOBAL PROPERTY AMITY_LIBRARY_amity)
get_property(omp_library_modules GLOBAL PROPERTY AMITY_LIBRARY_omp_amity)

set(amity_guest_link_options -Wl,-z,nodelete -Wl,-z,now -Wl,-z,relro -Wl,--as-needed)
if(NOT (AMITY_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")) # clang's sanitizers live in the program, not in a library
  list(APPEND amity_guest_link_options -Wl,--no-undefined)
endif()

# libamity opens hwloc when it runs. Where that is in no folder of the loader's, as in a package manager's prefix, it is looked for
# where it was at the build.
set(amity_rpath "$ORIGIN")
pkg_get_variable(hwloc_folder hwloc libdir)
if(hwloc_folder AND NOT hwloc_folder MATCHES "^/(usr/)?lib" AND EXISTS "${hwloc_folder}/libhwloc.so.15")
  string(APPEND amity_rpath ":${hwloc_folder}")
endif()

add_library(amity SHARED)
amity_add_objects(amity ${amity_library_modules})
amity_carry_own_cxx(amity)
target_link_options(amity PRIVATE ${amity_guest_link_options})
set_target_properties(
  amity
  PROPERTIES LINKER_LANGUAGE CXX
             VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}
             BUILD_WITH_INSTALL_RPATH ON
             INSTALL_RPATH "${amity_rpath}")
target_include_directories(amity INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(amity INTERFACE cxx_std_20)
target_link_libraries(amity INTERFACE Threads::Threads)
add_library(Amity::amity ALIAS amity)
# `amity run` names that folder to the program's loader: a program of the C++ interface that was linked without a path finds it
# there, and nothing else of the folder around.
set(AMITY_SONAME libamity.so.${PROJECT_VERSION_MAJOR})
add_custom_command(
  TARGET amity POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/lib/amity
  COMMAND ${CMAKE_COMMAND} -E create_symlink ../${AMITY_SONAME} ${PROJECT_BINARY_DIR}/lib/amity/${AMITY_SONAME}
  VERBATIM)

if(omp_library_modules)
  add_library(omp_amity SHARED)
  amity_add_objects(omp_amity ${omp_library_modules})
  target_link_libraries(omp_amity PRIVATE amity)
  amity_carry_own_cxx(omp_amity)
  target_link_options(omp_amity PRIVATE ${amity_guest_link_options})
  # The library is opened by its own name and by the links one folder below: libamity.so is found from both.
  # Its version is not the project's: the ABIs are the compilers', and older programs go on with newer libraries.
  set_target_properties(
    omp_amity
    PROPERTIES LINKER_LANGUAGE CXX
               VERSION 1.0.0
               SOVERSION 1
               BUILD_WITH_INSTALL_RPATH ON
               INSTALL_RPATH "$ORIGIN:$ORIGIN/..")
  # What it exports, and with which versions, is the omp module's own concern.

  # They lead to the name that stays: libomp_amity.so is for linking, and comes with the headers.
  set(AMITY_OPENMP_NAMES libgomp.so.1 libomp.so.5 libomp.so libiomp5.so)
  foreach(name IN LISTS AMITY_OPENMP_NAMES)
    add_custom_command(
      TARGET omp_amity POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/lib/amity
      COMMAND ${CMAKE_COMMAND} -E create_symlink ../libomp_amity.so.1 ${PROJECT_BINARY_DIR}/lib/amity/${name}
      VERBATIM)
  endforeach()
endif()

# `amity run --nodes` has the loader take it before all others, and its constructor run first (initfirst).
get_property(nodes_library_modules GLOBAL PROPERTY AMITY_LIBRARY_amity_nodes)
if(TARGET amity_mod_nodes)
  add_library(amity_nodes SHARED)
  amity_add_objects(amity_nodes ${nodes_library_modules})
  target_sources(amity_nodes PRIVATE $<TARGET_OBJECTS:amity_nodes_interposed>)
  target_link_libraries(amity_nodes PRIVATE omp_amity amity)
  amity_carry_own_cxx(amity_nodes)
  target_link_options(amity_nodes PRIVATE ${amity_guest_link_options} -Wl,-z,initfirst)
  set_target_properties(
    amity_nodes
    PROPERTIES LINKER_LANGUAGE CXX
               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/amity
               BUILD_WITH_INSTALL_RPATH ON
               INSTALL_RPATH "$ORIGIN:$ORIGIN/..")
  if(TARGET amity_cli)
    add_dependencies(amity_cli amity_nodes)
  endif()
endif()
