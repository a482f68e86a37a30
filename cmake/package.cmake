# The Debian package `saltus`: command, library with headers and CMake package, examples, and the Python package if it
# is built. Included last by CMakeLists.txt; then, in the folder of the build,
#
#     cpack -G DEB        writes saltus_<version>_<architecture>.deb (tools/package.sh runs it and tests the package)
#
# dpkg-shlibdeps determines the dependencies of the binaries; those of clients of the library are listed below.
include(GNUInstallDirs)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME saltus)
set(CPACK_PACKAGE_VENDOR "Saltus")
set(CPACK_PACKAGE_CONTACT "Saltus maintainers <maintainers@saltus.invalid>")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
  "Saltus computes the motion of bodies with contact, impact and friction: strings
and bars by their modes, rigid bodies with joints, finite elements, masses and
mechanisms. Scenes are YAML files; results are HDF5 files, sounds and web pages.
The package contains the command, the C++ library with its CMake package, the
Python package and the examples.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_MONOLITHIC_INSTALL ON)  # one package of all components

set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)  # the library is static
set(CPACK_DEBIAN_PACKAGE_CONFLICTS "libsaltus-dev, python3-saltus")  # names of a package in parts
set(CPACK_DEBIAN_PACKAGE_REPLACES "libsaltus-dev, python3-saltus")
# for find_package(saltus): the packages that SaltusDependencies.cmake searches
set(clients libeigen3-dev libyaml-cpp-dev libfmt-dev libhdf5-dev libsndfile1-dev libtbb-dev libqhull-dev
  libtinyxml2-dev zlib1g-dev)
if(TARGET Saltus::cholmod)
  list(APPEND clients libsuitesparse-dev)
endif()
list(JOIN clients ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-matplotlib, g++, cmake")
if(SALTUS_PYTHON)  # the module is for one version of Python
  get_directory_property(minor DIRECTORY python DEFINITION Python3_VERSION_MINOR)
  math(EXPR next "${minor} + 1")
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3 (>= 3.${minor}), python3 (<< 3.${next}), python3-numpy")
endif()

# Files that Debian requires in a package: the licence and the changelog.
set(share "${PROJECT_BINARY_DIR}/package")
file(WRITE "${share}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: saltus

Files: *
Copyright: Saltus developers
License: Apache-2.0
 On Debian systems the text of the licence is in /usr/share/common-licenses/Apache-2.0.
 .
 The pages of the viewer contain three.js and uPlot, both under the MIT licence, with their notices.
")
execute_process(COMMAND gzip -9 -n -c "${PROJECT_SOURCE_DIR}/CHANGELOG.md" OUTPUT_FILE "${share}/changelog.gz"
  RESULT_VARIABLE unpacked)
install(FILES "${share}/copyright" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/saltus")
if(unpacked EQUAL 0)
  install(FILES "${share}/changelog.gz" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/saltus")
endif()

include(CPack)
