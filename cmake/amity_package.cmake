# Debian packages, by `cpack` in the build folder: what script/package makes.
#
#   libamity0       the libraries that programs run with
#   amity           the program `amity`
#   libamity-dev    headers, for CMake and pkg-config
#   libamity0-dbg   symbols for debuggers
#
# The major version is in the libraries' names and in libamity0's, so that an older one may be installed beside a newer one.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME amity)
set(CPACK_PACKAGE_VENDOR Amity)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES OFF) # amity_strip_installed does it, and leaves what `amity dump` names functions by
set(CPACK_COMPONENTS_ALL runtime program dev debug)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(AMITY_PACKAGE_MAINTAINER "The authors of Amity <authors@amity-runtime.invalid>" CACHE STRING
                                                                                         "Who is asked about the packages")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${AMITY_PACKAGE_MAINTAINER})

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has its own

# What is built on Debian 12 needs 2.34 (amity_older_glibc); what is built on a newer system may need that one's.
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE glibc_here)
string(REGEX MATCH "[0-9]+\\.[0-9]+" glibc_needed "${glibc_here}")
if(NOT glibc_needed VERSION_GREATER 2.36)
  set(glibc_needed 2.34)
endif()

# amity_deb(component package section summary lines...): `lines` end the description.
macro(amity_deb component package section summary)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  string(JOIN "\n" CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}"
         "Amity is one asynchronous many-task runtime beneath everything parallel in"
         "a program: OpenMP of unmodified programs of gcc and clang, C++ tasks and"
         "futures, remote tasks and one-sided memory over processes, collective"
         "operations, and kernels on devices." "" ${ARGN})
  list(APPEND CPACK_AMITY_PACKAGES "${component}=${package}")
endmacro()

set(libamity libamity${PROJECT_VERSION_MAJOR})
set(this_libamity "${libamity} (= ${PROJECT_VERSION})")

amity_deb(runtime ${libamity} libs "runtime for OpenMP, tasks, processes and devices"
          "These are the libraries that programs run with.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libc6 (>= ${glibc_needed})")
# Opened where they are there.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS libhwloc15)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "libucx0, libopenmpi3, libmpich12, libpmix2, ocl-icd-libopencl1")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers ${PROJECT_BINARY_DIR}/package/shlibs)
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
# What a package depends on whose programs are linked to them.
file(WRITE ${PROJECT_BINARY_DIR}/package/shlibs
     "libamity ${PROJECT_VERSION_MAJOR} ${libamity} (>= ${PROJECT_VERSION})\nlibomp_amity 1 ${libamity} (>= ${PROJECT_VERSION})\n")

amity_deb(program amity utils "runs programs on the runtime Amity"
          "This is the program amity, which runs others on it, measures, and says what" "they wait for.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libc6 (>= ${glibc_needed}), ${this_libamity}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS binutils) # lines of sources

amity_deb(dev libamity-dev libdevel "runtime for OpenMP, tasks, processes and devices (development)"
          "These are the headers, and what CMake and pkg-config look for.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ${this_libamity})

amity_deb(debug ${libamity}-dbg debug "runtime for OpenMP, tasks, processes and devices (debug symbols)"
          "These are the symbols for debuggers.")
set(CPACK_DEBIAN_DEBUG_PACKAGE_DEPENDS ${this_libamity})

# Of each package its copyright and changelog, and compressed manuals, as Debian's policy has them.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/finish_packages.cmake)
set(CPACK_AMITY_MAINTAINER ${AMITY_PACKAGE_MAINTAINER})
set(CPACK_AMITY_SOURCES ${PROJECT_SOURCE_DIR})
include(CPack)
