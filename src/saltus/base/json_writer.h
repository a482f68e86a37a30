// JSON text, written piece by piece. Numbers have the fewest digits that read back to the same
// double.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

class JsonWriter {
 public:
  /// `indent` blanks per level, 0 for one line.
  explicit JsonWriter(int indent = 2) : indent_(indent) {}

  void begin_map() { open('{'); }
  void end_map() { close('}'); }
  /// `flat`: on one line, including nested values.
  void begin_list(bool flat = false) { open('[', flat); }
  void end_list() { close(']'); }
  void key(std::string_view name);
  void number(double value);  ///< null if it is not finite: JSON has no such number
  void integer(long long value);
  void boolean(bool value);
  void text(std::string_view value);

  const std::string& str() const { return out_; }

 private:
  struct Level {
    char bracket;
    bool empty = true;
    bool flat = false;
  };
  void separate();
  void break_line(std::size_t depth);
  void open(char bracket, bool flat = false);
  void close(char bracket);

  int indent_;
  bool after_key_ = false;
  std::vector<Level> levels_;
  std::string out_;
};

/// Text in quotes with JSON escapes.
std::string json_quoted(std::string_view text);

}  // namespace saltus
