// Many simulations of one model that step together, for learning and sampling.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/sim/simulation.h"

namespace saltus {

/// Copies of a simulation on several threads. Each has the bits of a separate run, whatever the
/// number of copies and threads. Use one object from one thread at a time.
class Batch {
 public:
  /// threads: 0: those of the caller's tbb::task_arena.
  Batch(const Model& model, int count, int threads = 0);
  Batch(Batch&&) noexcept;
  ~Batch();

  int size() const { return static_cast<int>(sims_.size()); }
  Simulation& operator[](int i) { return *sims_[static_cast<std::size_t>(i)]; }
  const Simulation& operator[](int i) const { return *sims_[static_cast<std::size_t>(i)]; }

  /// Simulation::set_all() of each; if one value is wrong, nothing changes.
  void set_all(std::span<const std::vector<SetPoint>> values);
  /// Simulation::reset() of one, whose last report is then empty.
  void reset(int i, State state);
  /// Makes `steps` steps with each. A simulation whose step fails stays where it is for the rest of
  /// this call; its report contains the reason.
  void advance(int steps = 1);
  /// Of the last step of each in the last advance().
  std::span<const StepReport> reports() const { return reports_; }

 private:
  struct Arena;
  std::vector<std::unique_ptr<Simulation>> sims_;
  std::vector<StepReport> reports_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace saltus
