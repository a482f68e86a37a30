// `saltus report`: writes a run as one self-contained page, which needs no server or network.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace saltus {

class ResultsReader;

/// The page of the viewer from when the library was built (web/dist/viewer.html); empty if it was
/// built without the viewer.
std::string_view viewer_page();

/// Inserts the three parts of a view at the comment "<!--saltus-data-->" of the page. Throws
/// UsageError unless there is exactly one. `bytes` and `frames` are compressed here.
std::string page_with_view(std::string_view page, std::string_view header_json,
                           std::string_view bytes, std::string_view frames);

std::string deflated(std::string_view bytes);  ///< a zlib stream

struct PageReport {
  std::size_t bytes = 0;  ///< size of the page
  std::size_t frames = 0, of = 0;
  std::uint64_t contacts = 0, contacts_left_out = 0;
  std::size_t sounds = 0;
};

/// Writes the page of a run with at most `most_bytes`, through a `.part` file. If the data are too
/// large, they are reduced evenly: first the contacts with the smallest forces, until some hundred
/// frames fit; then frames. Throws SceneError if even two frames do not fit, and as OutputFile;
/// RunError for a full disk or a build without the viewer.
PageReport write_view_page(const ResultsReader& results, const std::string& path,
                           std::size_t most_bytes, std::string_view page = viewer_page());

/// "25MB", "800 kB", "1.5 GB", "24 MiB" as a number of bytes. Throws SceneError with `option`: not
/// a number > 0, or an unknown or missing unit.
std::size_t bytes_of_size(const std::string& option, std::string_view text);

}  // namespace saltus
