# Writes version.cpp at every build, touching the file only when its text changes.
#     cmake -DSOURCE=... -DOUTPUT=... -DVERSION=... -DCOMPILER=... -DFLAGS=... -P write_version.cmake
set(COMMIT "")
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/archive_commit.txt" archived REGEX "^[0-9a-f]+$")
if(archived)
  set(COMMIT "${archived}")  # a `git archive`, where git has filled the file in
elseif(EXISTS "${SOURCE}/.git")
  set(ENV{GIT_OPTIONAL_LOCKS} 0)
  find_program(GIT git)
  if(GIT)
    execute_process(COMMAND "${GIT}" describe --always --dirty --abbrev=12 --exclude=*
      WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(COMMIT STREQUAL "")
  set(COMMIT unknown)
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/version.cpp.in" "${OUTPUT}" @ONLY)
