#include "saltus/results/replaceable.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr std::size_t kHeadOfFile = 4096;  // read to identify a file [bytes]

}  // namespace

void expect_replaceable(const std::string& path, std::string_view what,
                        const std::function<bool(std::string_view)>& is_ours) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return;
  std::ifstream file(path, std::ios::binary);
  if (!file) return;  // opening it for writing reports the reason
  std::string head(kHeadOfFile, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (!is_ours(head))
    throw SceneError("", fmt::format("exists and is not {}: it would be lost", what),
                     "use another name, or move the file")
        .at(path, 0, 0);
}

void expect_replaceable(const std::string& path, std::string_view mark, std::string_view what) {
  constexpr std::size_t kBlock = 512;  // results files begin with a block of this size
  expect_replaceable(path, what, [&](std::string_view head) {
    const auto marked = [&](std::size_t at) {
      return head.size() >= at + mark.size() &&
             std::equal(mark.begin(), mark.end(), head.begin() + static_cast<std::ptrdiff_t>(at),
                        [](unsigned char x, unsigned char y) {
                          return std::tolower(x) == std::tolower(y);
                        });
    };
    return marked(0) || marked(kBlock);
  });
}

}  // namespace saltus
