#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "saltus/app/app.h"
#include "saltus/app/convert_fclib.h"
#include "saltus/app/terminal.h"
#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/io/convert.h"

namespace saltus::app {

int cmd_convert(const ConvertOptions& options) {
  constexpr std::array<std::string_view, 6> formats{"wav", "csv", "vtu", "vtp", "xdmf", "fclib"};
  if (std::ranges::find(formats, options.to) == formats.end())
    throw SceneError("--to", "'" + options.to + "' is not a format",
                     did_you_mean(options.to, formats));
  if (options.to != "wav" && !options.probe.empty())
    throw SceneError("--probe", "is for --to wav", "the tables of --to csv hold all probes");
  if (options.to != "csv" && !options.nodes.empty())
    throw SceneError("--nodes", "is for --to csv", "--to vtu and --to xdmf write all nodes");
  if (options.to != "fclib" && options.step != 0)
    throw SceneError("--step", "is for --to fclib", "the other formats write all steps or frames");
  if (options.to == "fclib" && options.step == 0)
    throw SceneError("--to fclib",
                     "results hold what contacts did, not the problems that were solved",
                     "add --step N: the scene is run again up to there; of many steps: `saltus run "
                     "SCENE --dump-contact every:N`");
  const ResultsReader results(options.file);
  const std::string stem = options.output.empty() ? default_stem(options.file) : options.output;
  std::vector<std::string> files;
  if (options.to == "csv") {
    files = options.nodes.empty() ? convert_csv(results, stem)
                                  : convert_nodes(results, stem, options.nodes);
  } else if (options.to == "vtu") {
    files = convert_vtu(results, stem);
  } else if (options.to == "vtp") {
    files = convert_vtp(results, stem);
  } else if (options.to == "xdmf") {
    files = convert_xdmf(results, stem);
  } else if (options.to == "fclib") {
    std::vector<std::string> notes;
    files = convert_fclib(results, stem, options.step, notes);
    for (const std::string& note : notes) warn(note);
  } else {
    for (const WavReport& sound : convert_wav(results, stem, options.probe))
      files.push_back(sound.path);
  }
  if (options.json)
    std::puts(nlohmann::ordered_json({{"files", files}}).dump(1).c_str());
  else
    for (const std::string& file : files) std::puts(file.c_str());
  return kDone;
}

}  // namespace saltus::app
