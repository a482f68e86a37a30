#include "saltus/app/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace saltus::app {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kLine = std::chrono::seconds(1);

/// Removes line breaks, so that a message stays one line whatever a file or a name contains.
std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::size_t columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80u;
}

/// A line in fixed storage; text that does not fit is cut.
class Line {
 public:
  template <typename... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    const std::size_t room = text_.size() - size_;
    const auto result =
        fmt::format_to_n(text_.data() + size_, room, format, std::forward<T>(values)...);
    size_ += std::min(result.size, room);
  }
  void add_duration(double seconds) {
    const auto whole = static_cast<long long>(seconds + 0.5);
    if (whole < 60)
      add("{} s", whole);
    else if (whole < 3600)
      add("{}:{:02}", whole / 60, whole % 60);
    else
      add("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 512> text_;
  std::size_t size_ = 0;
};

}  // namespace

void warn(std::string_view text) { complain("warning: " + std::string(text)); }

void complain(std::string_view text) {
  const std::string line = "saltus: " + one_line(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1.0) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 99.95) return fmt::format("{:.3g} s", seconds);
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

Progress::Progress(bool quiet) : start_(Clock::now()) {
  const char* kind = std::getenv("TERM");
  terminal_ = ::isatty(STDERR_FILENO) == 1 && kind && std::string_view(kind) != "dumb";
  next_ = quiet ? Clock::time_point::max()
                : start_ + (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kLine));
}

Progress::~Progress() { clear(); }

void Progress::show(Clock::time_point now, const ProgressValues& v) {
  next_ = now + (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kLine));
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double rate = elapsed > 0.0 ? static_cast<double>(v.step - v.first) / elapsed : 0.0;
  const double part = v.last > 0 ? static_cast<double>(v.step) / static_cast<double>(v.last) : 1.0;
  Line line;
  line.add("{:3.0f} %  t {:.4g}/{:.4g} s  ", 100.0 * part, v.t, v.end);
  if (rate >= 1e4)
    line.add("{:.0f}k steps/s", 1e-3 * rate);
  else
    line.add("{:.3g} steps/s", rate);
  if (rate > 0.0) {
    line.add("  ETA ");
    line.add_duration(static_cast<double>(v.last - v.step) / rate);
  }
  line.add("  contacts {}  residual {:.1e}", v.contacts, v.residual);
  const std::string_view text = line.text();
  if (terminal_) {
    const std::size_t room = columns() - 1;
    const std::size_t bar =
        text.size() + 8 > room ? 0 : std::min<std::size_t>(20, room - text.size() - 3);
    Line whole;
    if (bar > 0) {  // the bar fills the space that the numbers leave
      const auto full = static_cast<std::size_t>(part * static_cast<double>(bar));
      whole.add("[{:=<{}}{: <{}}] ", "", full, "", bar - full);
    }
    whole.add("{}", text);
    const std::string_view drawn = whole.text().substr(0, room);
    std::fputs("\r", stderr);
    std::fwrite(drawn.data(), 1, drawn.size(), stderr);
    std::fputs("\033[K", stderr);
    std::fflush(stderr);
    drawn_ = true;
  } else {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fputc('\n', stderr);
  }
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace saltus::app
