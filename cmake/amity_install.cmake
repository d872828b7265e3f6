# cmake --install, find_package(Amity) and pkg-config: the same two libraries under the same two names in each.
include(CMakePackageConfigHelpers)

# Amity::openmp for programs that want to be linked to Amity's OpenMP rather than run by `amity run`. -fopenmp is given to the
# compiler only: given to the linker it would add the compiler's own runtime.
if(TARGET omp_amity)
  add_library(amity_openmp INTERFACE)
  target_compile_options(amity_openmp INTERFACE $<$<COMPILE_LANGUAGE:C,CXX,Fortran>:-fopenmp>)
  target_link_libraries(amity_openmp INTERFACE omp_amity Threads::Threads)
  set_target_properties(amity_openmp PROPERTIES EXPORT_NAME openmp)
  add_library(Amity::openmp ALIAS amity_openmp)
  install(TARGETS omp_amity amity_openmp EXPORT AmityTargets)
  foreach(name IN LISTS AMITY_OPENMP_NAMES)
    install(FILES ${PROJECT_BINARY_DIR}/lib/amity/${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/amity)
  endforeach()
endif()
install(TARGETS amity EXPORT AmityTargets)

get_property(programs GLOBAL PROPERTY AMITY_PROGRAMS)
if(programs)
  install(TARGETS ${programs})
endif()

get_property(headers GLOBAL PROPERTY AMITY_PUBLIC_HEADERS)
foreach(header IN ITEMS amity/amity.hpp LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Amity)
install(EXPORT AmityTargets NAMESPACE Amity:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/AmityConfig.cmake.in ${PROJECT_BINARY_DIR}/AmityConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/AmityConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/AmityConfig.cmake ${PROJECT_BINARY_DIR}/AmityConfigVersion.cmake
        DESTINATION ${package_folder})

set(pkg_config_files amity)
if(TARGET omp_amity)
  list(APPEND pkg_config_files amity-openmp)
endif()
foreach(name IN LISTS pkg_config_files)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
