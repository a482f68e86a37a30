#include "saltus/study/sweep_plan.h"

#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/base/units.h"
#include "saltus/scene_file/renamed_keys.h"

namespace saltus {

SweepPlan::SweepPlan(std::span<const std::string> sets, std::optional<std::uint64_t> draws,
                     std::uint64_t seed)
    : seed_(seed) {
  const auto too_many = [] {
    return SceneError("", "the sweep has too many runs",
                      "at most " + std::to_string(kMostRuns) + " in one table");
  };
  bool drawn = false;
  for (const std::string& text : sets) {
    axes_.push_back(read_axis(text));
    const SweepAxis& axis = axes_.back();
    drawn = drawn || axis.drawn;
    if (axis.drawn && !draws)
      throw SceneError(axis.path, "is random, but the number of draws is missing", "add --random N")
          .at("--set " + text.substr(0, 120), 0, 0);
    if (std::any_of(axes_.begin(), axes_.end() - 1, [&](const SweepAxis& other) {
          return present_path(other.path) == present_path(axis.path);
        }))
      throw SceneError(axis.path, "is set twice", "write all its values in one --set")
          .at("--set " + text.substr(0, 120), 0, 0);
  }
  if (draws && !drawn)
    throw SceneError("--random", "no value is random",
                     "use --set PATH=uniform(LOW,HIGH) for a random value");
  if (draws && *draws == 0) throw SceneError("--random", "0 draws result in no runs", "at least 1");
  stride_.resize(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    stride_[i] = product_;
    if (!axes_[i].drawn) product_ *= axes_[i].values.size();
    if (product_ > kMostRuns) throw too_many();
  }
  if (draws && *draws > kMostRuns / product_) throw too_many();
  runs_ = product_ * draws.value_or(1);
}

std::string SweepPlan::value(std::uint64_t run, std::size_t axis) const {
  expects(run < runs_ && axis < axes_.size(), "SweepPlan::value: no such run or axis");
  const SweepAxis& a = axes_[axis];
  if (a.drawn) return to_text(a.draw(seed_, run / product_));
  return a.values[run % product_ / stride_[axis] % a.values.size()];
}

std::vector<std::string> SweepPlan::assignments(std::uint64_t run) const {
  std::vector<std::string> result;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    result.push_back(axes_[axis].assignment(value(run, axis)));
  return result;
}

}  // namespace saltus
