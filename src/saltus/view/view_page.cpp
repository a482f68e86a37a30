#include "saltus/view/view_page.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/exchange/vtk_file.h"
#include "saltus/results/output_file.h"

namespace saltus {
namespace {

constexpr std::string_view kDataMark = "<!--saltus-data-->";

/// Escapes JSON so that no HTML parser finds the end of its element in it: "<" occurs only inside
/// texts.
std::string json_for_html(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

}  // namespace

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const int code =
      compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 6);
  if (code != Z_OK) throw RunError("zlib cannot compress: error " + std::to_string(code));
  out.resize(size);
  return out;
}

std::string page_with_view(std::string_view page, std::string_view header_json,
                           std::string_view bytes, std::string_view frames) {
  const std::size_t at = page.find(kDataMark);
  expects(at != std::string_view::npos && page.find(kDataMark, at + 1) == std::string_view::npos,
          "page_with_view: a page must have exactly one comment <!--saltus-data-->");
  std::string out(page.substr(0, at));
  out += "<script type=\"application/json\" id=\"saltus-header\">" + json_for_html(header_json) +
         "</script>\n";
  for (const auto& [name, part] : {std::pair("saltus-static", bytes), {"saltus-frames", frames}}) {
    out += fmt::format("<script type=\"application/octet-stream\" id=\"{}\">", name);
    out += base64(deflated(part));
    out += "</script>\n";
  }
  out += page.substr(at + kDataMark.size());
  return out;
}

std::size_t bytes_of_size(const std::string& option, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> kUnits{
      {{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}}};
  double value = 0.0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const std::string hint = "a number with kB, MB, GB, KiB, MiB or GiB: 25MB";
  if (error != std::errc{} || !std::isfinite(value) || value <= 0.0)
    throw SceneError(option, "'" + std::string(text) + "' is not a size", hint);
  for (const auto& [name, factor] : kUnits)
    if (unit == name && value * factor < 0x1p62) return static_cast<std::size_t>(value * factor);
  throw SceneError(option,
                   unit.empty() ? "'" + std::string(text) + "' has no unit"
                                : "'" + std::string(unit) + "' is not a unit of size",
                   hint);
}

}  // namespace saltus
