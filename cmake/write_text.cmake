# cmake -DTEXT=viewer.html -DFUNCTION=viewer_page -DHEADER=saltus/view/view_page.h -DOUTPUT=viewer_page.cpp -P write_text.cmake
#
# A file as a text of C++: one raw string after the other, because compilers need not take more than 65 536 characters at
# once. Without a file the text is empty.
set(strings "")
set(bytes 0)
if(TEXT AND EXISTS "${TEXT}")
  file(SIZE "${TEXT}" bytes)
  file(READ "${TEXT}" text)
  string(LENGTH "${text}" length)
  if(text MATCHES "\\)saltus-text\"" OR text MATCHES "\r")
    message(FATAL_ERROR "${TEXT}: holds the end of a raw string or a carriage return")
  endif()
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 16000 part)
    string(APPEND strings "R\"saltus-text(${part})saltus-text\"\n")
    math(EXPR at "${at} + 16000")
  endwhile()
else()
  set(strings "\"\"\n")
endif()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

namespace saltus {
namespace {
constexpr char kText[] =
${strings}    ;
static_assert(sizeof kText == ${bytes} + 1, \"every byte of the file and the terminating zero\");
}  // namespace
std::string_view ${FUNCTION}() { return {kText, sizeof kText - 1}; }
}  // namespace saltus
")
