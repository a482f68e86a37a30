// Chooses the frames and contacts of a run that fit into a page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/results/output_file.h"
#include "saltus/results/replaceable.h"
#include "saltus/view/view_data.h"
#include "saltus/view/view_page.h"

namespace saltus {
namespace {

constexpr std::size_t kFramesWanted = 240;  ///< contacts are reduced first to keep this number
constexpr std::size_t kSampledFrames = 24;

/// Compressed bytes per frame, averaged over evenly chosen frames with at most `most` contacts
/// each.
double compressed_frame(ViewData& view, std::size_t most) {
  view.limit_contacts(most);
  const std::size_t count = std::min(kSampledFrames, view.frames());
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i)
    bytes += view.chunk(count < 2 ? 0 : i * (view.frames() - 1) / (count - 1), 1);
  return static_cast<double>(deflated(bytes).size()) /
         static_cast<double>(std::max<std::size_t>(count, 1));
}

std::uint64_t contacts_of(const ViewData& view) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < view.frames(); ++k) sum += view.contacts(k);
  return sum;
}

/// A stride after which the remaining frames are still more than a page can contain, so that the
/// others need not be read.
std::size_t first_stride(const ResultsReader& results, std::size_t most_bytes) {
  double row = 1.0;  // [bytes], a low estimate
  for (const BodyColumn& body : results.bodies())
    row += body.nodes ? static_cast<double>(body.nodes) : 2.0 * static_cast<double>(body.positions);
  const double stride =
      static_cast<double>(results.frames()) * row / (4.0 * static_cast<double>(most_bytes));
  return static_cast<std::size_t>(std::max(1.0, std::floor(stride)));
}

/// A first choice of frames and contacts. `room`: space for compressed frames [bytes].
struct Choice {
  std::size_t every = 1, most_contacts = std::numeric_limits<std::size_t>::max();
};
Choice first_choice(ViewData& view, double room) {
  Choice choice;
  const std::size_t there = view.frames();
  const auto among = static_cast<double>(there);
  const double bare = compressed_frame(view, 0),
               full = compressed_frame(view, choice.most_contacts);
  const auto wanted = static_cast<double>(std::min(there, kFramesWanted));
  const auto stride = [&](double frames) {
    return static_cast<std::size_t>(std::clamp(std::ceil(among / frames), 1.0, among));
  };
  if (full * wanted <= room || full <= bare) {
    choice.every = stride(room / full);
  } else {
    // reserve a fifth of a frame or more for contacts, and use the space that the wanted frames
    // leave
    const double safe = 0.92 * room;
    choice.every = stride(std::min(wanted, safe / (1.25 * bare)));
    const double frames = std::ceil(among / static_cast<double>(choice.every)) + 1.0,
                 one = (full - bare) * among / static_cast<double>(contacts_of(view));
    choice.most_contacts = static_cast<std::size_t>(std::max((safe / frames - bare) / one, 1.0));
  }
  return choice;
}

}  // namespace

PageReport write_view_page(const ResultsReader& results, const std::string& path,
                           std::size_t most_bytes, std::string_view page) {
  if (page.empty())
    throw RunError("this program was built without the viewer: build it with web/dist/viewer.html");
  expect_replaceable(path, "<!doctype html", "a page");
  ViewOptions options;
  options.quantised = true;
  options.every = first_stride(results, most_bytes);
  options.sound_bytes = most_bytes / 5;
  ViewData view(results, options);

  const auto whole = [&](const std::string& frames) {
    const ViewHeader header = view.header();
    return page_with_view(page, header.json, header.bytes, frames);
  };
  std::string made = whole("");
  const std::size_t fixed = made.size();
  const double room = 0.75 * (static_cast<double>(most_bytes) - static_cast<double>(fixed));
  const auto too_small = [&](std::size_t least) {
    throw SceneError(
        "--size", fmt::format("{:.1f} MB is too small", static_cast<double>(most_bytes) / 1e6),
        fmt::format("static data and two frames need {:.1f} MB", static_cast<double>(least) / 1e6));
  };
  if (room <= 0.0) too_small(fixed);
  if (const std::size_t there = view.frames(); there > 0) {
    const Choice choice = first_choice(view, room);
    std::size_t every = choice.every, most = choice.most_contacts;
    for (int tries = 0;; ++tries) {
      view.limit_contacts(most);
      view.thin(every);
      made = whole(view.chunk(0, view.frames()));
      if (made.size() <= most_bytes) break;
      const double over = static_cast<double>(made.size() - fixed) /
                          (static_cast<double>(most_bytes) - static_cast<double>(fixed));
      if (most != std::numeric_limits<std::size_t>::max() && most > 1 && tries < 3) {
        most = static_cast<std::size_t>(std::max(static_cast<double>(most) * 0.9 / over, 1.0));
        continue;
      }
      if (every >= there) too_small(made.size());
      every =
          std::clamp(static_cast<std::size_t>(std::ceil(static_cast<double>(every) * over * 1.02)),
                     every + 1, std::max(there, every + 1));
    }
  }
  OutputFile out(path);
  out.write(made);
  out.commit();
  return {made.size(),
          view.frames(),
          view.facts().of,
          contacts_of(view),
          view.facts().contacts_left_out,
          view.facts().sounds.size()};
}

}  // namespace saltus
