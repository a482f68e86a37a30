# Installs the build into a folder of its own (with a space in its path), moves it, and builds and runs a client that
# knows only find_package(saltus). Run by ctest; the variables come from tests/CMakeLists.txt.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nended with ${code}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/first")
file(RENAME "${WORK}/first" "${WORK}/prefix")  # a package must not remember where it was installed
# for this CPU, which the library is not compiled for: structures with vectors of Eigen must be the same all the same
run("${CMAKE_COMMAND}" -S "${CLIENT}" -B "${WORK}/client" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=-march=native"
  "-DCMAKE_BUILD_TYPE=${CONFIG}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
run("${CMAKE_COMMAND}" --build "${WORK}/client")
run("${WORK}/client/client")
if(NOT out MATCHES "Saltus ${VERSION}\n")
  message(FATAL_ERROR "the client says:\n${out}but this is Saltus ${VERSION}")
endif()
message("${out}")
if(PYTHON)  # the interpreter that the package was built for
  file(GLOB package "${WORK}/prefix/lib/python*/*-packages/saltus/__init__.py")
  cmake_path(GET package PARENT_PATH folder)
  cmake_path(GET folder PARENT_PATH folder)
  run("${CMAKE_COMMAND}" -E env "PYTHONPATH=${folder}" PYTHONDONTWRITEBYTECODE=1 "${PYTHON}" -c
    "from saltus import __version__, __file__\nprint(__version__, __file__)")
  if(NOT out STREQUAL "${VERSION} ${folder}/saltus/__init__.py\n")
    message(FATAL_ERROR "python says:\n${out}but this is Saltus ${VERSION} in ${folder}")
  endif()
  message("${out}")
endif()
if(HAS_COMMAND)
  run("${WORK}/prefix/bin/saltus" --version)
  message("${out}")
endif()
file(REMOVE_RECURSE "${WORK}")
