# cmake --install, find_package(Amity) and pkg-config: the same two libraries under the same two names in each.
#
# Components: `runtime` are the libraries that programs run with, `program` is `amity` with its manual, `dev` what programs are
# built with. These three are installed unless it is said otherwise; `debug` and `bench` (bench/CMakeLists.txt) where they are
# named:
# cmake --install build --prefix PREFIX --component debug.
include(CMakePackageConfigHelpers)

# Every target that is installed by default is installed by this, into `folder`, and so is one of the target `products`, all that
# `script/demo` builds. `component`: runtime or program. Further arguments are install(TARGETS)'s own.
function(amity_install_product target component folder)
  set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME ${component})
  install(TARGETS ${target} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY AMITY_PRODUCTS ${target})
  amity_strip_installed(${target} ${component} ${folder})
endfunction()

# What is installed of `target` goes without its debug information, which is nine tenths of it; the names of its functions stay, for
# `amity dump`. The component `debug` is the information, in a folder `.debug` beside the file, where debuggers look for it.
function(amity_strip_installed target component folder)
  set(debug ${PROJECT_BINARY_DIR}/debug/$<TARGET_FILE_NAME:${target}>.debug)
  set(make_debug "file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/debug\")
execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --only-keep-debug \"$<TARGET_FILE:${target}>\" \"${debug}\"
                COMMAND_ERROR_IS_FATAL ANY)")
  install(CODE "${make_debug}
execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --strip-debug \"--add-gnu-debuglink=${debug}\"
                        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${target}>\"
                COMMAND_ERROR_IS_FATAL ANY)"
          COMPONENT ${component})
  install(CODE "${make_debug}" COMPONENT debug EXCLUDE_FROM_ALL)
  install(FILES ${debug} DESTINATION ${folder}/.debug COMPONENT debug EXCLUDE_FROM_ALL)
endfunction()

# Amity::openmp for programs that want to be linked to Amity's OpenMP rather than run by `amity run`. -fopenmp is given to the
# compiler only: given to the linker it would add the compiler's own runtime.
if(TARGET omp_amity)
  add_library(amity_openmp INTERFACE)
  target_compile_options(amity_openmp INTERFACE $<$<COMPILE_LANGUAGE:C,CXX,Fortran>:-fopenmp>)
  target_link_libraries(amity_openmp INTERFACE omp_amity Threads::Threads)
  target_include_directories(amity_openmp INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>) # omp-tools.h
  set_target_properties(amity_openmp PROPERTIES EXPORT_NAME openmp)
  add_library(Amity::openmp ALIAS amity_openmp)
  install(TARGETS amity_openmp EXPORT AmityTargets)
  amity_install_product(omp_amity runtime ${CMAKE_INSTALL_LIBDIR} EXPORT AmityTargets LIBRARY NAMELINK_COMPONENT dev)
  foreach(name IN LISTS AMITY_OPENMP_NAMES)
    install(FILES ${PROJECT_BINARY_DIR}/lib/amity/${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/amity)
  endforeach()
endif()
amity_install_product(amity runtime ${CMAKE_INSTALL_LIBDIR} EXPORT AmityTargets LIBRARY NAMELINK_COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/lib/amity/${AMITY_SONAME} DESTINATION ${CMAKE_INSTALL_LIBDIR}/amity)

# amity_gdb.py, by the name under which gdb looks for it beside the library, also where the program is not built.
set(gdb_script ${PROJECT_BINARY_DIR}/lib/libamity.so.${PROJECT_VERSION}-gdb.py)
configure_file(${PROJECT_SOURCE_DIR}/amity/cli/gdb/amity_gdb.py ${gdb_script} COPYONLY)
# In /usr/lib the loader's cache would be told of a library that is none; gdb has a folder of its own for what lies there.
install(CODE "
  set(folder \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(folder \"/usr/share/gdb/auto-load/usr/${CMAKE_INSTALL_LIBDIR}\")
  endif()
  file(INSTALL \"${gdb_script}\" DESTINATION \"\${folder}\")" COMPONENT runtime)

if(TARGET amity_redirect)
  amity_install_product(amity_redirect runtime ${CMAKE_INSTALL_LIBDIR}/amity LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/amity)
endif()
if(TARGET amity_nodes)
  amity_install_product(amity_nodes runtime ${CMAKE_INSTALL_LIBDIR}/amity LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/amity)
endif()

# What speaks to other libraries, which need not be there.
get_property(plugins GLOBAL PROPERTY AMITY_PLUGINS)
foreach(plugin IN LISTS plugins)
  amity_install_product(${plugin} runtime ${CMAKE_INSTALL_LIBDIR}/amity LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/amity)
endforeach()

# Amity::distributed, for programs of several processes: the same library, by the name that says what is used.
add_library(amity_distributed INTERFACE)
target_link_libraries(amity_distributed INTERFACE amity)
target_compile_definitions(amity_distributed INTERFACE AMITY_DISTRIBUTED)
set_target_properties(amity_distributed PROPERTIES EXPORT_NAME distributed)
add_library(Amity::distributed ALIAS amity_distributed)
install(TARGETS amity_distributed EXPORT AmityTargets)

# Amity::accel, for programs that use devices; the same.
add_library(amity_accel INTERFACE)
target_link_libraries(amity_accel INTERFACE amity)
set_target_properties(amity_accel PROPERTIES EXPORT_NAME accel)
add_library(Amity::accel ALIAS amity_accel)
install(TARGETS amity_accel EXPORT AmityTargets)

get_property(programs GLOBAL PROPERTY AMITY_PROGRAMS)
foreach(program IN LISTS programs)
  amity_install_product(${program} program ${CMAKE_INSTALL_BINDIR})
endforeach()

if(TARGET amity_help_files)
  set_property(GLOBAL APPEND PROPERTY AMITY_PRODUCTS amity_help_files)
  get_property(help_files GLOBAL PROPERTY AMITY_HELP_FILES)
  foreach(file IN LISTS help_files)
    get_filename_component(folder ${file} DIRECTORY)
    install(FILES ${PROJECT_BINARY_DIR}/share/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT program)
  endforeach()
endif()

get_property(headers GLOBAL PROPERTY AMITY_PUBLIC_HEADERS)
foreach(header IN ITEMS amity/amity.hpp amity/distributed.hpp amity/accel.hpp amity/upcxx.hpp amity/nodes.h LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT dev)
endforeach()
list(JOIN headers "\n" header_lines)
file(WRITE ${PROJECT_BINARY_DIR}/public_headers.txt # for tests/errors
     "amity/amity.hpp\namity/distributed.hpp\namity/accel.hpp\n${header_lines}\n")
if(TARGET omp_amity) # for tools of either compiler's programs: gcc has no such header
  install(FILES ${PROJECT_SOURCE_DIR}/amity/omp/ompt/omp-tools.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Amity)
install(EXPORT AmityTargets NAMESPACE Amity:: DESTINATION ${package_folder} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/AmityConfig.cmake.in ${PROJECT_BINARY_DIR}/AmityConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/AmityConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/AmityConfig.cmake ${PROJECT_BINARY_DIR}/AmityConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT dev)

set(pkg_config_files amity amity-accel amity-distributed)
if(TARGET omp_amity)
  list(APPEND pkg_config_files amity-openmp)
endif()
foreach(name IN LISTS pkg_config_files)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()
