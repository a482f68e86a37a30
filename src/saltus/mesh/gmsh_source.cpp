#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/mesh/gmsh_internal.h"
#include "saltus/shapes/geometry.h"

namespace saltus::gmsh {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return text.substr(0, 0);
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// A word with printable characters only, for messages.
std::string shown(std::string_view word) {
  std::string text;
  for (char c : word.substr(0, 40)) text += c >= ' ' && c <= '~' ? c : '?';
  return text;
}

}  // namespace

void fail(const Origin& origin, Place at, const std::string& message, const std::string& hint) {
  if (origin.binary)
    throw SceneError(origin.path, fmt::format("byte {}: {}", at, message), hint)
        .at(origin.name, 0, 0);
  throw SceneError(origin.path, message, hint).at(origin.name, static_cast<int>(at), 0);
}

bool Source::next_line() {
  line_ = rest_ = {};
  while (line_.empty() && at_ < bytes_.size()) {
    const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
    word_at_ = at_;
    line_ = trimmed(bytes_.substr(at_, end - at_));
    at_ = std::min(end + 1, bytes_.size());
    ++line_number_;
  }
  rest_ = line_;
  return !line_.empty();
}

std::string_view Source::line(std::string_view wanted) {
  if (!next_line()) {
    word_at_ = bytes_.size();
    fail(fmt::format("the file ends where {} should be", wanted), "the file is cut off");
  }
  return line_;
}

void Source::record(std::string_view wanted) {
  if (binary())
    word_at_ = at_;
  else
    line(wanted);
}

std::string_view Source::word(std::string_view what) {
  const std::size_t first = rest_.find_first_not_of(kBlanks);
  if (first == rest_.npos) fail(fmt::format("the line ends where {} should be", what));
  rest_.remove_prefix(first);
  const std::string_view word = rest_.substr(0, rest_.find_first_of(kBlanks));
  rest_.remove_prefix(word.size());
  return word;
}

template <class T>
T Source::raw(std::string_view what) {
  word_at_ = at_;
  if (bytes_.size() - at_ < sizeof(T))
    fail(fmt::format("the file ends where {} should be", what), "the file is cut off");
  T value;
  std::memcpy(&value, bytes_.data() + at_, sizeof(T));
  at_ += sizeof(T);
  return value;
}

namespace {

template <class T>
bool parse(std::string_view word, T& value) {
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + word.starts_with('+'), end, value);
  return error == std::errc{} && stop == end;
}

}  // namespace

int Source::integer(std::string_view what) {
  if (binary()) return raw<std::int32_t>(what);
  const std::string_view text = word(what);
  int value = 0;
  if (!parse(text, value))
    fail(fmt::format("'{}' is not a whole number", shown(text)), fmt::format("{}", what));
  return value;
}

Tag Source::count(std::string_view what) {
  if (binary()) {
    const std::uint64_t value = size_ == 4 ? raw<std::uint32_t>(what) : raw<std::uint64_t>(what);
    if (value > static_cast<std::uint64_t>(std::numeric_limits<Tag>::max()))
      fail(fmt::format("{} is {}", what, value), "at most 2^63 - 1");
    return static_cast<Tag>(value);
  }
  const std::string_view text = word(what);
  Tag value = 0;
  if (!parse(text, value) || value < 0)
    fail(fmt::format("'{}' is not a whole number >= 0", shown(text)), fmt::format("{}", what));
  return value;
}

Tag Source::whole(std::string_view what) { return version_2 ? integer(what) : count(what); }

double Source::real(std::string_view what) {
  double value = 0.0;
  if (binary()) {
    value = raw<double>(what);
    if (!std::isfinite(value)) fail(fmt::format("{} is not finite", what), "finite numbers");
    return value;
  }
  const std::string_view text = word(what);
  if (!parse(text, value) || !std::isfinite(value))
    fail(fmt::format("'{}' is not a finite number", shown(text)), fmt::format("{}", what));
  return value;
}

double Source::coordinate(std::string_view what) {
  const double value = real(what);
  if (std::abs(value) > kLongestLength)
    fail(fmt::format("the coordinate {} is too large", value),
         fmt::format("at most {}", kLongestLength));
  return value;
}

void Source::done() {
  if (binary()) return;
  const std::string_view more = trimmed(rest_);
  if (!more.empty())
    fail(fmt::format("the line has the extra words '{}'", shown(more)), "write one entry per line");
}

std::size_t Source::left() {
  std::size_t words = 0;
  for (std::size_t at = rest_.find_first_not_of(kBlanks); at != rest_.npos; ++words)
    at = rest_.find_first_not_of(kBlanks, std::min(rest_.find_first_of(kBlanks, at), rest_.size()));
  return words;
}

Tag Source::bounded(Tag count, std::size_t bytes, std::string_view what) {
  const std::size_t most = (bytes_.size() - at_) / bytes + (binary() ? 0 : 1);
  if (static_cast<std::uint64_t>(count) > most || count > std::numeric_limits<int>::max())
    fail(fmt::format("{} {} do not fit into the {} bytes that follow", count, what,
                     bytes_.size() - at_),
         "the file is cut off, or the number is wrong");
  return count;
}

void Source::skip(std::string_view name) {
  const std::string end = fmt::format("$End{}", name);
  const Place begin = binary() ? word_at_ : line_number_;
  for (;;) {
    // lines may contain anything; "$End" must begin a line
    const std::size_t found = bytes_.find(end, at_);
    if (found == bytes_.npos)
      gmsh::fail(origin_, begin, fmt::format("the section ${} does not end", name),
                 fmt::format("{}; the file is cut off", end));
    for (std::size_t i = at_; i < found; ++i) line_number_ += bytes_[i] == '\n';
    at_ = found;
    const bool first = found == 0 || bytes_[found - 1] == '\n';
    next_line();
    if (first && line_ == end) return;
  }
}

}  // namespace saltus::gmsh
