#include "saltus/scene/build_contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/suggest.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/contact_rows.h"
#include "saltus/kinds/touch_points.h"
#include "saltus/model/moving_points.h"
#include "saltus/scene/build_law.h"

namespace saltus {
namespace {

double polynomial(const std::vector<double>& c, double x) {  // c0 + c1 x + c2 x^2 ...
  double y = 0.0;
  for (auto k = c.rbegin(); k != c.rend(); ++k) y = y * x + *k;
  return y;
}

/// Points on the regular grid of a string.
PointList on_grid(const Modal& body, const std::string& path, auto&& height) {
  const int n = body.shapes().grid();
  if (n == 0)
    throw SceneError(path, "is for bodies with a regular grid of points: strings and hinged bars",
                     "use points or file");
  PointList points;
  for (int i = 1; i <= n; ++i) {
    const double x = i * (body.shapes().length() / (n + 1));
    points.push_back({x, height(x)});
  }
  return points;
}

/// The obstacle as points [x, h].
PointList obstacle(const Scene& scene, const AgainstSpec& against, const Modal& body,
                   const std::string& path) {
  if (against.points) return *against.points;
  if (against.file) {
    const Matrix data = read_table(scene, *against.file, 2, "x [m], h [m]", path + ".file");
    PointList points;
    for (Eigen::Index i = 0; i < data.rows(); ++i) points.push_back({data(i, 0), data(i, 1)});
    return points;
  }
  if (against.neck)
    return on_grid(body, path + ".neck", [&](double x) {
      return against.neck->until && x > *against.neck->until ? against.neck->beyond.value()
                                                             : polynomial(against.neck->height, x);
    });
  if (against.flat)
    return on_grid(body, path + ".flat", [&](double) { return against.flat->height; });
  if (const auto* list = std::get_if<PointList>(&*against.frets)) return *list;
  const auto& rule = std::get<FretRule>(*against.frets);
  PointList points;
  for (int k = 1; k <= rule.count; ++k) {  // x_k = scale (1 - 2^(-k/12))
    const double x = rule.scale * (1.0 - std::exp2(-k / 12.0));
    points.push_back({x, polynomial(rule.height, x)});
  }
  return points;
}

void shape_at(const Modal& body, double x, const std::string& path, Vector& shape) {
  try {
    body.shapes().row(x, shape);
  } catch (const SceneError& error) {
    throw SceneError(path, error.message(), error.hint());
  }
}

/// One entry of `contacts` during the construction of its pairs.
struct Making {
  const Scene& scene;
  const ContactSpec& spec;
  std::size_t index;
  std::string path;  ///< "contacts[0]"
  NamedBuilt on;
  ModelParts& parts;

  const BuiltBody& body() const { return on.built; }
  const BodySpec& body_spec() const { return on.body; }
  const GroupState& start(const BuiltBody& of) const {
    return parts.initial[static_cast<std::size_t>(of.group)];
  }
  const ContactLaw& law() const { return *parts.laws.back(); }
  /// Whether an initial gap below 0 violates the law.
  bool opens() const { return law().unilateral(); }
  void add(const ContactSide& a, const ContactSide& b, const Vector3& normal,
           double distance = 0.0) {
    ContactPair pair;
    pair.a = a;
    pair.b = b;
    pair.normal = normal;
    pair.distance = distance;
    pair.runs = runs;
    if (law().facts().friction.coefficient > 0.0) {
      find_tangents(pair);
      sliding += pair.tangents > 0;
      ++with_friction;
    }
    take(pair);
  }
  void take(ContactPair pair) {
    pair.key = parts.pairs.size();
    pair.law = static_cast<int>(parts.laws.size()) - 1;
    parts.pairs.push_back(pair);
  }
  void find_tangents(ContactPair& pair) const;
  /// Points of a set that cannot move tangentially get no friction; it is a fault if none of them
  /// can slide.
  void expect_sliding() const;

  /// A running surface needs friction, and a velocity that is not only along the normal.
  void expect_running() const;

  int with_friction = 0, sliding = 0;  ///< numbers of pairs
  int runs = -1;                       ///< surface of side b: index into ModelParts::running
};

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Marks velocity components that stay 0.
std::vector<char> locked_of(const Dynamics& body) {
  std::vector<char> locked(static_cast<std::size_t>(body.velocities()), 0);
  if (const RigidData* data = body.rigid())
    for (std::size_t b = 0; b < data->mass.size(); ++b)
      for (Eigen::Index k = 0; k < 3; ++k) {
        const auto i = 6 * b + static_cast<std::size_t>(k);
        locked[i] = data->mass_inverse[b][k] == 0.0;
        locked[i + 3] = data->inertia_inverse[b](k, k) == 0.0;
      }
  return locked;
}

/// Finds the tangential directions in which the two points can move relative to each other: two in
/// space, one in plane motion. Uses the rows of the points in the initial configuration and in some
/// configurations around it; in plane motion the rows have no component normal to the plane in any
/// of them.
void Making::find_tangents(ContactPair& pair) const {
  const Vector3& n = pair.normal;
  int least = 0;
  n.cwiseAbs().minCoeff(&least);
  const Vector3 t1 = cross(n, Vector3::Unit(least)).normalized(), t2 = cross(n, t1);
  Eigen::Matrix2d mobility = Eigen::Matrix2d::Zero();
  double largest = 0.0;
  for (const ContactSide* side : {&pair.a, &pair.b}) {
    if (side->group < 0) continue;
    const auto g = static_cast<std::size_t>(side->group);
    const Dynamics& moving = *parts.groups[g].dynamics;
    const std::vector<char> locked = locked_of(moving);
    Vector w(moving.velocities()), q(moving.positions());
    PointRows J;
    for (int sample = 0; sample < 4; ++sample) {
      for (Eigen::Index j = 0; j < w.size(); ++j)
        w[j] = locked[static_cast<std::size_t>(j)]
                   ? 0.0
                   : 0.1 * std::sin(1.0 + 1.7 * static_cast<double>(sample * (j + 1)));
      if (sample == 0) w.setZero();
      moving.retract(parts.initial[g].q, w, q);
      moving.point_rows(q, q, std::span(&side->ref, 1), J);
      for (int k = J.offset[0]; k < J.offset[1]; ++k)
        for (int j = 0; j < J.width; ++j) {
          if (locked[static_cast<std::size_t>(J.column[static_cast<std::size_t>(k)] + j)]) continue;
          const double* block = &J.value[static_cast<std::size_t>(3 * k * J.width + j)];
          const Vector3 row(block[0], block[J.width], block[2 * J.width]);
          if (!row.allFinite()) continue;
          const Eigen::Vector2d slide(t1.dot(row), t2.dot(row));
          mobility += slide * slide.transpose();
          largest = std::max(largest, row.squaredNorm());
        }
    }
  }
  // principal axes: (x, y) of the larger mobility, (-y, x) of the smaller
  const double angle = 0.5 * std::atan2(2.0 * mobility(0, 1), mobility(0, 0) - mobility(1, 1));
  const double x = std::cos(angle), y = std::sin(angle);
  const Eigen::Vector2d most(x, y), least_axis(-y, x);
  const double larger = most.dot(mobility * most), smaller = least_axis.dot(mobility * least_axis);
  const double still = 1e-20 * largest;
  if (!(larger > still)) return;
  // With prescribed motion, slip is possible in directions in which no free coordinate moves.
  bool driven = false;
  for (const ContactSide* side : {&pair.a, &pair.b})
    if (side->group >= 0) {
      const Dynamics& moving = *parts.groups[static_cast<std::size_t>(side->group)].dynamics;
      driven = driven || moving.prescribed() > 0 || moving.velocities() == 0;
    }
  if (pair.runs >= 0) {
    const Vector3& u = parts.running[static_cast<std::size_t>(pair.runs)].along;
    const Vector3 still_axis = least_axis[0] * t1 + least_axis[1] * t2;
    driven = driven || std::abs(u.dot(still_axis)) > 1e-12 * u.norm();
  }
  if (driven || smaller > still) {
    pair.tangents = 2;
    pair.tangent = {t1, t2};
    return;
  }
  // Plane motion: m the normal of the plane, its largest component positive, and t = m x n.
  Vector3 m = least_axis[0] * t1 + least_axis[1] * t2;
  int along = 0;
  m.cwiseAbs().maxCoeff(&along);
  if (m[along] < 0.0) m = -m;
  pair.tangents = 1;
  pair.tangent = {cross(m, n).normalized(), m};
}

void Making::expect_sliding() const {
  if (with_friction > 0 && sliding == 0)
    throw SceneError(
        path + ".law",
        fmt::format("friction needs tangential motion, and '{}' has none there", spec.on),
        "friction: 0, or law relay along the motion");
}

void Making::expect_running() const {
  if (runs < 0) return;
  const std::string key = path + ".against.surface_velocity";
  if (sliding == 0)
    throw SceneError(key, "acts through friction, but the law of this contact has none",
                     "add friction to the law, or leave it out");
  const Vector3& u = parts.running[static_cast<std::size_t>(runs)].along;
  for (const ContactPair& pair : parts.pairs)
    if (pair.runs == runs && pair.normal.cross(u).norm() > 1e-12 * u.norm()) return;
  throw SceneError(key, "has no component along the surface: it has no effect",
                   "give a velocity along the surface");
}

[[noreturn]] void refuse_overlap(const Making& m, double gap, const std::string& where) {
  throw SceneError(m.path + ".against",
                   fmt::format("the obstacle is {:.4g} mm inside '{}' at {} at the start",
                               -1e3 * gap, m.spec.on, where),
                   "lower the obstacle or change the initial state");
}

/// Point obstacles along a modal body.
void along_body(Making& m) {
  const ContactSpec& spec = m.spec;
  if (!m.body().kind->along())
    throw SceneError(
        m.path + ".against",
        fmt::format("'{}' (kind {}) is not a body with places along it", spec.on,
                    name_of(m.body_spec().kind)),
        m.body().kind->dof_points().empty() ? "give plane or body" : "give plane, stop or body");
  const Modal& body = *m.body().kind->along();
  if (!body.has_shapes())
    throw SceneError(m.path + ".on", "'" + spec.on + "' has no points: its modes have no shapes",
                     "give bodies[].modes.shapes");
  const std::string against = m.path + ".against";
  const PointList points = obstacle(m.scene, *spec.against, body, against);
  const double table =
      8.0 * static_cast<double>(points.size()) *
      static_cast<double>(points.size() + static_cast<std::size_t>(body.positions()));
  if (table > 32e9)
    throw SceneError(against,
                     fmt::format("{} points and {} modes need {:.0f} GB", points.size(),
                                 body.positions(), 1e-9 * table),
                     "fewer points or modes");
  if (points.empty()) throw SceneError(against, "has no point", "at least one [x, h] is required");
  const ModalPlacement& place = body.placement();
  Vector shape(body.positions());
  double worst = 0.0, worst_x = 0.0;
  for (const auto& [x, h] : points) {
    if (!(x >= 0.0 && x <= body.shapes().length()))
      throw SceneError(against, fmt::format("the point x = {} m is not on '{}'", x, spec.on),
                       fmt::format("between 0 and {} m", body.shapes().length()));
    shape_at(body, x, against, shape);
    const double still =
        body.shapes().grid() > 0 ? 1e-3 / std::sqrt(body.shapes().length()) : 1e-12;
    if (shape.lpNorm<Eigen::Infinity>() <= still)
      throw SceneError(against, fmt::format("the point x = {} m of '{}' cannot move", x, spec.on),
                       "move it away from the fixed end");
    m.add({m.body().group, {0, 0, Vector3(x, 0.0, 0.0)}},
          {-1, {0, 0, place.origin + x * place.axis + h * place.direction}}, place.direction);
    const double gap = shape.dot(m.start(m.body()).q) - h;
    if (gap < worst) {
      worst = gap;
      worst_x = x;
    }
  }
  if (worst < -1e-9 && m.opens()) refuse_overlap(m, worst, fmt::format("x = {:.4g} m", worst_x));
}

/// Position of a point at the start [m], and the largest entry of n . dx/dq there: 0 if no impulse
/// along n moves it.
struct Located {
  Vector3 x;
  double row;
};
Located locate(const Making& m, const NamedBuilt& of, const TouchPoint& point,
               const Vector3& normal) {
  const Dynamics& body = *of.built.dynamics;
  const Vector& q = m.start(of.built).q;
  const std::array at{point.ref};
  Located located{Vector3::Zero(), 0.0};
  PointRows J;
  try {
    body.points(0.0, q, at, located.x);
    body.point_rows(q, q, at, J);
  } catch (const UsageError& error) {
    throw SceneError(point.path, usage_text(error));
  }
  located.row = motion_along(J, 0, normal);
  return located;
}

/// Throws if no impulse could ever open the contact: rows that are zero and stay zero.
void expect_movable(const Making& m, const NamedBuilt& of, const TouchPoint& point, double size,
                    const Vector3& normal) {
  const BuiltBody& built = of.built;
  if (size > kStillAlong || !has(built.dynamics->traits(), Trait::fixed_points)) return;
  const std::string& name = of.name;
  if (const auto held = built.kind->held(point.ref, normal))
    throw SceneError(
        point.path,
        fmt::format("{} of '{}' is {}: no contact can move it", point.name, name, held->how),
        std::string(held->remedy));
  throw SceneError(m.path + ".against",
                   fmt::format("{} of '{}' cannot move along the normal", point.name, name),
                   "turn the normal");
}

/// One point against a place fixed in the world.
void against_world(Making& m, const TouchPoint& point, const Vector3& place,
                   const Vector3& normal) {
  const Located at = locate(m, m.on, point, normal);
  expect_movable(m, m.on, point, at.row, normal);
  if (const double gap = normal.dot(at.x - place); gap < -1e-9 && m.opens())
    refuse_overlap(m, gap, point.name);
  m.add({m.body().group, point.ref}, {-1, {0, 0, place}}, normal);
}

void against_plane(Making& m) {
  const PlaneSpec& plane = *m.spec.against->plane;
  const Vector3 normal = unit_vector(plane.normal, m.path + ".against.plane.normal");
  for (const TouchPoint& point : touch_points(m.on, m.spec.at, m.path))
    against_world(m, point, to_vector3(plane.point), normal);
}

void against_stop(Making& m) {
  const std::span<const DofPoint> dofs = m.body().kind->dof_points();
  if (dofs.empty())
    throw SceneError(m.path + ".against.stop",
                     fmt::format("is for bodies of kind linear, and '{}' is of kind {}", m.spec.on,
                                 name_of(m.body_spec().kind)),
                     m.body().kind->along() ? "give points" : "give plane");
  const StopSpec& stop = *m.spec.against->stop;
  const double sign = stop.side == StopSpec::Side::below ? 1.0 : -1.0;
  for (const TouchPoint& point : touch_points(m.on, m.spec.at, m.path)) {
    const DofPoint& dof = dofs[static_cast<std::size_t>(point.ref.feature)];
    against_world(m, point, dof.place + stop.at * dof.direction, sign * dof.direction);
  }
}

void against_body(Making& m, const NamedBuilt& other) {
  const AgainstSpec& against = *m.spec.against;
  const Vector3 normal = unit_vector(*against.normal, m.path + ".against.normal");
  const auto only_point = [&](const NamedBuilt& of, const std::vector<TouchPoint>& points,
                              const std::string& path) {
    if (points.size() == 1) return points.front();
    throw SceneError(
        path,
        fmt::format("'{}' has {} points: `at` must name the contact point", of.name, points.size()),
        "for example at: " + (points.empty() || !of.built.kind->names_points()
                                  ? std::string("0")
                                  : points.front().name));
  };
  std::vector<TouchPoint> points = touch_points(m.on, m.spec.at, m.path);
  if (!m.spec.at) points = {only_point(m.on, points, m.path)};
  std::optional<AtSpec> at;
  if (against.at) {
    if (const auto* place = std::get_if<std::array<double, 3>>(&*against.at))
      at = std::vector<std::array<double, 3>>{*place};
    else
      at = std::get<NumberOrName>(*against.at);
  }
  const std::vector<TouchPoint> others = touch_points(other, at, m.path + ".against");
  const TouchPoint b = only_point(other, others, m.path + ".against");
  const bool same_group = m.body().group == other.built.group;
  const double distance = against.distance.value_or(0.0);
  for (const TouchPoint& a : points) {
    if (same_group && a.ref.body == b.ref.body && a.ref.feature == b.ref.feature &&
        a.ref.local == b.ref.local)
      throw SceneError(
          a.path, fmt::format("{} of '{}' cannot be in contact with itself", a.name, m.spec.on),
          "two points of the body");
    const Located on_a = locate(m, m.on, a, normal), on_b = locate(m, other, b, normal);
    if (on_b.row <= kStillAlong) expect_movable(m, m.on, a, on_a.row, normal);
    const double along = normal.dot(on_a.x - on_b.x), gap = along - distance;
    if (gap < -1e-9 && distance != 0.0 && m.opens())
      throw SceneError(
          m.path + ".against.distance",
          fmt::format("{} of '{}' is {:.6g} m from {} of '{}' along the normal at the start",
                      a.name, m.spec.on, along, b.name, other.name),
          "give a smaller distance or other places, or turn the normal, which points from the "
          "other body to this one");
    if (gap < -1e-9 && m.opens())
      throw SceneError(
          m.path + ".against",
          fmt::format("{} of '{}' is {:.4g} mm on the wrong side of {} of '{}' along the normal at "
                      "the start",
                      a.name, m.spec.on, -1e3 * gap, b.name, other.name),
          "turn the normal, which points from the other body to this one, or change the places");
    m.add({m.body().group, a.ref}, {other.built.group, b.ref}, normal, distance);
  }
}

/// A gap defined on the coordinates of one body or two, with its own tangents.
void by_rows(Making& m, const NamedBuilt* other) {
  ContactPair pair = row_pair(m.scene.spec, m.index, m.on, other);
  if (pair.tangents > 0 && m.law().slides_on_normal())
    throw SceneError(m.path + ".tangent",
                     fmt::format("is for friction perpendicular to `row`, but {} acts along it",
                                 m.law().facts().name),
                     "leave it out");
  if (pair.tangents == 0 && m.law().facts().friction.coefficient > 0.0)
    throw SceneError(m.path + ".law", "friction needs the row of the slip", "give `tangent`");
  if (!(m.law().facts().friction.coefficient > 0.0)) pair.tangents = 0;
  if (const double gap = row_gap(pair, m.parts.initial, m.parts.groups); gap < -1e-9 && m.opens())
    throw SceneError(m.path + ".row", fmt::format("the gap is {:.4g} mm at the start", 1e3 * gap),
                     "change `offset` or the initial state");
  m.take(pair);
}

}  // namespace

void add_contact(const Scene& scene, std::span<const BuiltBody> bodies, std::size_t index,
                 ModelParts& parts) {
  const ContactSpec& spec = scene.spec.contacts[index];
  const std::string path = fmt::format("contacts[{}]", index);
  Making m{scene, spec, index, path, named_built(scene, bodies, spec.on, path + ".on"), parts};
  const SchemeChoice scheme = m.body_spec().chosen_scheme();
  parts.laws.push_back(law_of(spec.law, scheme, scene.spec.contact.instant, path + ".law"));
  parts.law_path.push_back(path + ".law");
  const auto led = [](const NamedBuilt& of) { return of.built.dynamics->velocities() == 0; };
  if (led(m.on) && !spec.other())
    throw SceneError(
        path + ".on",
        fmt::format("'{}' has prescribed motion, so contacts cannot change it", spec.on),
        "name another body");
  if (spec.against && spec.against->surface_velocity) {
    m.runs = static_cast<int>(parts.running.size());
    parts.running.push_back(running_surface(scene, *spec.against->surface_velocity,
                                            path + ".against.surface_velocity"));
  }
  if (!spec.against) {
    by_rows(m, nullptr);
  } else if (spec.against->plane) {
    against_plane(m);
  } else if (spec.against->stop) {
    against_stop(m);
  } else if (spec.other()) {
    const NamedBuilt other =
        named_built(scene, bodies, *spec.against->body, path + ".against.body");
    if (led(m.on) && led(other))
      throw SceneError(path + ".on",
                       fmt::format("neither '{}' nor '{}' moves by forces", spec.on, other.name),
                       "name another body");
    if (reads_theta(spec.law) && !led(m.on) && !led(other) &&
        theta_of(scheme) != theta_of(other.body.chosen_scheme()))
      throw SceneError(path + ".law",
                       std::string(name_of(spec.law)) +
                           " averages with theta of the schemes, but those of '" + spec.on +
                           "' and '" + *spec.against->body + "' differ",
                       "give both bodies the same scheme");
    if (spec.row)
      by_rows(m, &other);
    else
      against_body(m, other);
  } else {
    along_body(m);
  }
  m.expect_sliding();
  m.expect_running();
}

}  // namespace saltus
