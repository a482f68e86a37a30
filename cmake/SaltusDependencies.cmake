# What the library needs, as targets: Eigen3::Eigen (public headers); yaml-cpp, fmt::fmt, Saltus::hdf5, Saltus::sndfile,
# Saltus::qhull (the reentrant library), Saltus::tinyxml2, Saltus::zlib, TBB::tbb, Threads::Threads (linking
# only), and Saltus::cholmod where the library was built with it. Used by the build and by the installed package. Spectra
# (headers) is needed to build alone.
#
# HDF5 (serial, C), libsndfile, Qhull, TinyXML-2, zlib and CHOLMOD are looked up by file: CMake's FindHDF5 wants
# the language C and takes half a second, and this way no pkg-config is needed.

function(saltus_imported_library name header suffixes)
  if(TARGET Saltus::${name})
    return()
  endif()
  find_path(SALTUS_${name}_INCLUDE_DIR ${header} PATH_SUFFIXES ${suffixes})
  find_library(SALTUS_${name}_LIBRARY NAMES ${ARGN} PATH_SUFFIXES ${suffixes})
  mark_as_advanced(SALTUS_${name}_INCLUDE_DIR SALTUS_${name}_LIBRARY)
  if(SALTUS_${name}_INCLUDE_DIR AND SALTUS_${name}_LIBRARY)
    add_library(Saltus::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(Saltus::${name} PROPERTIES
      IMPORTED_LOCATION "${SALTUS_${name}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${SALTUS_${name}_INCLUDE_DIR}")
  endif()
endfunction()

# mode: REQUIRED stops the configuration; QUIET leaves the names of what is missing in saltus_missing.
macro(saltus_find_dependencies mode)
  find_package(Eigen3 3.4 CONFIG QUIET)
  find_package(yaml-cpp CONFIG QUIET)
  find_package(fmt CONFIG QUIET)
  find_package(TBB CONFIG QUIET)
  find_package(Threads QUIET)
  saltus_imported_library(hdf5 hdf5.h hdf5/serial hdf5_serial hdf5)
  saltus_imported_library(sndfile sndfile.h "" sndfile)
  saltus_imported_library(qhull libqhull_r/libqhull_r.h "" qhull_r)
  saltus_imported_library(tinyxml2 tinyxml2.h "" tinyxml2)
  saltus_imported_library(zlib zlib.h "" z)
  if(NOT TARGET yaml-cpp AND TARGET yaml-cpp::yaml-cpp)  # yaml-cpp 0.8 and later
    add_library(yaml-cpp ALIAS yaml-cpp::yaml-cpp)
  endif()
  set(saltus_missing "")
  foreach(target Eigen3::Eigen yaml-cpp fmt::fmt TBB::tbb Threads::Threads Saltus::hdf5 Saltus::sndfile Saltus::qhull
      Saltus::tinyxml2 Saltus::zlib)
    if(NOT TARGET ${target})
      list(APPEND saltus_missing ${target})
    endif()
  endforeach()
  if("${mode}" STREQUAL "REQUIRED")
    find_path(SALTUS_spectra_INCLUDE_DIR Spectra/SymGEigsShiftSolver.h)
    mark_as_advanced(SALTUS_spectra_INCLUDE_DIR)
    if(SALTUS_spectra_INCLUDE_DIR)
      include_directories(SYSTEM ${SALTUS_spectra_INCLUDE_DIR})
    else()
      list(APPEND saltus_missing Spectra)
    endif()
  endif()
  if(saltus_missing AND "${mode}" STREQUAL "REQUIRED")
    message(FATAL_ERROR "Not found: ${saltus_missing}. On Debian: apt-get install "
      "libeigen3-dev libyaml-cpp-dev libfmt-dev libhdf5-dev libsndfile1-dev libtbb-dev libqhull-dev "
      "libtinyxml2-dev zlib1g-dev libspectra-dev (./run does it)")
  endif()
endmacro()

# Saltus::cholmod if it is wanted and there.
macro(saltus_find_cholmod wanted)
  if(${wanted})
    saltus_imported_library(cholmod cholmod.h suitesparse cholmod)
  endif()
endmacro()

# Saltus::httplib, for the command alone. Its classes have other members with other definitions: where it is a compiled
# library, those in its pkg-config file are the ones it was built with.
macro(saltus_find_httplib)
  find_path(SALTUS_httplib_INCLUDE_DIR httplib.h)
  find_library(SALTUS_httplib_LIBRARY cpp-httplib)
  mark_as_advanced(SALTUS_httplib_INCLUDE_DIR SALTUS_httplib_LIBRARY)
  if(NOT SALTUS_httplib_INCLUDE_DIR)
    message(FATAL_ERROR "Not found: cpp-httplib. On Debian: apt-get install libcpp-httplib-dev (./run does it)")
  endif()
  add_library(Saltus::httplib INTERFACE IMPORTED GLOBAL)
  target_include_directories(Saltus::httplib SYSTEM INTERFACE ${SALTUS_httplib_INCLUDE_DIR})
  target_link_libraries(Saltus::httplib INTERFACE Threads::Threads)
  if(SALTUS_httplib_LIBRARY)
    get_filename_component(saltus_httplib_folder "${SALTUS_httplib_LIBRARY}" DIRECTORY)
    set(saltus_httplib_pc "${saltus_httplib_folder}/pkgconfig/cpp-httplib.pc")
    if(NOT EXISTS "${saltus_httplib_pc}")
      message(FATAL_ERROR "${saltus_httplib_pc} is not there: it says how ${SALTUS_httplib_LIBRARY} was built")
    endif()
    file(STRINGS "${saltus_httplib_pc}" saltus_httplib_flags REGEX "^Cflags:")
    string(REGEX MATCHALL "-D[A-Za-z0-9_=]+" saltus_httplib_definitions "${saltus_httplib_flags}")
    target_compile_options(Saltus::httplib INTERFACE ${saltus_httplib_definitions})
    target_link_libraries(Saltus::httplib INTERFACE "${SALTUS_httplib_LIBRARY}")
  endif()
endmacro()
