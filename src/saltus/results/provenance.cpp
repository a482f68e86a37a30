#include "saltus/results/provenance.h"

#include <tbb/task_arena.h>

#include <array>
#include <ctime>
#include <fstream>
#include <string_view>

#include "saltus/version.h"

namespace saltus {
namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

/// Quotes an argument for a shell.
std::string quoted(std::string_view argument) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string_view::npos)
    return std::string(argument);
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

Provenance provenance_now(int count, const char* const* arguments) {
  Provenance result;
  result.version = version();
  result.commit = commit();
  result.compiler = compiler();
  result.flags = flags();
  for (int i = 0; i < count; ++i) result.command_line += (i ? " " : "") + quoted(arguments[i]);
  result.cpu = cpu_model();
  result.start_time = utc_now();
  result.threads = tbb::this_task_arena::max_concurrency();
  return result;
}

}  // namespace saltus
