// `saltus report`: one page with a run in it, which asks nobody for anything.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace saltus {

class ResultsReader;

/// The page of the viewer as it was when the library was built (web/dist/viewer.html); empty: it
/// was built without.
std::string_view viewer_page();

/// The page with the three parts of a view where it has the comment "<!--saltus-data-->". Throws
/// UsageError unless it has one. `bytes` and `frames` are compressed here.
std::string page_with_view(std::string_view page, std::string_view header_json,
                           std::string_view bytes, std::string_view frames);

std::string deflated(std::string_view bytes);  ///< a zlib stream

struct PageReport {
  std::size_t bytes = 0;  ///< of the page
  std::size_t frames = 0, of = 0;
  std::uint64_t contacts = 0, contacts_left_out = 0;
  std::size_t sounds = 0;
};

/// Writes the page of a run with at most `most_bytes`, through a `.part`. What does not fit is left
/// out evenly: of contacts those with the smallest forces, so that some hundred frames have room;
/// then frames. Throws SceneError where even two frames do not fit, and as OutputFile; RunError:
/// disk full, built without the viewer.
PageReport write_view_page(const ResultsReader& results, const std::string& path,
                           std::size_t most_bytes, std::string_view page = viewer_page());

/// "25MB", "800 kB", "1.5 GB", "24 MiB": bytes. Throws SceneError naming `option`: no number > 0,
/// another unit, none.
std::size_t bytes_of_size(const std::string& option, std::string_view text);

}  // namespace saltus
