#include "saltus/study/scene_setup.h"

#include <fmt/format.h>

#include "saltus/base/units.h"
#include "saltus/exchange/file_names.h"
#include "saltus/exchange/wav.h"
#include "saltus/phases/build_run.h"
#include "saltus/results/layout.h"
#include "saltus/scene/scene_faults.h"
#include "saltus/scene_file/scene_yaml.h"

namespace saltus {
namespace {

void set_end(Scene& scene, const std::string& until) {
  if (scene.spec.time.is_static())
    throw SceneError(
        "--until", "would move the time at which the loads of statics have their full value",
        "`--set time.end=` for other loads; a table of time for loads that stop early");
  const Quantity end = parse_quantity(until, unit::s);
  if (!end.error.empty()) throw SceneError("--until", end.error, end.hint);
  if (!(end.value > 0.0))
    throw SceneError("--until", "'" + until + "' is not an end time", "must be > 0");
  scene.spec.time.end = end.value;
  scene.places["time.end"] = {"--until " + until, 0, 0};
  try {
    check(scene.spec);
  } catch (const SceneError& error) {
    rethrow_placed(error, scene);
  }
}

void check_output(const Scene& scene, std::size_t i) {
  const SceneSpec& spec = scene.spec;
  const OutputSpec& output = spec.outputs[i];
  for (const auto& [name, file] : {std::pair{"wav", &output.wav}, std::pair{"csv", &output.csv}}) {
    if (!*file) continue;
    const std::string path = fmt::format("outputs[{}].{}", i, name);
    if (!spec.results.every_step)
      throw SceneError(path, "requires the samples of every step, but results.every_step is false",
                       "set results.every_step: true, or remove the file");
  }
  if (!output.wav) return;
  try {
    wav_rate(1.0 / spec.time.h());
  } catch (const SceneError& error) {
    throw SceneError(fmt::format("outputs[{}].wav", i), error.message(), error.hint());
  }
}

/// Checks files of outputs; `faults` holds the errors found in entries of the scene.
void check_files(const Scene& scene, Faults& faults) {
  if (!faults.all_known("time") || !faults.all_known("results")) return;
  for (std::size_t i = 0; i < scene.spec.outputs.size(); ++i) {
    const std::string path = fmt::format("outputs[{}]", i);
    if (faults.all_known(path)) faults.attempt(path, [&] { check_output(scene, i); });
  }
  if (faults.all_known("outputs")) faults.attempt("outputs", [&] { check_file_names(scene, ""); });
}

/// Throws all errors of a scene, in addition to those already found.
void throw_faults(const Scene& scene, Faults& faults) {
  find_faults(scene, faults);
  check_files(scene, faults);
  throw_placed(faults, scene);
}

/// What make() builds; if it throws, all faults of the scene.
template <class Make>
auto checked(const Scene& scene, const Make& make) {
  Faults faults;
  try {
    auto made = make(scene);
    check_files(scene, faults);
    throw_placed(faults, scene);
    return made;
  } catch (const SceneError&) {
    if (!faults.any()) throw_faults(scene, faults);
    throw;
  }
}

SceneSetup checked_setup(Scene scene) {
  if (scene.spec.phases) {
    auto phases = std::make_shared<const PhaseModels>(checked(scene, phase_models));
    const PhaseModel &first = phases->phases.front(), &last = phases->phases[phases->reached - 1];
    return {std::move(scene), first.model, last.phase.last, nullptr, phases};
  }
  Model model = checked(scene, build_run);
  const std::uint64_t steps = static_cast<std::uint64_t>(step_count(scene.spec.time));
  return {std::move(scene), std::move(model), steps, nullptr, nullptr};
}

}  // namespace

std::size_t row_width(const Model& model) {
  return layout::step_width(model.options()) + model.accounts().size() + model.probes().size();
}

SceneSetup set_up(const std::string& file, std::span<const std::string> assignments,
                  const std::string& until) {
  Faults faults;
  Scene scene = read_scene(file, assignments, faults);
  if (faults.any()) throw_faults(scene, faults);
  return set_up(std::move(scene), until);
}

SceneSetup set_up(Scene scene, const std::string& until) {
  if (!until.empty()) set_end(scene, until);
  if (scene.spec.time.automatic()) {
    const double tolerance = scene.spec.time.tolerance.value_or(AutoOptions{}.tolerance);
    return set_up_next(
        std::make_shared<AutoSearch>(std::move(scene), AutoOptions{.tolerance = tolerance}));
  }
  return checked_setup(std::move(scene));
}

SceneSetup set_up_next(std::shared_ptr<AutoSearch> search) {
  SceneSetup setup = checked_setup(search->scene());
  setup.search = std::move(search);
  return setup;
}

}  // namespace saltus
