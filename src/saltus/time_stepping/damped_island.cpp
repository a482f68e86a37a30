#include "saltus/time_stepping/damped_island.h"

#include <algorithm>
#include <utility>

#include "saltus/base/index_internal.h"
#include "saltus/base/stop.h"
#include "saltus/state/failure_words.h"

namespace saltus {
namespace {

class DampedIsland final : public Island {
 public:
  DampedIsland(std::vector<int> groups, std::unique_ptr<Island> island)
      : groups_(std::move(groups)), island_(std::move(island)) {}

  void prepare(std::span<const Trial> trials) override { island_->prepare(trials); }
  void forget() override { island_->forget(); }
  void solve(IslandStep& step, StepReport& report) override;
  void check(IslandStep& step, StepReport& report) override { island_->check(step, report); }
  void measure_gaps(IslandStep& step, StepReport& report) override {
    island_->measure_gaps(step, report);
  }
  bool impulse(ImpulseOf part, int group, Out r) const override {
    return island_->impulse(part, group, r);
  }
  const IslandJoints* joints() const override { return island_->joints(); }
  DriftWork drift_work() const override { return island_->drift_work(); }
  double finish(IslandStep& step) override { return island_->finish(step); }
  void show(const IslandStep& step, int island, ContactObserver& observer) const override {
    island_->show(step, island, observer);
  }
  bool project(IslandStep& step, StepReport& report) override {
    return island_->project(step, report);
  }
  void remember(std::vector<ContactMemory>& contacts) const override {
    island_->remember(contacts);
  }
  void point_impulses(std::vector<PointImpulse>& list) const override {
    island_->point_impulses(list);
  }
  void see(const Model& model, double most, std::vector<SeenContact>& contacts) const override {
    island_->see(model, most, contacts);
  }

 private:
  std::vector<int> groups_;
  std::unique_ptr<Island> island_;
};

void DampedIsland::solve(IslandStep& step, StepReport& report) {
  StepReport before = report;
  island_->solve(step, report);
  const bool of_passes = !report.finite || report.failure == failure::kStagnation ||
                         report.failure == failure::kPassLimit;
  if (report.converged || !of_passes || report.joint_law >= 0 || stop_requested(step.stop)) return;
  std::swap(before, report);  // `before` is now the first attempt
  IslandStep damped = step;
  damped.damped = true;
  for (const int g : groups_) {
    Trial& trial = step.trials[at(g)];
    const Group& group = step.model.groups()[at(g)];
    trial.stage = trial.pass = 0;
    trial.failure = {};
    trial.r.setZero();
    trial.damp = true;
    trial.damped = 0;
    group.scheme->begin(*group.dynamics, trial);
  }
  island_->solve(damped, report);
  for (const int g : groups_) step.trials[at(g)].damp = false;
  if (!report.converged || !report.finite) std::swap(before, report);
}

}  // namespace

std::unique_ptr<Island> damped_on_failure(const Model& model, std::vector<int> groups,
                                          std::unique_ptr<Island> island) {
  const auto iterates = [&](int g) {
    const Group& group = model.groups()[at(g)];
    return !group.scheme->one_pass(*group.dynamics) && !group.scheme->pass_limits().only_one;
  };
  const StepOptions& options = model.options();
  if (options.on_failure == OnFailure::accept || options.controlled() ||
      std::ranges::none_of(groups, iterates))
    return island;
  return std::make_unique<DampedIsland>(std::move(groups), std::move(island));
}

}  // namespace saltus
