// One `--set` of a sweep: a path and the values that it takes, one after the other.
//
//     bodies[0].linear.mass=1:10:0.5 kg
//         from, to, step: FROM + k STEP, TO included within round-off
//     bodies[0].scheme=newmark,moreau-jean
//         a list; each entry is what `run --set` takes, or a range
//     bodies[0].linear.mass=uniform(1,2) kg  drawn; also 1..2 kg
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace saltus {

struct SweepAxis {
  std::string path;
  std::string unit;                 ///< that all values share; "" none, or not the same for all
  std::vector<std::string> values;  ///< without `unit`; empty where they are drawn
  bool drawn = false;
  double low = 0.0, high = 0.0;  ///< bounds of what is drawn, in `unit`

  /// Value number `draw` of a drawn axis: low + u (high - low) with u in [0, 1), the same for the
  /// same seed, number and path whatever else is drawn.
  double draw(std::uint64_t seed, std::uint64_t number) const;
  /// "path=value unit", as `run --set` takes it.
  std::string assignment(const std::string& value) const;
};

/// Values of one axis, and runs of one sweep, at most.
inline constexpr std::uint64_t kMostRuns = 1'000'000;

/// Reads "path=values". Commas inside of brackets and quotes belong to the value. Throws SceneError
/// at "--set path=values".
SweepAxis read_axis(const std::string& text);

}  // namespace saltus
