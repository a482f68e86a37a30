#include "saltus/sim/step_tables.h"

#include <algorithm>

namespace saltus {
namespace {

std::vector<int> groups_of(const Model& model, int island) {
  std::vector<int> groups;
  for (std::size_t g = 0; g < model.groups().size(); ++g)
    if (model.islands()[g] == island) groups.push_back(static_cast<int>(g));
  return groups;
}

std::vector<int> pairs_of(const Model& model, int island) {
  std::vector<int> pairs;
  for (std::size_t i = 0; i < model.pairs().size(); ++i)
    if (model.islands()[static_cast<std::size_t>(model.pairs()[i].a.group)] == island)
      pairs.push_back(static_cast<int>(i));
  return pairs;
}

void resize(const Dynamics& body, Trial& trial) {
  trial.q.resize(body.positions());
  trial.v.resize(body.velocities());
  trial.v_free.resize(body.velocities());
  trial.r = Vector::Zero(body.velocities());
}

}  // namespace

StepTables::StepTables(const Model& model) : model_(model), trials_(model.groups().size()) {
  for (std::size_t g = 0; g < trials_.size(); ++g) resize(*model.groups()[g].dynamics, trials_[g]);
}

void StepTables::prepare(double h) {
  prepared_ = saltus::prepare(model_, h);
  for (std::size_t g = 0; g < trials_.size(); ++g) {
    trials_[g].prepared = prepared_[g].get();
    trials_[g].factorised = false;
  }
}

// Null if no contact is possible and the motion is free.
std::unique_ptr<Island> StepTables::make_island(int island, bool& with_tables) const {
  std::vector<int> groups = groups_of(model_, island), pairs = pairs_of(model_, island);
  const bool free_motion = std::ranges::all_of(groups, [&](int g) {
    const Group& group = model_.groups()[static_cast<std::size_t>(g)];
    return group.scheme->free_motion(*group.dynamics);
  });
  const auto here = [&](const auto& surface) {
    return model_.islands()[static_cast<std::size_t>(surface.group)] == island;
  };
  const bool shapes = std::ranges::any_of(model_.surfaces().frames, here) ||
                      std::ranges::any_of(model_.surfaces().boundaries, here);
  const bool one_stage =
      model_.groups()[static_cast<std::size_t>(groups.front())].scheme->stages().size() == 1;
  const bool joined = std::ranges::any_of(model_.joints(), [&](const Joint& joint) {
    const int g = joint.a.group >= 0 ? joint.a.group : joint.b.group;
    return g >= 0 && model_.islands()[static_cast<std::size_t>(g)] == island;
  });
  if (pairs.empty() && !shapes && !joined && free_motion && one_stage) return nullptr;
  const bool constant = std::ranges::all_of(
      groups, [&](int g) { return trials_[static_cast<std::size_t>(g)].factorised; });
  if (!pairs.empty() && !shapes && !joined && one_stage && constant &&
      fits_fixed_island(model_, groups, pairs))
    if (auto of_pairs = fixed_island(model_, groups, pairs)) {
      with_tables = true;
      return of_pairs;
    }
  return general_island(model_, std::move(groups), std::move(pairs));
}

void StepTables::make_islands() {
  for (int island = 0; island < model_.island_count(); ++island) {
    bool with_tables = false;
    islands_.push_back(make_island(island, with_tables));
    tabled_.push_back(with_tables);
  }
}

void StepTables::prepare_islands() {
  for (auto& island : islands_)
    if (island) island->prepare(trials_);
}

void StepTables::store_lengths(double h) {
  Eigen::Index size = 0;
  for (const Group& group : model_.groups()) size += group.dynamics->velocities();
  most_ = size <= 200 ? 64 : size <= 2000 ? 16 : 6;
  length_ = h;
}

void StepTables::clear() {
  stored_.clear();
  length_ = 0.0;
}

// An island's tables belong to one h: creates the island again for another h.
std::unique_ptr<Island> StepTables::island_with_tables(int island) const {
  return fixed_island(model_, groups_of(model_, island), pairs_of(model_, island));
}

bool StepTables::exchange(double h) {
  bool there = h == length_;
  if (!there) {
    Tables old{length_, std::move(prepared_), std::move(trials_), {}}, taken;
    old.islands.resize(islands_.size());
    taken.islands.resize(islands_.size());
    const auto found = std::ranges::find(stored_, h, &Tables::h);
    there = found != stored_.end();
    if (there) {
      taken = std::move(*found);
      stored_.erase(found);
    } else {
      taken.trials.resize(old.trials.size());
      for (std::size_t g = 0; g < taken.trials.size(); ++g)
        resize(*model_.groups()[g].dynamics, taken.trials[g]);
    }
    for (std::size_t i = 0; i < islands_.size(); ++i) {
      if (!tabled_[i]) continue;
      old.islands[i] = std::move(islands_[i]);
      islands_[i] = there ? std::move(taken.islands[i]) : island_with_tables(static_cast<int>(i));
    }
    prepared_ = std::move(taken.prepared);
    trials_ = std::move(taken.trials);
    if (length_ > 0.0) stored_.insert(stored_.begin(), std::move(old));
    if (stored_.size() > most_) stored_.pop_back();
    length_ = h;
  }
  for (auto& island : islands_)
    if (island) island->forget();  // of another step
  return there;
}

}  // namespace saltus
