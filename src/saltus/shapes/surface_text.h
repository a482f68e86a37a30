// Splits the lines of a text file into words; errors name file, line and column.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/base/text_check.h"
#include "saltus/base/units.h"
#include "saltus/shapes/geometry.h"

namespace saltus {

class SurfaceText {
 public:
  /// scripted: the rest of a line after `#` is ignored, and a line whose last word is a backslash
  /// continues in the next line.
  SurfaceText(std::string_view text, const std::string& name, const std::string& path,
              bool scripted)
      : text_(text), name_(name), path_(path), scripted_(scripted) {}

  /// Reads the next line that has words; false at the end.
  bool next() {
    words_.clear();
    while (words_.empty() && at_ < text_.size()) {
      first_line_ = line_ + 1;
      do {
        if (!words_.empty()) words_.pop_back();
        cut_line();
      } while (scripted_ && !words_.empty() && words_.back() == "\\" && at_ < text_.size());
    }
    return !words_.empty();
  }
  const std::vector<std::string_view>& words() const { return words_; }
  int line() const { return first_line_; }  ///< counted from 1

  [[noreturn]] void fail(std::string_view word, const std::string& message,
                         const std::string& hint) const {
    const auto byte = static_cast<std::size_t>(word.data() - text_.data());
    const std::string_view before = text_.substr(0, byte);
    const int line = static_cast<int>(std::ranges::count(before, '\n'));
    const std::size_t start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    throw SceneError(path_, message, hint)
        .at(name_, line + 1, LineTable(text_).column(line, static_cast<int>(byte - start)));
  }
  [[noreturn]] void fail_at(int line, const std::string& message, const std::string& hint) const {
    throw SceneError(path_, message, hint).at(name_, line, 0);
  }

  double number(std::string_view word) const {
    double value = 0.0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + word.starts_with('+'), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value)) {
      const Quantity read = parse_quantity(word, unit::one);  // explains the fault
      if (!read.error.empty()) fail(word, read.error, read.hint);
      value = read.value;
    }
    return value;
  }
  double coordinate(std::string_view word) const {
    const double value = number(word);
    if (std::abs(value) > kLongestLength) fail(word, "the coordinate is too large", "at most 1e50");
    return value + 0.0;  // -0 becomes 0
  }
  /// A point from three words, beginning with word `first`.
  Vector3 place(std::size_t first) const {
    return {coordinate(words_[first]), coordinate(words_[first + 1]),
            coordinate(words_[first + 2])};
  }

 private:
  void cut_line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::size_t stop = scripted_ ? std::min(text_.find('#', at_), end) : end;
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    for (std::size_t i = at_; i < stop;) {
      std::size_t last = i;
      while (last < stop && !blank(text_[last])) ++last;
      if (last > i) words_.push_back(text_.substr(i, last - i));
      i = last + 1;
    }
    at_ = end + 1;
    ++line_;
  }

  std::string_view text_;
  const std::string &name_, &path_;
  bool scripted_;
  std::size_t at_ = 0;
  int line_ = 0, first_line_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace saltus
