// The header of a view (JSON) and its static bytes: docs/reference/view_data.md.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "saltus/view/view_frames.h"
#include "saltus/view/view_plots.h"
#include "saltus/view/view_sounds.h"

namespace saltus {

/// Contents of a header besides scene and tracks.
struct ViewFacts {
  std::string title, file;
  bool live = false, finished = false;
  std::vector<double> times;         ///< times of the frames [s]
  std::vector<std::uint32_t> steps;  ///< step numbers of the frames
  std::size_t every = 1, of = 0;     ///< every n-th of `of` frames, and the last
  std::uint64_t contacts_left_out = 0;
  std::vector<ViewPlot> plots;
  std::vector<ViewSound> sounds;
  std::optional<std::array<double, 3>> gravity;  ///< [m/s^2]
  std::string summary;                           ///< JSON, "" if there is none
  std::vector<std::pair<std::string, std::string>> provenance;
  std::vector<std::string> cite;
  std::string controls;  ///< JSON list, "" if there is none
};

struct ViewHeader {
  std::string json, bytes;
};
ViewHeader view_header(const ViewScene& scene, const ViewTracks& tracks, const ViewFacts& facts);

/// All facts of a results file except frames and their times; sounds use at most `sound_bytes`.
ViewFacts view_facts(const ResultsReader& results, std::size_t sound_bytes);

}  // namespace saltus
