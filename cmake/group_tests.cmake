# Writes one source that holds several test files, so that what they include and instantiate alike is compiled once:
#
#     cmake -DOUTPUT=group.cpp "-DFILES=a_test.cpp;b_test.cpp" -DWRAPPED=TRUE -P group_tests.cmake
#
# WRAPPED: each in a namespace of its own. All that the files include comes first, outside the namespaces; within them
# `#pragma once` leaves nothing of it. Else one after the other, as they are (tests/CMakeLists.txt says which are which).
set(includes "")
set(bodies "")
foreach(file IN LISTS FILES)
  if(NOT WRAPPED)
    string(APPEND bodies "#include \"${file}\"\n")
    continue()
  endif()
  file(STRINGS "${file}" lines REGEX "^#include ")
  list(APPEND includes ${lines})
  cmake_path(GET file STEM stem)
  string(MAKE_C_IDENTIFIER "${stem}" name)
  string(APPEND bodies "namespace in_${name} {\n#include \"${file}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(WRITE "${OUTPUT}" "${includes}\n${bodies}")
