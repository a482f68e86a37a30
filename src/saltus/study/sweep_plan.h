// The runs of a parameter sweep and what each of them sets.
//
// Lists and ranges give their full product, the last one fastest. Drawn values are drawn N times
// and each draw meets the whole product: run = draw * product + place in the product. So a longer
// table begins with the rows of a shorter one, and what is compared in the product sees the same
// draws.
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
  /// `sets`: "path=values" each; `draws`: how often drawn axes are drawn, none if there are none.
  /// Throws SceneError: a fault in a text, a path set twice, draws without bounds or the other way
  /// round, more than kMostRuns runs.
  explicit SweepPlan(std::span<const std::string> sets, std::optional<std::uint64_t> draws = {},
                     std::uint64_t seed = 0);

  std::uint64_t runs() const { return runs_; }
  std::span<const SweepAxis> axes() const { return axes_; }
  /// What run `run` gives to axis `axis`, without the unit.
  std::string value(std::uint64_t run, std::size_t axis) const;
  /// The same of all axes as "path=value unit".
  std::vector<std::string> assignments(std::uint64_t run) const;

 private:
  std::vector<SweepAxis> axes_;
  std::vector<std::uint64_t> stride_;  ///< runs between two values of an axis
  std::uint64_t runs_ = 1, product_ = 1, seed_ = 0;
};

}  // namespace saltus
