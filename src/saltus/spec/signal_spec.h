// Loads and prescribed motion in a scene file: where they act, and functions of time.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "saltus/base/options.h"

namespace saltus {

/// mean + amplitude cos(2 pi frequency t + phase), in the unit D of the driven quantity.
template <Dimension D>
struct HarmonicSpec {
  double amplitude = 0.0, frequency = 0.0, phase = 0.0, mean = 0.0;

  bool operator==(const HarmonicSpec&) const = default;
  static constexpr auto fields() {
    using T = HarmonicSpec;
    return field_rows(
        required("amplitude", &T::amplitude, D, kAnyNumber, "amplitude of the cosine"),
        required("frequency", &T::frequency, unit::Hz, kNotNegative,
                 "frequency in cycles per second"),
        field("phase", &T::phase, unit::rad, kAnyNumber,
              "phase at t = 0; the value is mean + amplitude cos(2 pi frequency t + phase)"),
        field("mean", &T::mean, D, kAnyNumber, "mean value of the oscillation"));
  }
};

/// Points [t, value] of a function of time.
using TimeTable = std::vector<std::array<double, 2>>;

namespace option {
inline constexpr std::string_view kTable =
    "list of [t, value], t in s and increasing; linear between the points, constant outside them";
inline constexpr std::string_view kTableFile = "CSV file with columns t [s], value";
inline constexpr std::string_view kSmooth =
    "table or file: a cubic spline through the points instead of linear interpolation";
}  // namespace option

/// The fault of a function of time given by points or by a file of points.
std::optional<Fault> table_fault(const TimeTable& table, bool file, bool smooth);

/// The axes in which a load on a rigid body has a constant direction.
enum class LoadFrame { space, body };
constexpr auto names_of(LoadFrame) {
  using enum LoadFrame;
  return std::array{NamedValue{space, "space"}, NamedValue{body, "body"}};
}

/// A force on a body as a function of time.
struct LoadSpec {
  std::optional<int> dof, particle;
  std::optional<double> at;
  std::vector<double> pattern;
  std::optional<std::array<double, 3>> direction, force, torque, point;
  std::optional<LoadFrame> frame;
  std::optional<double> constant;
  std::optional<HarmonicSpec<unit::N>> harmonic;
  TimeTable table;
  std::optional<std::string> file;
  bool smooth = false;

  bool operator==(const LoadSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("dof", "particle", "at", "pattern", "force", "torque"),
                      exactly_one("constant", "harmonic", "table", "file"),
                      needs("particle", "direction"), needs("direction", "particle"),
                      needs("point", "force")};
  }
  static constexpr auto fields() {
    using T = LoadSpec;
    return field_rows(
        field("dof", &T::dof, kNotNegative,
              "degree of freedom, from 0 (particles: 3 i + 0, 1, 2 for x, y, z of particle i; "
              "modal: mode, the first is 0)"),
        field("particle", &T::particle, kNotNegative, "number of the particle, counted from 0"),
        field(
            "at", &T::at, unit::m, kAnyNumber,
            "kind modal: place along the body where the force acts along `direction` of the body"),
        field("pattern", &T::pattern,
              "weight of every degree of freedom; the generalised force is weight times the value"),
        field("direction", &T::direction, "direction of the force on the particle, a unit vector"),
        field("force", &T::force, "kind rigid: direction of a force, a unit vector"),
        field("torque", &T::torque, "kind rigid: axis of a torque, a unit vector"),
        field("point", &T::point, unit::m, kAnyNumber,
              "kind rigid: point of application in the frame of the body; the mass centre when not "
              "given"),
        field("frame", &T::frame,
              "kind rigid: whether the direction is fixed in space or rotates with the body; space "
              "when not given"),
        field("constant", &T::constant, unit::N, kAnyNumber,
              "constant force (torque in N m if the coordinate is an angle)"),
        field("harmonic", &T::harmonic, "harmonic force; not for kind modal"),
        field("table", &T::table, option::kTable), field("file", &T::file, option::kTableFile),
        field("smooth", &T::smooth, option::kSmooth));
  }
};

/// A function of time: of a coordinate with prescribed motion, of a set-point.
template <Dimension D>
struct CourseSpec {
  std::optional<double> constant, rate;
  std::optional<HarmonicSpec<D>> harmonic;
  TimeTable table;
  std::optional<std::string> file;
  bool smooth = false;

  bool operator==(const CourseSpec&) const = default;
  std::optional<Fault> fault() const { return table_fault(table, file.has_value(), smooth); }
  static constexpr auto rules() {
    return std::array{exactly_one("constant", "rate", "harmonic", "table", "file")};
  }
  static constexpr auto fields() {
    using T = CourseSpec;
    return field_rows(
        field("constant", &T::constant, D, kAnyNumber, "constant value"),
        field("rate", &T::rate, D / unit::s, kAnyNumber, "constant rate, starting from 0"),
        field("harmonic", &T::harmonic, "swings"), field("table", &T::table, option::kTable),
        field("file", &T::file, option::kTableFile), field("smooth", &T::smooth, option::kSmooth));
  }
};

/// Gravity that changes in time.
struct GravityCourse {
  std::vector<std::array<double, 4>> table;
  std::optional<std::string> file;
  bool smooth = false;

  bool operator==(const GravityCourse&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() { return std::array{exactly_one("table", "file")}; }
  static constexpr auto fields() {
    using T = GravityCourse;
    return field_rows(
        field("table", &T::table,
              "list of [t, x, y, z], t in s and increasing, x, y, z in m/s^2; linear between the "
              "points, constant outside them"),
        field("file", &T::file, "CSV file with columns t [s], x, y, z [m/s^2]"),
        field("smooth", &T::smooth, option::kSmooth));
  }
};

/// Acceleration of the ground, in whose frame the scene is described.
struct GroundSpec {
  std::optional<CourseSpec<unit::m_per_s2>> x, y, z;
  double scale = 1.0;

  bool operator==(const GroundSpec&) const = default;
  static constexpr auto rules() { return std::array{at_least_one("x", "y", "z")}; }
  static constexpr auto fields() {
    using T = GroundSpec;
    return field_rows(
        field("x", &T::x, "along x"), field("y", &T::y, "along y"), field("z", &T::z, "along z"),
        field("scale", &T::scale, "factor of all components: 9.81 for a record in units of g"));
  }
};

/// A degree of freedom with prescribed motion.
struct PrescribedSpec {
  int dof = 0;
  std::optional<double> constant;
  std::optional<HarmonicSpec<unit::m>> harmonic;
  TimeTable table;
  std::optional<std::string> file;
  bool smooth = false;

  bool operator==(const PrescribedSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("constant", "harmonic", "table", "file")};
  }
  static constexpr auto fields() {
    using T = PrescribedSpec;
    return field_rows(
        required("dof", &T::dof, kNotNegative,
                 "degree of freedom, from 0 (particles: 3 i + 0, 1, 2 for x, y, z of particle i)"),
        field("constant", &T::constant, unit::m, kAnyNumber,
              "constant value (for an angle a number in rad)"),
        field("harmonic", &T::harmonic, "swings"), field("table", &T::table, option::kTable),
        field("file", &T::file, option::kTableFile), field("smooth", &T::smooth, option::kSmooth));
  }
};

}  // namespace saltus
