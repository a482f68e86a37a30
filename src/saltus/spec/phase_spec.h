// Where a run starts, and the parts it consists of: `start` and `phases` of a scene.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "saltus/base/options.h"

namespace saltus {

/// The state from which bodies start, instead of their own positions and velocities.
struct StartSpec {
  std::string file;
  std::optional<int> frame;
  std::optional<double> time;

  bool operator==(const StartSpec&) const = default;
  static constexpr auto rules() { return std::array{at_most_one("frame", "time")}; }
  static constexpr auto fields() {
    using T = StartSpec;
    return field_rows(
        required("file", &T::file,
                 "results of a run, or a file of `saltus convert --to state`: bodies of the same "
                 "name start from its state, others from their own"),
        field("frame", &T::frame,
              "frame of results, the first is 0; negative ones count from the end, -1 (default) is "
              "the last"),
        field("time", &T::time, unit::s, kNotNegative,
              "instead of a number: the frame at this time, which the results must contain"));
  }
};

/// A part of a run, from the end of the one before, or from 0.
struct PhaseSpec {
  std::string name;
  std::optional<double> end, duration;
  std::vector<std::string> change;

  bool operator==(const PhaseSpec&) const = default;
  static constexpr auto rules() { return std::array{at_most_one("end", "duration")}; }
  static constexpr auto fields() {
    using T = PhaseSpec;
    return field_rows(
        required("name", &T::name, "name of the phase, unique in the scene"),
        field("end", &T::end, unit::s, kPositive,
              "time at which it ends; the last phase ends at time.end"),
        field("duration", &T::duration, unit::s, kPositive, "instead of `end`: its length"),
        field("change", &T::change,
              "what is different from here on, as for --set: `bodies[beam].fem.fixed=[]`; later "
              "phases keep it until they change it again"));
  }
};

}  // namespace saltus
