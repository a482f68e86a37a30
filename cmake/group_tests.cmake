# Writes one source that holds several test files, each in a namespace of its own, so that what they instantiate alike is compiled once:
#
#     cmake -DOUTPUT=group.cpp "-DFILES=a_test.cpp;b_test.cpp" -P group_tests.cmake
#
# All that the files include comes first, outside the namespaces; within them `#pragma once` leaves nothing of it. So a file may not
# open a namespace that others share, nor include by condition (tests/CMakeLists.txt leaves such files alone).
set(includes "")
set(bodies "")
foreach(file IN LISTS FILES)
  file(STRINGS "${file}" lines REGEX "^#include ")
  list(APPEND includes ${lines})
  cmake_path(GET file STEM stem)
  string(MAKE_C_IDENTIFIER "${stem}" name)
  string(APPEND bodies "namespace in_${name} {\n#include \"${file}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(WRITE "${OUTPUT}" "${includes}\n${bodies}")
