#include "saltus/base/json_writer.h"

#include <cmath>

#include "saltus/base/control_characters_internal.h"
#include "saltus/base/error.h"
#include "saltus/base/units.h"

namespace saltus {

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (append_control(out, c, "\\u00")) continue;
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

void JsonWriter::break_line(std::size_t depth) {
  const bool flat = indent_ == 0 || (!levels_.empty() && levels_.back().flat);
  if (!flat) out_ += "\n" + std::string(depth * static_cast<std::size_t>(indent_), ' ');
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  const bool flat = indent_ == 0 || levels_.back().flat;
  if (!levels_.back().empty) out_ += flat ? ", " : ",";
  levels_.back().empty = false;
  break_line(levels_.size());
}

void JsonWriter::open(char bracket, bool flat) {
  const bool inside_flat = !levels_.empty() && levels_.back().flat;
  separate();
  out_ += bracket;
  levels_.push_back({bracket, true, flat || inside_flat});
}

void JsonWriter::close(char bracket) {
  expects(!levels_.empty() && !after_key_ && (levels_.back().bracket == '{') == (bracket == '}'),
          "JsonWriter: the closing bracket matches no open one");
  if (!levels_.back().empty) break_line(levels_.size() - 1);
  levels_.pop_back();
  out_ += bracket;
}

void JsonWriter::key(std::string_view name) {
  expects(!levels_.empty() && levels_.back().bracket == '{' && !after_key_,
          "JsonWriter: a key outside a map");
  separate();
  out_ += json_quoted(name) + ": ";
  after_key_ = true;
}

void JsonWriter::number(double value) {
  separate();
  out_ += std::isfinite(value) ? to_text(value) : "null";
}

void JsonWriter::integer(long long value) {
  separate();
  out_ += std::to_string(value);
}

void JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
}

void JsonWriter::text(std::string_view value) {
  separate();
  out_ += json_quoted(value);
}

}  // namespace saltus
