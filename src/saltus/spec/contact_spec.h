// Contacts in a scene file. All values SI; SceneSpec (spec.h) contains them.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/contact/laws/laws.h"
#include "saltus/spec/signal_spec.h"

namespace saltus {

/// Points [x, h] of an obstacle: place along the body and height [m].
using PointList = std::vector<std::array<double, 2>>;

/// Equal-tempered frets, x_k = scale (1 - 2^(-k/12)), with crowns on a polynomial.
struct FretRule {
  int count = 0;
  double scale = 0.0;
  std::vector<double> height;

  bool operator==(const FretRule&) const = default;
  static constexpr auto fields() {
    using T = FretRule;
    return field_rows(
        required("count", &T::count, at_least(1), "number of frets"),
        required("scale", &T::scale, unit::m, kPositive, "scale length: length of the open string"),
        required("height", &T::height,
                 "height of the crowns [m], a polynomial in x: h = c0 + c1 x + c2 x^2 ..."));
  }
};
using FretsSpec = std::variant<FretRule, PointList>;

/// A neck without frets: a polynomial up to `until`, a constant beyond.
struct NeckSpec {
  std::vector<double> height;
  std::optional<double> until, beyond;

  bool operator==(const NeckSpec&) const = default;
  static constexpr auto rules() {
    return std::array{needs("until", "beyond"), needs("beyond", "until")};
  }
  static constexpr auto fields() {
    using T = NeckSpec;
    return field_rows(
        required("height", &T::height,
                 "height of the neck, a polynomial in x [m]: h = c0 + c1 x + c2 x^2 ..."),
        field("until", &T::until, unit::m, kAnyNumber,
              "end of the neck; the whole body when not given"),
        field("beyond", &T::beyond, unit::m, kAnyNumber, "height of the obstacle beyond the neck"));
  }
};

/// A plane below the rest line.
struct FlatSpec {
  double height = 0.0;

  bool operator==(const FlatSpec&) const = default;
  static constexpr auto fields() {
    return field_rows(required("height", &FlatSpec::height, unit::m, kAnyNumber,
                               "height of the plane; the rest line is at 0"));
  }
};

/// A fixed plane in space.
struct PlaneSpec {
  std::array<double, 3> point{0, 0, 0}, normal{0, 0, 1};

  bool operator==(const PlaneSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = PlaneSpec;
    return field_rows(field("point", &T::point, unit::m, kAnyNumber, "any point of the plane"),
                      field("normal", &T::normal,
                            "normal of the plane, towards the side on which the body may be"));
  }
};

/// A surface whose material velocity is a function of time.
struct RunningSpec {
  std::array<double, 3> value{0, 0, 0};
  CourseSpec<unit::one> factor;

  bool operator==(const RunningSpec&) const = default;
  static constexpr auto fields() {
    using T = RunningSpec;
    return field_rows(
        required("value", &T::value, unit::m_per_s, kAnyNumber, "velocity [x, y, z] at factor 1"),
        required("factor", &T::factor, "factor of the velocity as a function of time"));
  }
};
/// Velocity of the material of a surface that itself does not move, as of a belt or a track.
using SurfaceVelocitySpec = std::variant<std::array<double, 3>, RunningSpec>;

/// A stop that limits a degree of freedom.
struct StopSpec {
  enum class Side { below, above };

  double at = 0.0;
  Side side = Side::below;

  bool operator==(const StopSpec&) const = default;
  static constexpr auto fields() {
    using T = StopSpec;
    return field_rows(
        required("at", &T::at, unit::m, kAnyNumber, "value of the coordinate q"),
        required("side", &T::side, "side of the stop: below: q >= at; above: q <= at"));
  }
};
constexpr auto names_of(StopSpec::Side) {
  using enum StopSpec::Side;
  return std::array{NamedValue{below, "below"}, NamedValue{above, "above"}};
}

/// A point of a body: its number or name, or the place [x, y, z] on a rigid body.
using PlaceSpec = std::variant<NumberOrName, std::array<double, 3>>;
/// One point, or several. Three numbers are a place on a rigid body.
using AtSpec =
    std::variant<NumberOrName, std::vector<NumberOrName>, std::vector<std::array<double, 3>>>;

/// Coefficients of the coordinates of a body: one per coordinate, or [coordinate, coefficient] for
/// the nonzero ones.
using RowSpec = std::variant<std::vector<double>, std::vector<std::array<double, 2>>>;

namespace option {
inline constexpr std::string_view kTangent =
    "row of the slip for friction along one direction, written like `row`";
inline constexpr std::string_view kTangents =
    "rows of the slip along two directions, for a friction cone";
}  // namespace option

/// The obstacle or body that a contact is with. Frets, necks, points and planes of height lie below
/// a modal body with respect to its direction.
struct AgainstSpec {
  std::optional<FretsSpec> frets;
  std::optional<NeckSpec> neck;
  std::optional<PointList> points;
  std::optional<FlatSpec> flat;
  std::optional<std::string> file;
  std::optional<PlaneSpec> plane;
  std::optional<StopSpec> stop;
  std::optional<std::string> body;
  std::optional<PlaceSpec> at;
  std::optional<std::array<double, 3>> normal;
  std::optional<double> distance;
  std::optional<RowSpec> row, tangent;
  std::vector<RowSpec> tangents;
  std::optional<SurfaceVelocitySpec> surface_velocity;

  /// True for obstacles along a modal body, which define their own places x.
  bool along_body() const { return frets || neck || points || flat || file; }

  bool operator==(const AgainstSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{
        exactly_one("frets", "neck", "points", "flat", "file", "plane", "stop", "body"),
        needs("at", "body"),
        needs("normal", "body"),
        needs("distance", "normal"),
        needs("row", "body"),
        at_most_one("normal", "row"),
        at_most_one("at", "row"),
        at_most_one("surface_velocity", "row"),
        needs("tangent", "row"),
        needs("tangents", "row"),
        at_most_one("tangent", "tangents")};
  }
  static constexpr auto fields() {
    using T = AgainstSpec;
    return field_rows(
        field("frets", &T::frets, unit::m, kAnyNumber, "frets by rule, or a list of [x, h]"),
        field("neck", &T::neck, "a neck without frets: one contact per point of the body"),
        field("points", &T::points, unit::m, kAnyNumber, "point obstacles, a list of [x, h]"),
        field("flat", &T::flat, "a plane: one contact per point of the body"),
        field("file", &T::file, "CSV file with columns x [m], h [m], one row per point obstacle"),
        field("plane", &T::plane, "a plane fixed in space"),
        field("stop", &T::stop, "a stop that limits degrees of freedom of a body of kind linear"),
        field("body", &T::body,
              "name of another body; gap = normal . (x - x of the other body) - distance"),
        field("at", &T::at, unit::m, kAnyNumber,
              "point of the other body, written like `at` of the contact"),
        field("normal", &T::normal, "fixed direction from the other body to this one"),
        field("distance", &T::distance, unit::m, kAnyNumber,
              "distance of the two points along the normal at which the contact closes, as for "
              "balls modelled as particles; 0 when not given"),
        field("row", &T::row,
              "for a contact with `row`: contribution of the coordinates of the other body to the "
              "gap"),
        field("tangent", &T::tangent, option::kTangent),
        field("tangents", &T::tangents, option::kTangents),
        field("surface_velocity", &T::surface_velocity, unit::m_per_s, kAnyNumber,
              "velocity of the surface material of a plane or a body, in space, as of a belt; only "
              "its component tangential to the contact is used"));
  }
};

/// A contact of one body with one obstacle under one law, or a gap defined on the coordinates of
/// one or two bodies.
struct ContactSpec {
  std::string name;
  std::string on;
  std::optional<AtSpec> at;
  std::optional<AgainstSpec> against;
  std::optional<RowSpec> row, tangent;
  std::vector<RowSpec> tangents;
  std::optional<double> offset;
  LawChoice law;

  /// Name of the other body, if there is one.
  const std::string* other() const { return against && against->body ? &*against->body : nullptr; }

  bool operator==(const ContactSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{at_least_one("against", "row"), at_most_one("at", "row"),
                      needs("tangent", "row"),        needs("tangents", "row"),
                      needs("offset", "row"),         at_most_one("tangent", "tangents")};
  }
  static constexpr auto fields() {
    using T = ContactSpec;
    return field_rows(
        field("name", &T::name, "name in results; made of body and obstacle when not given"),
        required("on", &T::on, "name of the body"),
        field("at", &T::at, unit::m, kAnyNumber,
              "contact point or list of points: degree of freedom (linear) or particle from 0, "
              "name of a point (lagrangian), place along the body (modal), place [x, y, z] in the "
              "frame of the body (rigid); all points when not given"),
        field("against", &T::against,
              "the obstacle or the other body; with `row` the other body, or nothing"),
        field("row", &T::row,
              "kinds linear, lagrangian and modal: H of the gap y = H q + offset [m], one "
              "coefficient per coordinate (mode), or a list of [coordinate, coefficient]"),
        field("tangent", &T::tangent, option::kTangent),
        field("tangents", &T::tangents, option::kTangents),
        field("offset", &T::offset, unit::m, kAnyNumber, "offset of the gap; 0 when not given"),
        required("law", &T::law, "law of the contact"));
  }
};

}  // namespace saltus
