// `saltus new NAME`: writes a starter scene.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "saltus/app/app.h"
#include "saltus/base/error.h"
#include "saltus/results/output_file.h"

namespace saltus::app {
namespace {

/// {0}: name of the file, {1}: its stem.
constexpr const char* kStarter = R"(# A plucked string that beats against one fret.
#
#   saltus check {0}
#   saltus run {0}
#   saltus run {0} --set bodies[0].pluck.height="1 mm"
#
# Values are in SI units unless a unit follows. `saltus describe scene` lists all possible entries.
saltus: 1
title: Plucked string on one fret

time:
  end: 500 ms       # end time; the run starts at 0
  rate: 44.1 kHz    # steps per second; or `step:` for the step length

bodies:
  - name: string
    kind: modal                        # described by its modes
    string:
      length: 0.65 m
      tension: 70 N
      linear_density: 1.0 g/m
      inharmonicity: 2e-5              # B in nu_j = j f0 sqrt(1 + B j^2)
      modes: 96                        # the highest has 21.3 kHz, below half the rate
      damping: {{constant: 0.8 1/s}}     # or model: air-viscoelastic, or a table
    scheme: modal-exact                # exact for every mode at any step
    pluck: {{at: 0.16 m, height: 3 mm}}  # pulled into a triangle and released at rest

contacts:
  - on: string
    against:
      frets: [[0.49 m, -0.8 mm]]       # [position along the string, height of the top]
    law: {2}            # no penetration at the end of any step

outputs:
  - {{probe: string, name: pickup, at: 0.6 m, quantity: velocity, wav: {1}.wav}}

results:
  frames: 200                          # frames to store, evenly spaced over the run
)";

}  // namespace

int cmd_new(const NewOptions& options) {
  namespace fs = std::filesystem;
  struct stat status {};
  if (::stat(options.name.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    throw SceneError("", "is a folder", "give the name of a scene, for example my_string")
        .at(options.name, 0, 0);
  fs::path path(options.name);
  if (path.extension() != ".yaml" && path.extension() != ".yml") path += ".yaml";
  const std::string stem = path.stem().string();
  if (path.filename() == path.extension() || stem.starts_with('.') ||
      stem.find_first_of("\\\"'{}[],#:&*!|>%@`\n\t") != std::string::npos)
    throw SceneError("", "'" + options.name + "' is not a valid name for a scene",
                     "use letters, digits, - and _, for example my_string");
  if (::lstat(path.c_str(), &status) == 0)
    throw SceneError("", "already exists and is not overwritten",
                     "choose another name, or remove it first")
        .at(path.string(), 0, 0);
  OutputFile file(path.string());
  file.write(fmt::format(kStarter, path.filename().string(), stem, GapLaw::name));
  file.commit();
  if (options.json)
    std::puts(nlohmann::ordered_json({{"file", path.string()}}).dump(1).c_str());
  else
    std::printf("%s written; next: saltus run %s\n", path.c_str(), path.c_str());
  return kDone;
}

}  // namespace saltus::app
