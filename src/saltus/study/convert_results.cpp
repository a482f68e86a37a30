#include "saltus/study/convert_results.h"

#include <algorithm>
#include <array>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/convert/convert.h"
#include "saltus/phases/state_file.h"
#include "saltus/study/convert_fclib.h"

namespace saltus {

void check_request(const ConvertRequest& request) {
  constexpr std::array<std::string_view, 7> formats{"wav",  "csv",   "vtu",  "vtp",
                                                    "xdmf", "fclib", "state"};
  if (std::ranges::find(formats, request.to) == formats.end())
    throw SceneError("--to", "'" + request.to + "' is not a format",
                     did_you_mean(request.to, formats));
  if (request.to != "wav" && !request.probe.empty())
    throw SceneError("--probe", "applies to --to wav only",
                     "the tables of --to csv contain all probes");
  if (request.to != "csv" && !request.nodes.empty())
    throw SceneError("--nodes", "applies to --to csv only",
                     "--to vtu and --to xdmf write all nodes");
  if (request.to != "fclib" && request.step != 0)
    throw SceneError("--step", "applies to --to fclib only",
                     "the other formats write all steps or frames");
  if (request.to != "state" && (request.frame || request.time))
    throw SceneError(request.frame ? "--frame" : "--time", "applies to --to state only",
                     "the other formats write all steps or frames");
  if (request.frame && request.time)
    throw SceneError("--frame", "and --time both choose the frame", "give one of them");
  if (request.to == "fclib" && request.step == 0)
    throw SceneError("--to fclib", "results do not store the contact problems that were solved",
                     "add --step N to run the scene again up to that step; for many steps use "
                     "`saltus run SCENE --dump-contact every:N`");
}

std::vector<std::string> convert_results(const ResultsReader& results,
                                         const ConvertRequest& request,
                                         std::vector<std::string>& notes) {
  check_request(request);
  const std::string stem = request.output.empty() ? default_stem(results.file()) : request.output;
  if (request.to == "csv")
    return request.nodes.empty() ? convert_csv(results, stem)
                                 : convert_nodes(results, stem, request.nodes);
  if (request.to == "vtu") return convert_vtu(results, stem);
  if (request.to == "vtp") return convert_vtp(results, stem);
  if (request.to == "xdmf") return convert_xdmf(results, stem);
  if (request.to == "state") {
    const std::string file = stem + (stem.ends_with(".state.h5") ? "" : ".state.h5");
    write_state(file, state_in(results, {request.frame, request.time}, "--"), results.file());
    return {file};
  }
  if (request.to == "fclib") return convert_fclib(results, stem, request.step, notes);
  std::vector<std::string> files;
  for (const WavReport& sound : convert_wav(results, stem, request.probe))
    files.push_back(sound.path);
  return files;
}

}  // namespace saltus
