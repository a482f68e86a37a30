// The models of the phases of a run, and the change from one to the next.
//
// A change of phase does no work: positions and velocities stay, but for velocities that new holds
// take away. What it changes of the energy (the potential of other loads or gravity, the kinetic
// energy of what is held from then on) is in the account "phases" of the results.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/phases/whole_state.h"
#include "saltus/results/results.h"
#include "saltus/scene_file/phase_scenes.h"
#include "saltus/sim/simulation.h"

namespace saltus {

struct PhaseModel {
  PhaseScene phase;
  Model model;
};

struct PhaseModels {
  std::vector<PhaseModel> phases;  ///< all of the scene; empty: it has none
  std::size_t reached = 0;         ///< the first of them, which begin before time.end
  PhasedResults results;           ///< what their results contain
  std::vector<std::string> notes;  ///< about phases, one line each
};

/// Builds all of them. They must have the same bodies, joints, outputs and pairs of contact points,
/// in groups of equal numbers of bodies. Throws SceneError with the position of the phase.
PhaseModels phase_models(const Scene& scene);

/// Work of all accounts over phases [J], for ResultsWriter::enter(), and what checkpoints store to
/// go on with it.
class PhaseLedger {
 public:
  PhaseLedger(const PhaseModels& models, double energy_start)
      : accounts_(models.results.accounts), work_(accounts_.size()), start_(energy_start) {}
  /// From numbers().
  PhaseLedger(const PhaseModels& models, std::span<const double> numbers);
  /// Takes over the work in a state of a model.
  void add(const Model& model, const State& state);
  std::span<const std::string> accounts() const { return accounts_; }
  double energy_start() const { return start_; }
  std::span<const double> work() const { return work_; }
  double of(const std::string& account) const;
  /// phase: the present one.
  std::vector<double> numbers(std::size_t phase) const;
  /// The phase in numbers(). Throws SceneError if they do not belong to these models.
  static std::size_t phase_in(std::span<const double> numbers, const PhaseModels& models,
                              const std::string& file);

 private:
  std::vector<std::string> accounts_;
  std::vector<double> work_;
  double start_ = 0.0;  ///< energy at the start of the run [J]
};

/// The state in which the next phase begins: that of `before`, with the schemes started again; the
/// work of all accounts goes on from `ledger`, and joints that are broken stay so. `notes` receives
/// what changes beyond what the scene says, one line each. Throws SceneError like started() if the
/// state does not fit the phase.
State next_phase(const Simulation& before, const PhaseModel& next, const std::string& former,
                 const PhaseLedger& ledger, std::vector<std::string>& notes);

}  // namespace saltus
