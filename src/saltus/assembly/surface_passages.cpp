#include "saltus/assembly/surface_passages.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/index_internal.h"
#include "saltus/kinds/build_shape.h"
#include "saltus/model/surface_setup.h"

namespace saltus {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
// Largest number of vertices of a deformable surface that are tested.
constexpr std::size_t kMostTried = 256;

double half_thickness(const Shape& shape) {
  return can_move(shape) ? 0.5 * thickness(shape) : kEndless;  // surfaces have none
}

/// Radius about the origin of the frame of a shape at pose `at`.
double reach_in(const Shape& shape, const Pose& at) {
  if (!can_move(shape)) return kEndless;
  const Bounds box = bounds(shape, at);
  return box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs()).norm();
}

/// Upper bound of the angle between two orientations: |R1 - R0| = 2 sqrt(2) sin(angle/2).
double most_angle(const Matrix3& R0, const Matrix3& R1) { return 1.12 * (R1 - R0).norm(); }

Bounds swept(const Vector3& from, const Vector3& to, double radius) {
  return {(from.cwiseMin(to).array() - radius).matrix(),
          (from.cwiseMax(to).array() + radius).matrix()};
}

bool overlap_boxes(const Bounds& a, const Bounds& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

/// Volume over area of a closed surface, which is half the thickness of a plate; in the plane area
/// over length. At least a thousandth of the size.
double half_thickness(std::span<const Vector3> x, std::span<const BoundaryFacet> facets) {
  Bounds box{x.front(), x.front()};
  for (const Vector3& y : x) box = {box.low.cwiseMin(y), box.high.cwiseMax(y)};
  double volume = 0.0, area = 0.0;
  for (const BoundaryFacet& facet : facets) {
    const Vector3 a = x[at(facet.vertex[0])] - box.low, b = x[at(facet.vertex[1])] - box.low;
    if (facet.corners() == 2) {
      volume += 0.5 * (a[1] * b[0] - a[0] * b[1]);
      area += (b - a).norm();
      continue;
    }
    const Vector3 c = x[at(facet.vertex[2])] - box.low, n = 0.5 * (b - a).cross(c - a);
    volume += a.dot(n) / 3.0;
    area += n.norm();
  }
  const double least = 1e-3 * (box.high - box.low).norm();
  return area > 0.0 ? std::max(std::abs(volume) / area, least) : least;
}

/// How often a path enters and leaves through facets; `depth`: how far it ends below the last facet
/// that it entered, relative to half the longest side of the facet.
struct FacetPassage {
  int enters = 0, leaves = 0;
  double depth = 0.0, start = 1.0;  ///< start: fraction of the path before it enters the first
};

void pass_facet(const std::vector<Vector3>& start, const std::vector<Vector3>& end,
                const BoundaryFacet& facet, const Vector3& from, const Vector3& to,
                FacetPassage& passed) {
  const int corners = facet.corners();
  Vector3 moved = Vector3::Zero();
  std::array<Vector3, 3> x;
  for (int k = 0; k < corners; ++k) {
    x[at(k)] = start[at(facet.vertex[at(k)])];
    moved += end[at(facet.vertex[at(k)])] - x[at(k)];
  }
  const Vector3 d = to - moved / corners - from;
  Vector3 n;
  double longest = (x[1] - x[0]).norm();
  if (corners == 2) {
    const Vector3 e = x[1] - x[0];
    n = Vector3(e[1], -e[0], 0.0);
  } else {
    n = (x[1] - x[0]).cross(x[2] - x[0]);
    longest = std::max({longest, (x[2] - x[1]).norm(), (x[0] - x[2]).norm()});
  }
  const double height = n.dot(from - x[0]), rate = n.dot(d);
  if (!((height > 0.0 && height + rate < 0.0) || (height < 0.0 && height + rate > 0.0))) return;
  const Vector3 y = from + (height / -rate) * d;
  for (int k = 0; k < corners; ++k) {
    const Vector3 &a = x[at(k)], &b = x[at((k + 1) % corners)];
    const double side = corners == 2 ? (b - a).dot(y - a) : n.dot((b - a).cross(y - a));
    if (side < 0.0) return;
  }
  if (height < 0.0) {
    ++passed.leaves;
    return;
  }
  ++passed.enters;
  passed.start = std::min(passed.start, height / -rate);
  passed.depth = -(height + rate) / (n.norm() * 0.5 * longest);
}

bool turns(const MovingShape& shape) { return shape.reach > 0.0 && shape.turn.norm() > 1.0; }

/// Passed::share for bodies that move by the size of the thinner one in a part `crossing` of the
/// step: an impact is in its middle; bodies that touch from the start may get a little deeper.
double share_of(double start, double crossing) {
  return (start > 0.0 ? 2.0 * kNearShare : kInsideShare) * crossing;
}

bool contains(std::span<const std::array<int, 2>> sorted, int a, int b) {
  return std::binary_search(sorted.begin(), sorted.end(),
                            std::array{std::min(a, b), std::max(a, b)});
}

}  // namespace

std::string surface_name(const Surfaces& surfaces, int number) {
  const auto frames = static_cast<int>(surfaces.frames.size());
  if (number >= frames) return surfaces.boundaries[at(number - frames)].name;
  if (number >= 0) return surfaces.frames[at(number)].name;
  const auto fixed = at(-number - 1);
  return fixed < surfaces.fixed_names.size() ? surfaces.fixed_names[fixed] : "a fixed body";
}

SurfacePassages::SurfacePassages(const Model& model, SurfaceFrames& frames,
                                 std::span<const Collider> colliders)
    : model_(model),
      frames_(frames),
      colliders_(colliders),
      half_(frames.count(), kEndless),
      reach_(frames.count(), 0.0),
      motion_(frames.count(), 0.0),
      fast_(frames.count(), 0),
      start_(frames.count()),
      spin_(frames.count(), Vector3::Zero()),
      excluded_(model.surfaces().excluded) {
  for (auto& [a, b] : excluded_)
    if (a > b) std::swap(a, b);
  std::sort(excluded_.begin(), excluded_.end());
  std::vector<char> fixed;
  for (std::size_t c = 0; c < colliders_.size(); ++c) {
    const Collider& on = colliders_[c];
    collider_half_.push_back(saltus::half_thickness(on.shape));
    radius_.push_back(reach_in(on.shape, {}));
    const bool still = std::holds_alternative<Sphere>(on.shape) && on.local.x.isZero(0.0);
    if (on.frame >= 0) {
      double& reach = reach_[at(on.frame)];
      half_[at(on.frame)] = std::min(half_[at(on.frame)], collider_half_.back());
      if (!still && can_move(on.shape)) reach = std::max(reach, reach_in(on.shape, on.local));
    }
    if (std::holds_alternative<Plane>(on.shape)) {
      planes_.push_back(static_cast<int>(c));
      continue;
    }
    bounded_.push_back(static_cast<int>(c));
    fixed.push_back(on.frame < 0 ? '\1' : '\0');
    boxes_.push_back(bounds(on.shape, on.local));
  }
  broad_ = std::make_unique<BroadPhase>(fixed, boxes_);
  for (const SurfaceFrames::Boundary& on : frames_.boundaries()) {
    const Surfaces::DeformingBoundary& boundary = frames_.of(on);
    BoundaryPath path;
    path.start = shape_at_start(boundary, frames_.dynamics(at(on.member)),
                                model.initial()[at(boundary.group)])
                     .vertices;
    path.half = saltus::half_thickness(path.start, boundary.boundary.facets);
    boundaries_.push_back(std::move(path));
  }
}

void SurfacePassages::find(const Start& start, const End& end, const ActedPairs& acted,
                           const Use& use) {
  const bool shapes = place_shapes(start, end), boundaries = place_boundaries(start, end);
  if (!shapes && !boundaries) return;
  measure_motions(end);
  found_.clear();
  const Step step{end, acted(), use};
  sweep_boxes(end);
  if (shapes) find_shapes(step);
  for (std::size_t k = 0; k < boundaries_.size(); ++k) {
    find_by_shapes(step, k);
    find_by_boundaries(step, k);
  }
  for (const Passed& passed : found_) use(passed);
}

/// Places frames at the start of the step. Returns true if one of them moved by more than half its
/// thickness.
bool SurfacePassages::place_shapes(const Start& start, const End& end) {
  frames_.place(start.t, start.q, start_);
  for (std::size_t f = 0; f < start_.size(); ++f) {
    const int frame = static_cast<int>(f), m = frames_.member(frame);
    if (reach_[f] > 0.0 && frames_.dynamics(at(m)).rigid() && frames_.moves(frame))
      spin_[f] = start.h * start.v[at(m)]->segment<3>(6 * frames_.body(frame) + 3);
  }
  for (std::size_t f = 0; f < start_.size(); ++f) {
    const Pose &from = start_[f], &to = end.poses[f];
    const double path2 = (to.x - from.x).squaredNorm(), reach = reach_[f], half = half_[f];
    if (reach == 0.0 ? path2 > half * half : std::sqrt(path2) + reach * angle(f, end) > half)
      return true;
  }
  return false;
}

/// By which a frame turns in the step, at most [rad].
double SurfacePassages::angle(std::size_t f, const End& end) const {
  return std::max(most_angle(start_[f].R, end.poses[f].R), 1.12 * spin_[f].norm());
}

/// The same for boundary surfaces; also sets their motion and boxes.
bool SurfacePassages::place_boundaries(const Start& start, const End& end) {
  bool any = false;
  for (std::size_t k = 0; k < boundaries_.size(); ++k) {
    BoundaryPath& path = boundaries_[k];
    frames_.place(start.t, start.q, k, path.start);
    const std::vector<Vector3>& last = end.boundaries->vertices(static_cast<int>(k));
    double most = 0.0;
    path.box = {last.front(), last.front()};
    for (std::size_t i = 0; i < last.size(); ++i) {
      most = std::max(most, (last[i] - path.start[i]).squaredNorm());
      path.box.low = path.box.low.cwiseMin(last[i]).cwiseMin(path.start[i]);
      path.box.high = path.box.high.cwiseMax(last[i]).cwiseMax(path.start[i]);
    }
    path.motion = std::sqrt(most);
    path.fast = path.motion > path.half && std::isfinite(path.motion);
    any = any || path.fast;
  }
  return any;
}

void SurfacePassages::measure_motions(const End& end) {
  for (std::size_t f = 0; f < start_.size(); ++f) {
    const Pose &from = start_[f], &to = end.poses[f];
    motion_[f] = (to.x - from.x).norm();
    if (reach_[f] > 0.0) motion_[f] += reach_[f] * angle(f, end);
    fast_[f] = motion_[f] > half_[f] && std::isfinite(motion_[f]) ? '\1' : '\0';
  }
}

void SurfacePassages::sweep_boxes(const End& end) {
  for (std::size_t k = 0; k < bounded_.size(); ++k) {
    const int c = bounded_[k], f = colliders_[at(c)].frame;
    if (f >= 0)
      boxes_[k] = swept(start_[at(f)] * colliders_[at(c)].local.x,
                        end.poses[at(f)] * colliders_[at(c)].local.x,
                        radius_[at(c)] + (reach_[at(f)] > 0.0 ? motion_[at(f)] : 0.0));
  }
}

MovingShape SurfacePassages::moving(const End& end, int collider) const {
  const Collider& on = colliders_[at(collider)];
  if (on.frame < 0) return MovingShape(on.shape, on.local, {}, {});
  return MovingShape(on.shape, on.local, start_[at(on.frame)], end.poses[at(on.frame)],
                     spin_[at(on.frame)]);
}

int SurfacePassages::number_of(std::size_t boundary) const {
  return static_cast<int>(model_.surfaces().frames.size()) +
         frames_.boundaries()[boundary].in_model;
}

/// Keeps one report per pair of bodies: the one that passed before those that end inside, then the
/// earliest.
void SurfacePassages::report(const Passed& passed) {
  const auto same = std::ranges::find_if(found_, [&](const Passed& other) {
    return std::minmax(other.a, other.b) == std::minmax(passed.a, passed.b);
  });
  if (same == found_.end())
    found_.push_back(passed);
  else if (std::pair(passed.inside, passed.start) < std::pair(same->inside, same->start))
    *same = passed;
}

/// Shapes that passed through shapes or ended deep in them.
void SurfacePassages::find_shapes(const Step& step) {
  pairs_.clear();
  broad_->find(boxes_, pairs_);
  for (auto& [k, l] : pairs_) {
    int a = bounded_[at(k)], b = bounded_[at(l)];
    if (a > b) std::swap(a, b);
    k = a, l = b;
  }
  for (const int b : planes_)
    for (const int a : bounded_)
      if (fast(colliders_[at(a)].frame) || fast(colliders_[at(b)].frame)) pairs_.push_back({a, b});
  std::sort(pairs_.begin(), pairs_.end());
  for (const auto& [a, b] : pairs_) find_pair(step, a, b);
}

void SurfacePassages::find_pair(const Step& step, int a, int b) {
  const Collider &on_a = colliders_[at(a)], &on_b = colliders_[at(b)];
  const int f = on_a.frame, g = on_b.frame;
  if (f == g || !(fast(f) || fast(g)) || !lawful(on_a.material, on_b.material) ||
      !(frames_.moves(f) || frames_.moves(g)) ||
      contains(excluded_, frames_.in_model(f), frames_.in_model(g)))
    return;
  const MovingShape A = moving(step.end, a), B = moving(step.end, b);
  const double half_a = collider_half_[at(a)], half_b = collider_half_[at(b)],
               half = std::min(half_a, half_b), motion = relative_motion(A, B);
  if (!(motion > half)) return;
  using How = Passage::How;
  const auto [how, start] = passage(A, B, 2.0 * half, points_);
  if (how == How::none ||
      (how == How::through && contains(step.acted, frames_.in_model(f), frames_.in_model(g))))
    return;
  // compliant contacts may be deep
  if (how == How::inside && !model_.law(law_of(on_a.material, on_b.material)).set_valued()) return;
  const double room =
      (std::isfinite(half_a) ? half_a : 0.0) + (std::isfinite(half_b) ? half_b : 0.0);
  report({frames_.in_model(fast(f) ? f : g), frames_.in_model(fast(f) ? g : f), motion, room,
          how == How::inside, start, share_of(start, 2.0 * half / motion), turns(A) || turns(B)});
}

/// The fraction of its path at which a point that moves from `from` to `to` enters boundary k, if
/// it leaves it or ends deep below it; else infinite.
double SurfacePassages::crosses(const Step& step, std::size_t k, const Vector3& from,
                                const Vector3& to) const {
  FacetPassage passed;
  for (const BoundaryFacet& facet : frames_.of(frames_.boundaries()[k]).boundary.facets)
    pass_facet(boundaries_[k].start, step.end.boundaries->vertices(static_cast<int>(k)), facet,
               from, to, passed);
  return passed.enters > 0 && (passed.leaves > 0 || passed.depth > 1.0) ? passed.start : kEndless;
}

bool SurfacePassages::excluded(const Step& step, int a, int b) const {
  return contains(excluded_, a, b) || contains(step.acted, a, b);
}

/// The fraction of the step at which the i-th bounded shape enters boundary k, if it passed through
/// it; else infinite. Checks its centre, and vertices of the boundary that passed through the
/// shape.
double SurfacePassages::passed(const Step& step, std::size_t k, std::size_t i) {
  const BoundaryPath& path = boundaries_[k];
  const std::vector<Vector3>& end = step.end.boundaries->vertices(static_cast<int>(k));
  const int c = bounded_[i];
  const Collider& on = colliders_[at(c)];
  const double half = std::min(path.half, collider_half_[at(c)]);
  const MovingShape B = moving(step.end, c);
  double start = kEndless;
  if (can_move(on.shape)) {
    const Bounds box = bounds(on.shape, {});
    const Vector3 middle = 0.5 * (box.low + box.high);
    start = crosses(step, k, B.at(0.0) * middle, B.at(1.0) * middle);
  }
  const Shape point = Sphere{0.02 * half};
  const std::size_t stride = 1 + end.size() / kMostTried;
  for (std::size_t v = 0; v < end.size(); v += stride) {
    if (!((end[v] - path.start[v] - B.shift).norm() > half) && B.turn.isZero(0.0)) continue;
    if (!overlap_boxes(swept(path.start[v], end[v], 0.0), boxes_[i])) continue;
    const MovingShape A(point, {}, {path.start[v]}, {end[v]});
    const auto [how, at_start] = passage(A, B, 2.0 * half, points_);
    if (how != Passage::How::through && how != Passage::How::beyond) continue;
    points_.clear();
    collide(point, A.at(1.0), on.shape, B.at(1.0), 0.0, points_);
    if (points_.empty()) start = std::min(start, at_start);
  }
  return start;
}

void SurfacePassages::find_by_shapes(const Step& step, std::size_t k) {
  const BoundaryPath& path = boundaries_[k];
  const int material = frames_.of(frames_.boundaries()[k]).material;
  for (std::size_t i = 0; i < bounded_.size(); ++i) {
    const int c = bounded_[i];
    const Collider& on = colliders_[at(c)];
    if (!(path.fast || fast(on.frame)) || !overlap_boxes(path.box, boxes_[i]) ||
        !lawful(material, on.material) || excluded(step, number_of(k), frames_.in_model(on.frame)))
      continue;
    const double half = collider_half_[at(c)],
                 room = path.half + (std::isfinite(half) ? half : 0.0),
                 motion = std::max(path.motion, on.frame >= 0 ? motion_[at(on.frame)] : 0.0);
    if (const double start = passed(step, k, i); start < kEndless)
      report({number_of(k), frames_.in_model(on.frame), motion, room, false, start,
              share_of(start, 2.0 * std::min(path.half, half) / motion)});
  }
}

void SurfacePassages::find_by_boundaries(const Step& step, std::size_t k) {
  const BoundaryPath& path = boundaries_[k];
  const int material = frames_.of(frames_.boundaries()[k]).material;
  for (std::size_t l = 0; l < boundaries_.size(); ++l) {
    const BoundaryPath& other = boundaries_[l];
    if (l == k || !(path.fast || other.fast) || !overlap_boxes(path.box, other.box) ||
        !lawful(material, frames_.of(frames_.boundaries()[l]).material) ||
        excluded(step, number_of(k), number_of(l)))
      continue;
    const std::vector<Vector3>& ends = step.end.boundaries->vertices(static_cast<int>(l));
    const std::size_t stride = 1 + ends.size() / kMostTried;
    double start = kEndless;
    for (std::size_t v = 0; v < ends.size(); v += stride)
      if (overlap_boxes(swept(other.start[v], ends[v], 0.0), path.box))
        start = std::min(start, crosses(step, k, other.start[v], ends[v]));
    const double motion = std::max(path.motion, other.motion);
    if (start < kEndless)
      report({number_of(l), number_of(k), motion, path.half + other.half, false, start,
              share_of(start, 2.0 * std::min(path.half, other.half) / motion)});
  }
}

}  // namespace saltus
