// The runs of a parameter sweep and the values each of them sets.
//
// Lists and ranges form their full product, the last axis varying fastest. Random values are drawn
// N times, and each draw is combined with the whole product: run = draw * product + place in the
// product. So a longer table begins with the rows of a shorter one, and all entries of the product
// use the same draws.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/study/sweep_axis.h"

namespace saltus {

class SweepPlan {
 public:
  /// `sets`: "path=values" each; `draws`: number of draws, empty without random axes. Throws
  /// SceneError: a syntax error, a path set twice, draws without random axes or vice versa, more
  /// than kMostRuns runs.
  explicit SweepPlan(std::span<const std::string> sets, std::optional<std::uint64_t> draws = {},
                     std::uint64_t seed = 0);

  std::uint64_t runs() const { return runs_; }
  std::span<const SweepAxis> axes() const { return axes_; }
  /// Value of an axis in a run, without the unit.
  std::string value(std::uint64_t run, std::size_t axis) const;
  /// Values of all axes in a run, as "path=value unit".
  std::vector<std::string> assignments(std::uint64_t run) const;

 private:
  std::vector<SweepAxis> axes_;
  std::vector<std::uint64_t> stride_;  ///< runs between two values of an axis
  std::uint64_t runs_ = 1, product_ = 1, seed_ = 0;
};

}  // namespace saltus
