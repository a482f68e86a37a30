#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "saltus/app/app.h"
#include "saltus/app/unfinished.h"
#include "saltus/base/error.h"
#include "saltus/convert/convert.h"
#include "saltus/view/view_page.h"

namespace saltus::app {

int cmd_report(const ReportOptions& options) {
  const std::size_t size = bytes_of_size("--size", options.size);
  const std::string path =
      options.output.empty() ? default_stem(options.file) + ".html" : options.output;
  std::error_code ignored;
  if (std::filesystem::equivalent(path, options.file, ignored))
    throw SceneError("--output", "is the input file", "choose another name").at(path, 0, 0);
  const PageReport page =
      read_settled([&] { return write_view_page(ResultsReader(options.file), path, size); });
  warn_if_unfinished(options.file);
  if (options.json) {
    const nlohmann::ordered_json json{
        {"file", path},
        {"bytes", page.bytes},
        {"frames", page.frames},
        {"of", page.of},
        {"contacts", page.contacts - page.contacts_left_out},
        {"contacts_left_out", page.contacts_left_out},
        {"sounds", page.sounds},
    };
    std::puts(json.dump(1).c_str());
    return kDone;
  }
  std::string text = fmt::format("{}  {:.1f} MB, ", path, static_cast<double>(page.bytes) / 1e6);
  text += page.frames == page.of ? fmt::format("all {} frames", page.of)
                                 : fmt::format("{} of {} frames", page.frames, page.of);
  if (page.contacts_left_out)
    text += fmt::format(", without the {} weakest of {} contacts", page.contacts_left_out,
                        page.contacts);
  std::puts(text.c_str());
  return kDone;
}

}  // namespace saltus::app
