#include "saltus/base/matrix_market.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "saltus/base/error.h"
#include "saltus/base/text_check.h"
#include "saltus/base/units.h"

namespace saltus {
namespace {

constexpr std::string_view kBanner = "%%MatrixMarket";
constexpr const char* kFirstLine =
    "the first line is '%%MatrixMarket matrix coordinate real general'";

std::string quoted_word(std::string_view text) {
  return "'" + std::string(text.substr(0, 40)) + (text.size() > 40 ? "..." : "") + "'";
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name, const std::string& path)
      : text_(text), name_(name), path_(path) {}

  MatrixFile read() {
    header();
    sizes();
    coordinate_ ? coordinates() : array();
    if (next_line())
      fail(words_[0], "more entries than the " + announced() + " stated in the size line", "");
    return std::move(matrix_);
  }

 private:
  enum class Symmetry { general, symmetric, skew };

  [[noreturn]] void fail(std::string_view word, const std::string& message,
                         const std::string& hint) const {
    const auto byte = static_cast<int>(word.data() - line_.data());
    throw SceneError(path_, message, hint)
        .at(name_, line_number_, LineTable(text_).column(line_number_ - 1, byte));
  }
  [[noreturn]] void fail_at_end(const std::string& message, const std::string& hint) const {
    throw SceneError(path_, message, hint).at(name_, line_number_, 0);
  }
  std::string announced() const { return std::to_string(count_); }

  // Reads the next line that is neither empty nor a comment and splits it into words: stores the
  // first five, and counts all.
  bool next_line(bool comments = true) {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      line_ = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++line_number_;
      if (comments && line_.starts_with('%')) continue;
      word_count_ = 0;
      for (std::size_t i = 0; i < line_.size();) {
        std::size_t stop = i;
        while (stop < line_.size() && !is_blank(line_[stop])) ++stop;
        if (stop > i) {
          if (word_count_ < words_.size()) words_[word_count_] = line_.substr(i, stop - i);
          ++word_count_;
        }
        i = stop + 1;
      }
      if (word_count_ > 0) return true;
    }
    return false;
  }

  void expect_words(std::size_t wanted, const char* what) const {
    if (word_count_ == wanted) return;
    const std::size_t at =
        word_count_ < wanted ? word_count_ - 1 : std::min(wanted, words_.size() - 1);
    fail(words_[at],
         "the line has " + std::to_string(word_count_) + (word_count_ == 1 ? " word" : " words") +
             " instead of " + std::to_string(wanted),
         what);
  }

  void header() {
    if (!next_line(false) || lower(words_[0]) != lower(kBanner))
      throw SceneError(path_, "is not a Matrix Market file", kFirstLine).at(name_, 1, 1);
    expect_words(5, kFirstLine);
    const auto choose = [&](std::size_t word, std::span<const char* const> names,
                            const char* hint) {
      const std::string given = lower(words_[word]);
      for (std::size_t i = 0; i < names.size(); ++i)
        if (given == names[i]) return i;
      fail(words_[word], quoted_word(words_[word]) + " matrices are not supported", hint);
    };
    static constexpr std::array<const char*, 2> kFormats{"coordinate", "array"},
        kFields{"real", "integer"};
    static constexpr std::array<const char*, 3> kSymmetries{"general", "symmetric",
                                                            "skew-symmetric"};
    if (lower(words_[1]) != "matrix")
      fail(words_[1], quoted_word(words_[1]) + " files are not supported", "allowed: matrix");
    coordinate_ = choose(2, kFormats, "allowed: coordinate, array") == 0;
    choose(3, kFields, "allowed: real, integer");
    symmetry_ = static_cast<Symmetry>(
        choose(4, kSymmetries, "allowed: general, symmetric, skew-symmetric"));
  }

  std::int64_t whole(std::string_view word, std::int64_t least, std::int64_t most,
                     const char* what) const {
    std::int64_t value = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error == std::errc::invalid_argument || stop != end)
      fail(word, quoted_word(word) + " is not a whole number", what);
    if (error != std::errc{} || value < least || value > most)
      fail(word,
           std::string(what) + " " + quoted_word(word) + " is outside " + std::to_string(least) +
               " .. " + std::to_string(most),
           "");
    return value;
  }

  void sizes() {
    if (!next_line())
      fail_at_end("the size line is missing", "write rows, columns and number of entries");
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    expect_words(coordinate_ ? 3 : 2,
                 coordinate_ ? "rows, columns and number of entries" : "rows and columns");
    matrix_.rows = static_cast<int>(whole(words_[0], 1, kMost, "number of rows"));
    matrix_.columns = static_cast<int>(whole(words_[1], 1, kMost, "number of columns"));
    const std::int64_t n = matrix_.rows, m = matrix_.columns;
    if (symmetry_ != Symmetry::general && n != m)
      fail(words_[0],
           "a matrix of " + std::to_string(n) + " rows and " + std::to_string(m) +
               " columns is not symmetric",
           "write equal numbers");
    if (coordinate_)
      count_ = whole(words_[2], 0, kMost, "number of entries");
    else
      count_ = symmetry_ == Symmetry::general     ? n * m
               : symmetry_ == Symmetry::symmetric ? n * (n + 1) / 2
                                                  : n * (n - 1) / 2;
    // reserve no more than the file can contain, whatever the size line states: an entry has two
    // characters or more
    const auto room =
        static_cast<std::size_t>(std::min(count_, static_cast<std::int64_t>(text_.size()) / 2));
    matrix_.entries.reserve(symmetry_ == Symmetry::general ? room : 2 * room);
  }

  double number(std::string_view word) const {
    double value = 0.0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + word.starts_with('+'), end, value);
    if (error == std::errc{} && stop == end && std::isfinite(value)) return value;
    const Quantity read = parse_quantity(word, unit::one);  // reports what is wrong
    if (!read.error.empty()) fail(word, read.error, read.hint);
    return read.value;
  }

  void add(int row, int column, double value) {
    matrix_.entries.push_back({row, column, value});
    if (symmetry_ != Symmetry::general && row != column)
      matrix_.entries.push_back({column, row, symmetry_ == Symmetry::skew ? -value : value});
  }

  bool next_entry(std::int64_t read) {
    if (!next_line())
      fail_at_end("ends after " + std::to_string(read) + " of " + announced() + " entries", "");
    return true;
  }

  void coordinates() {
    for (std::int64_t k = 0; k < count_ && next_entry(k); ++k) {
      expect_words(3, "row, column and value");
      const auto row = static_cast<int>(whole(words_[0], 1, matrix_.rows, "row"));
      const auto column = static_cast<int>(whole(words_[1], 1, matrix_.columns, "column"));
      if (symmetry_ == Symmetry::symmetric && column > row)
        fail(words_[0], "an entry above the diagonal",
             "a symmetric file contains only the lower triangle");
      if (symmetry_ == Symmetry::skew && column >= row)
        fail(words_[0], column == row ? "an entry on the diagonal" : "an entry above the diagonal",
             "a skew-symmetric file contains only entries below the diagonal");
      add(row - 1, column - 1, number(words_[2]));
    }
  }

  // Values column by column; for a symmetric matrix from the diagonal down, for a skew-symmetric
  // one from below the diagonal.
  void array() {
    std::int64_t k = 0;
    for (int column = 0; column < matrix_.columns; ++column) {
      const int first = symmetry_ == Symmetry::general     ? 0
                        : symmetry_ == Symmetry::symmetric ? column
                                                           : column + 1;
      for (int row = first; row < matrix_.rows && next_entry(k); ++row, ++k) {
        expect_words(1, "one value per line");
        if (const double value = number(words_[0]); value != 0.0) add(row, column, value);
      }
    }
  }

  std::string_view text_;
  const std::string &name_, &path_;
  std::size_t at_ = 0;
  int line_number_ = 0;
  std::string_view line_;
  std::array<std::string_view, 5> words_;
  std::size_t word_count_ = 0;
  bool coordinate_ = true;
  Symmetry symmetry_ = Symmetry::general;
  std::int64_t count_ = 0;
  MatrixFile matrix_;
};

}  // namespace

MatrixFile read_matrix_market(const std::filesystem::path& file, const std::string& path) {
  return read_matrix_market_text(read_text_file(file, path), file.string(), path);
}

MatrixFile read_matrix_market_text(std::string_view text, const std::string& name,
                                   const std::string& path) {
  return Reader(text, name, path).read();
}

}  // namespace saltus
