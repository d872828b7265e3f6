# What cpack calls before it packs the components, which lie in CPACK_TEMPORARY_INSTALL_DIRECTORY, a folder each: see
# amity_package.cmake.
foreach(pair IN LISTS CPACK_AMITY_PACKAGES)
  string(REGEX MATCH "^([^=]*)=(.*)$" ignored "${pair}")
  set(component ${CMAKE_MATCH_1})
  set(package ${CMAKE_MATCH_2})
  set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
  if(NOT IS_DIRECTORY ${usr})
    message(FATAL_ERROR "amity: ${usr} is not there; cpack lays its components elsewhere")
  endif()

  file(READ ${CPACK_AMITY_SOURCES}/LICENSE licence)
  string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
  string(REGEX REPLACE "\n(.)" "\n \\1" licence "${licence}")
  file(WRITE ${usr}/share/doc/${package}/copyright
       "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Amity\n\n"
       "Files: *\nCopyright: 2026 the authors of Amity\nLicense: BSL-1.0\n ${licence}")
  # In Debian's form; what is new is told by the other one.
  string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${usr}/share/doc/${package}/changelog.Debian
       "amity (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * Built from the sources; see changelog.gz.\n\n"
       " -- ${CPACK_AMITY_MAINTAINER}  ${now}\n")
  configure_file(${CPACK_AMITY_SOURCES}/CHANGELOG.md ${usr}/share/doc/${package}/changelog COPYONLY)

  file(GLOB_RECURSE to_compress ${usr}/share/man/*.[1-9] ${usr}/share/doc/${package}/changelog*)
  foreach(file IN LISTS to_compress)
    execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()

  # Symbols of each file go where every debugger looks for them, by the number that the linker gave the file.
  file(GLOB_RECURSE symbols ${usr}/*.debug)
  foreach(file IN LISTS symbols)
    execute_process(COMMAND readelf -n ${file} OUTPUT_VARIABLE notes ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
    if(NOT notes MATCHES "Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)")
      message(FATAL_ERROR "amity: ${file} has no build ID")
    endif()
    file(MAKE_DIRECTORY ${usr}/lib/debug/.build-id/${CMAKE_MATCH_1})
    file(RENAME ${file} ${usr}/lib/debug/.build-id/${CMAKE_MATCH_1}/${CMAKE_MATCH_2}.debug)
  endforeach()
  file(GLOB_RECURSE emptied LIST_DIRECTORIES true ${usr}/*.debug)
  list(FILTER emptied INCLUDE REGEX "/\\.debug$")
  if(emptied)
    file(REMOVE_RECURSE ${emptied} ${usr}/bin ${usr}/lib/amity)
  endif()

  # Names of functions stay in what is installed, for `amity dump`; the auditor needs no other library; PMIx lies in a folder of
  # its own; pkg-config's files are not for cross compilers.
  set(overrides_of_runtime unstripped-binary-or-object "shared-library-lacks-prerequisites *amity_redirect*"
                           "custom-library-search-path *libamity_pmix*")
  set(overrides_of_program unstripped-binary-or-object)
  set(overrides_of_dev pkg-config-unavailable-for-cross-compilation)
  set(overrides_of_debug "")
  set(overrides "")
  foreach(override IN LISTS overrides_of_${component})
    string(APPEND overrides "${package}: ${override}\n")
  endforeach()
  if(overrides)
    file(WRITE ${usr}/share/lintian/overrides/${package} "${overrides}")
  endif()
  file(GLOB_RECURSE written ${usr}/share/doc/* ${usr}/share/lintian/*)
  file(CHMOD ${written} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()
