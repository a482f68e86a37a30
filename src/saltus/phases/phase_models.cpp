#include "saltus/phases/phase_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/faults.h"
#include "saltus/phases/build_run.h"
#include "saltus/results/layout.h"
#include "saltus/scene/build.h"
#include "saltus/sim/all_dofs.h"
#include "saltus/sim/step_in_work.h"

namespace saltus {
namespace {

Model model_of_phase(const PhaseScene& phase, const Scene& scene) {
  try {
    return phase.first == 0 && phase.reached ? build_run(phase.scene) : build_placed(phase.scene);
  } catch (const SceneError& error) {
    Faults faults;
    for (const SceneError& one : all_faults(error))
      faults.add(SceneError(phase.path,
                            fmt::format("in phase '{}' {}{}{}", phase.name, one.path(),
                                        one.path().empty() ? "" : ": ", one.message()),
                            one.hint()),
                 phase.path);
    throw_placed(faults, scene);
    throw;  // not reached
  }
}

/// Whether all entries of two lists agree in what `same` compares.
bool alike(const auto& a, const auto& b, const auto& same) {
  return std::ranges::equal(a, b, same);
}

/// Results have one table for each body, joint and output over all phases.
void expect_alike(const Model& a, const Model& b, const PhaseScene& phase) {
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    throw SceneError(phase.path,
                     fmt::format("'{}' has other {} than the first phase", phase.name, what), hint);
  };
  if (!alike(a.groups(), b.groups(), [](const Group& x, const Group& y) {
        return x.name == y.name && x.kind == y.kind && x.bodies == y.bodies &&
               (x.dynamics->velocities() == 0) == (y.dynamics->velocities() == 0);
      }))
    refuse("moving bodies, or groups of them",
           "phases keep which bodies move, and which of them have equal schemes, gravity and drag");
  if (!alike(a.joints(), b.joints(),
             [](const Joint& x, const Joint& y) { return x.name == y.name && x.kind == y.kind; }))
    refuse("joints", "phases may change springs, stops, motors, servos and drives of joints");
  if (!alike(a.probes(), b.probes(), [](const Probe& x, const Probe& y) {
        return x.name == y.name && x.quantity == y.quantity;
      }))
    refuse("outputs", "outputs that exist in all phases");
  if (!alike(a.pairs(), b.pairs(), [](const ContactPair& x, const ContactPair& y) {
        return x.key == y.key && x.a.group == y.a.group && x.b.group == y.b.group &&
               x.a.ref.feature == y.a.ref.feature && x.normal == y.normal &&
               x.tangents == y.tangents;
      }))
    refuse("pairs of contact points",
           "phases may change laws of contacts, not their points, nor whether there is friction");
  for (const Probe& probe : b.probes())
    if (!probe.wav.empty() && a.options().h != b.options().h)
      refuse("steps", "a sound (outputs: wav) needs the same step in all phases");
}

/// The degrees of freedom that are part of q.
std::vector<int> free_of(const Dynamics& body) {
  std::vector<int> free;
  if (const auto all = all_dofs(body))
    for (int dof = 0; dof < all->count(); ++dof) free.push_back(all->free_index(dof));
  return free;
}

PhasedResults results_of(const std::vector<PhaseModel>& phases) {
  PhasedResults results;
  const Model& first = phases.front().model;
  constexpr std::size_t kAtEnd = 2;  // those of the schemes and of what is unexplained
  for (const PhaseModel& one : phases)
    for (const std::string& account :
         one.model.accounts().first(one.model.accounts().size() - kAtEnd))
      if (std::ranges::find(results.accounts, account) == results.accounts.end())
        results.accounts.push_back(account);
  results.accounts.emplace_back(PhasedResults::kPhases);
  for (const std::string& account : first.accounts().last(kAtEnd))
    results.accounts.push_back(account);
  for (std::size_t g = 0; g < first.groups().size(); ++g) {
    const std::vector<int> free = free_of(*first.groups()[g].dynamics);
    results.whole.push_back(std::ranges::any_of(phases, [&](const PhaseModel& one) {
      return free_of(*one.model.groups()[g].dynamics) != free;
    }));
  }
  for (const PhaseModel& one : phases) {
    results.substeps = results.substeps || layout::has_substeps(one.model.options());
    results.events = results.events || one.model.options().mode == TimeMode::events;
  }
  return results;
}

/// Lines of `now` that are not among `known`.
std::vector<std::string> new_lines(std::span<const std::string> now,
                                   std::span<const std::string> known) {
  std::vector<std::string> lines;
  std::ranges::copy_if(now, std::back_inserter(lines), [&](const std::string& line) {
    return std::ranges::find(known, line) == known.end();
  });
  return lines;
}

}  // namespace

PhaseModels phase_models(const Scene& scene) {
  PhaseModels models;
  for (PhaseScene& phase : phase_scenes(scene)) {
    Model model = model_of_phase(phase, scene);
    if (!models.phases.empty()) {
      const Model& first = models.phases.front().model;
      try {
        expect_alike(first, model, phase);
      } catch (const SceneError& error) {
        rethrow_placed(error, scene);
      }
      for (const std::string& line : new_lines(model.warnings(), first.warnings()))
        models.notes.push_back(fmt::format("{}: in phase '{}' {}", phase.path, phase.name, line));
    }
    if (phase.reached)
      ++models.reached;
    else
      models.notes.push_back(
          fmt::format("{}: '{}' would begin at {:.9g} s, the run ends at {:.9g} s: it is not run",
                      phase.path, phase.name, phase.from, scene.spec.time.end));
    models.phases.push_back({std::move(phase), std::move(model)});
  }
  if (!models.phases.empty()) models.results = results_of(models.phases);
  return models;
}

State next_phase(const Simulation& before, const PhaseModel& next, const std::string& former,
                 const PhaseLedger& ledger, std::vector<std::string>& notes) {
  const State& last = before.state();
  const StartWords words{next.phase.path, "phase '" + former + "'", true};
  const Model placed = started(next.model, whole_state(before), last.t, words);
  for (std::string& line : new_lines(placed.warnings(), next.model.warnings()))
    notes.push_back(std::move(line));
  State state = state_at(placed, last.t, last.step);
  for (const BrokenJoint& one : last.broken) state.broken.push_back(one);
  state.energy = energy_of(placed, state);
  state.energy_start = last.energy_start + (state.energy.total() - last.energy.total());
  for (std::size_t i = 0; i < state.ledger.size(); ++i)
    state.ledger[i] = ledger.of(placed.accounts()[i]);
  return state;
}

PhaseLedger::PhaseLedger(const PhaseModels& models, std::span<const double> numbers)
    : accounts_(models.results.accounts),
      work_(numbers.begin() + 2, numbers.end()),
      start_(numbers[1]) {}

void PhaseLedger::add(const Model& model, const State& state) {
  for (std::size_t i = 0; i < state.ledger.size(); ++i) {
    const auto at = std::ranges::find(accounts_, model.accounts()[i]);
    work_[static_cast<std::size_t>(at - accounts_.begin())] = state.ledger[i];
  }
  const auto changes = std::ranges::find(accounts_, PhasedResults::kPhases);
  work_[static_cast<std::size_t>(changes - accounts_.begin())] = state.energy_start - start_;
}

double PhaseLedger::of(const std::string& account) const {
  const auto at = std::ranges::find(accounts_, account);
  return at == accounts_.end() ? 0.0 : work_[static_cast<std::size_t>(at - accounts_.begin())];
}

std::vector<double> PhaseLedger::numbers(std::size_t phase) const {
  std::vector<double> all{static_cast<double>(phase), start_};
  all.insert(all.end(), work_.begin(), work_.end());
  return all;
}

std::size_t PhaseLedger::phase_in(std::span<const double> numbers, const PhaseModels& models,
                                  const std::string& file) {
  const auto count = static_cast<double>(models.reached);
  if (numbers.size() != models.results.accounts.size() + 2 || !(numbers[0] >= 0.0) ||
      !(numbers[0] < count) || numbers[0] != std::floor(numbers[0]))
    throw SceneError("", "its newest checkpoint belongs to no phase of the scene",
                     "run the scene from the start, without --resume")
        .at(file, 0, 0);
  return static_cast<std::size_t>(numbers[0]);
}

}  // namespace saltus
