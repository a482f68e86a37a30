// One `--set` of a sweep: a path and its values.
//
//     bodies[0].linear.mass=1:10:0.5 kg
//         from, to, step: FROM + k STEP, TO included within round-off
//     bodies[0].scheme=newmark,moreau-jean
//         a list; each entry is a value as in `run --set`, or a range
//     bodies[0].linear.mass=uniform(1,2) kg  random; also 1..2 kg
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace saltus {

struct SweepAxis {
  std::string path;
  std::string unit;                 ///< common unit of all values; "": none, or different units
  std::vector<std::string> values;  ///< without `unit`; empty if they are random
  bool drawn = false;
  double low = 0.0, high = 0.0;  ///< bounds of the random values, in `unit`

  /// Value number `draw` of a random axis: low + u (high - low) with u in [0, 1). It depends only
  /// on seed, number and path.
  double draw(std::uint64_t seed, std::uint64_t number) const;
  /// "path=value unit", as in `run --set`.
  std::string assignment(const std::string& value) const;
};

/// Largest number of values of an axis, and of runs of a sweep.
inline constexpr std::uint64_t kMostRuns = 1'000'000;

/// Reads "path=values". Commas inside brackets and quotes belong to the value. Throws SceneError at
/// "--set path=values".
SweepAxis read_axis(const std::string& text);

}  // namespace saltus
