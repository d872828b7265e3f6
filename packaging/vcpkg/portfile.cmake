# An overlay port: vcpkg install amity --overlay-ports=packaging/vcpkg in a checkout of Amity, which it builds.
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_find_acquire_program(PYTHON3)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DAMITY_TESTS=OFF
          -DAMITY_BENCHES=OFF
          -DAMITY_PROGRAM=OFF
          -DAMITY_WERROR=OFF
          -DAMITY_PLUGINS=
          "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
          "-DPython3_EXECUTABLE=${PYTHON3}")
vcpkg_cmake_build(TARGET products)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME Amity CONFIG_PATH lib/cmake/Amity)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
