// std::source_location for Clang before 16, which lacks the builtin that GCC's <source_location> requires. Included
// before everything else by such a Clang (CMakeLists.txt) and by clang-tidy 14 (tools/check.sh); GCC never includes it.
#pragma once
#if defined(__clang__) && !__has_builtin(__builtin_source_location)

namespace std {

struct source_location {
  static constexpr source_location current(const char* file = __builtin_FILE(),
                                           const char* function = __builtin_FUNCTION(),
                                           unsigned line = __builtin_LINE()) noexcept {
    source_location here;
    here.file_ = file;
    here.function_ = function;
    here.line_ = line;
    return here;
  }
  constexpr const char* file_name() const noexcept { return file_; }
  constexpr const char* function_name() const noexcept { return function_; }
  constexpr unsigned line() const noexcept { return line_; }
  constexpr unsigned column() const noexcept { return 0; }

 private:
  const char* file_ = "";
  const char* function_ = "";
  unsigned line_ = 0;
};

}  // namespace std

#endif
