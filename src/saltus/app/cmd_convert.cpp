#include <cstdio>
#include <nlohmann/json.hpp>

#include "saltus/app/app.h"
#include "saltus/app/terminal.h"
#include "saltus/app/unfinished.h"
#include "saltus/base/units.h"
#include "saltus/study/convert_results.h"

namespace saltus::app {

int cmd_convert(const ConvertOptions& options) {
  ConvertRequest request{options.to,   options.output, options.probe, options.nodes,
                         options.step, options.frame,  std::nullopt};
  if (!options.time.empty()) {
    const Quantity time = parse_quantity(options.time, unit::s);
    if (!time.error.empty()) throw SceneError("--time", time.error, time.hint);
    request.time = time.value;
  }
  check_request(request);
  std::vector<std::string> notes;
  const std::vector<std::string> files = read_settled([&] {
    notes.clear();
    return convert_results(ResultsReader(options.file), request, notes);
  });
  warn_if_unfinished(options.file);
  for (const std::string& note : notes) warn(note);
  if (options.json)
    std::puts(nlohmann::ordered_json({{"files", files}}).dump(1).c_str());
  else
    for (const std::string& file : files) std::puts(file.c_str());
  return kDone;
}

}  // namespace saltus::app
