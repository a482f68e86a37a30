// What passed through another body in a step: contacts are looked for where the step ends or begins, and what is beyond
// another body by then is found by its path alone.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/assembly/surface_finder.h"
#include "saltus/base/index_internal.h"
#include "saltus/detection/broad_phase.h"
#include "saltus/detection/passage.h"
#include "saltus/model/surface_setup.h"
#include "saltus/scene/build_shape.h"

namespace saltus {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostTried = 256;  // vertices of a deforming surface

double half_thickness(const Shape& shape) {
  return can_move(shape) ? 0.5 * thickness(shape) : kEndless;  // surfaces have none
}

/// Radius about the origin of its frame of what is placed there.
double reach_in(const Shape& shape, const Pose& at) {
  if (!can_move(shape)) return kEndless;
  const Bounds box = bounds(shape, at);
  return box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs()).norm();
}

/// No less than the angle between two orientations: |R1 - R0| = 2 sqrt(2) sin(angle/2).
double most_angle(const Matrix3& R0, const Matrix3& R1) { return 1.12 * (R1 - R0).norm(); }

Bounds swept(const Vector3& from, const Vector3& to, double radius) {
  return {(from.cwiseMin(to).array() - radius).matrix(),
          (from.cwiseMax(to).array() + radius).matrix()};
}

bool meet(const Bounds& a, const Bounds& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

/// Volume over area of a closed surface, half the thickness of a plate; in the plane area over length. At least a thousandth
/// of the size.
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

}  // namespace

struct SurfaceFinder::Paths {
  /// Of each frame: half the thickness of its thinnest shape, its farthest point, 0 where turning moves nothing, and its motion
  /// in the step.
  std::vector<double> half, reach, motion;
  std::vector<char> fast;
  std::vector<double> collider_half, radius;  ///< of each collider; radius about its own origin
  std::vector<int> bounded;                   ///< colliders that are no planes
  std::vector<Bounds> boxes;                  ///< of those, over the step
  std::unique_ptr<BroadPhase> broad;
  std::vector<std::array<int, 2>> pairs;
  std::vector<std::array<int, 2>> excluded;  ///< numbers as in Passed, the smaller first, sorted
  std::vector<Pose> start;                   ///< of each frame
  struct SurfacePath {
    std::vector<Vector3> start;
    double half = 0.0, motion = 0.0;
    Bounds box;
    bool fast = false;
  };
  std::vector<SurfacePath> boundaries;
  std::vector<ContactPoint> points;
  std::vector<std::array<int, 2>> told;  ///< in this step
};

/// Enters and leaves facets on its way; `behind`: how far it ends behind the last one that it entered, of half its longest
/// side.
struct FacetPassage {
  int enters = 0, leaves = 0;
  double behind = 0.0;
};

namespace {

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
  passed.behind = -(height + rate) / (n.norm() * 0.5 * longest);
}

}  // namespace

std::string surface_name(const Surfaces& surfaces, int number) {
  const auto frames = static_cast<int>(surfaces.frames.size());
  if (number >= frames) return surfaces.boundaries[at(number - frames)].name;
  if (number >= 0) return surfaces.frames[at(number)].name;
  const auto fixed = at(-number - 1);
  return fixed < surfaces.fixed_names.size() ? surfaces.fixed_names[fixed] : "a fixed body";
}

std::array<int, 2> SurfaceFinder::bodies_of(std::uint64_t key) const {
  const auto frames = static_cast<int>(model_.surfaces().frames.size());
  const auto body = [&](int number) {
    const auto colliders = static_cast<int>(colliders_.size());
    if (number >= colliders) return frames + boundary_of_[at(number - colliders)][1];
    const int frame = colliders_[at(number)].frame;
    return frame < 0 ? frame : frame_in_model_[at(frame)];
  };
  const KeyLayout keys = shapes_ ? shapes_->keys() : KeyLayout{};
  const int a = body(keys.a(key)), b = body(keys.b(key));
  return {std::min(a, b), std::max(a, b)};
}

double SurfaceFinder::size_of(std::uint64_t key) const {
  double half = kEndless;
  const KeyLayout keys = shapes_ ? shapes_->keys() : KeyLayout{};
  for (const int number : {keys.a(key), keys.b(key)}) {
    if (at(number) >= colliders_.size()) return kEndless;
    half = std::min(half, paths_->collider_half[at(number)]);
  }
  return 2.0 * half;
}

void SurfaceFinder::find_passed(double t0, Configurations q0, const ActedPairs& acted,
                                const std::function<void(const Passed&)>& use) {
  const Surfaces& surfaces = model_.surfaces();
  if (!paths_) {
    paths_ = std::make_shared<Paths>();
    Paths& p = *paths_;
    const std::size_t frames = frame_of_.size();
    p.half.assign(frames, kEndless);
    p.reach.assign(frames, 0.0);
    p.motion.assign(frames, 0.0);
    p.fast.assign(frames, 0);
    p.excluded = surfaces.excluded;
    for (auto& [a, b] : p.excluded)
      if (a > b) std::swap(a, b);
    std::sort(p.excluded.begin(), p.excluded.end());
    std::vector<char> fixed;
    for (std::size_t c = 0; c < colliders_.size(); ++c) {
      const Collider& on = colliders_[c];
      p.collider_half.push_back(half_thickness(on.shape));
      p.radius.push_back(reach_in(on.shape, {}));
      const bool still = std::holds_alternative<Sphere>(on.shape) && on.local.x.isZero(0.0);
      if (on.frame >= 0) {
        double& reach = p.reach[at(on.frame)];
        p.half[at(on.frame)] = std::min(p.half[at(on.frame)], p.collider_half.back());
        if (!still && can_move(on.shape)) reach = std::max(reach, reach_in(on.shape, on.local));
      }
      if (std::holds_alternative<Plane>(on.shape)) continue;
      p.bounded.push_back(static_cast<int>(c));
      fixed.push_back(on.frame < 0 ? '\1' : '\0');
      p.boxes.push_back(bounds(on.shape, on.local));
    }
    p.broad = std::make_unique<BroadPhase>(fixed, p.boxes);
    for (const auto& [m, s] : boundary_of_) {
      const Surfaces::DeformingBoundary& boundary = surfaces.boundaries[at(s)];
      Paths::SurfacePath path;
      path.start =
          shape_at_start(boundary, dynamics(at(m)), model_.initial()[at(boundary.group)]).vertices;
      path.half = half_thickness(path.start, boundary.boundary.facets);
      p.boundaries.push_back(std::move(path));
    }
  }
  Paths& p = *paths_;

  p.start.resize(frame_of_.size());
  // visit(frame, its pose at the start)
  const auto each_start = [&](const auto& visit) {
    for (std::size_t m = 0; m < groups_.size(); ++m) {
      const int first = first_frame_[m], end = first_frame_[m + 1];
      if (first == end) continue;
      if (end - first == dynamics(m).bodies()) {  // a frame each, in their order
        const auto own = std::span(p.start).subspan(at(first), at(end - first));
        dynamics(m).frames(t0, *q0[m], own);
        for (int i = first; i < end; ++i) visit(at(i), p.start[at(i)]);
        continue;
      }
      member_poses_.resize(at(dynamics(m).bodies()));
      dynamics(m).frames(t0, *q0[m], member_poses_);
      for (int i = first; i < end; ++i) visit(at(i), member_poses_[at(frame_of_[at(i)][1])]);
    }
  };
  bool any = false, any_boundary = false;
  each_start([&](std::size_t f, const Pose& from) {
    const Pose& to = poses_[f];
    const double way2 = (to.x - from.x).squaredNorm(), reach = p.reach[f], half = p.half[f];
    if (reach == 0.0)
      any = any || way2 > half * half;
    else
      any = any || std::sqrt(way2) + reach * most_angle(from.R, to.R) > half;
  });
  for (std::size_t k = 0; k < p.boundaries.size(); ++k) {
    Paths::SurfacePath& path = p.boundaries[k];
    const auto [m, s] = boundary_of_[k];
    places_.resize(3 * static_cast<Eigen::Index>(path.start.size()));
    dynamics(at(m)).points(t0, *q0[at(m)], surfaces.boundaries[at(s)].boundary.vertices, places_);
    const std::vector<Vector3>& end = boundaries_->vertices(static_cast<int>(k));
    double most = 0.0;
    path.box = {end.front(), end.front()};
    for (std::size_t i = 0; i < end.size(); ++i) {
      path.start[i] = places_.segment<3>(3 * static_cast<Eigen::Index>(i));
      most = std::max(most, (end[i] - path.start[i]).squaredNorm());
      path.box.low = path.box.low.cwiseMin(end[i]).cwiseMin(path.start[i]);
      path.box.high = path.box.high.cwiseMax(end[i]).cwiseMax(path.start[i]);
    }
    path.motion = std::sqrt(most);
    path.fast = path.motion > path.half && std::isfinite(path.motion);
    any_boundary = any_boundary || path.fast;
  }
  if (!any && !any_boundary) return;

  each_start([&](std::size_t f, const Pose& from) {
    const Pose& to = poses_[f];
    if (&p.start[f] != &from) p.start[f] = from;
    p.motion[f] = (to.x - from.x).norm();
    if (p.reach[f] > 0.0) p.motion[f] += p.reach[f] * most_angle(from.R, to.R);
    p.fast[f] = p.motion[f] > p.half[f] && std::isfinite(p.motion[f]) ? '\1' : '\0';
  });
  p.told.clear();
  const std::span<const std::array<int, 2>> pressed = acted();
  const auto frames = static_cast<int>(surfaces.frames.size());
  const auto number = [&](int frame) { return frame < 0 ? frame : frame_in_model_[at(frame)]; };
  const auto boundary_number = [&](std::size_t k) { return frames + boundary_of_[k][1]; };
  const auto in = [](std::span<const std::array<int, 2>> list, int a, int b) {
    return std::binary_search(list.begin(), list.end(), std::array{std::min(a, b), std::max(a, b)});
  };
  // one line a pair of bodies
  const auto tell = [&](int a, int b, double motion, double room) {
    const std::array pair{std::min(a, b), std::max(a, b)};
    if (std::ranges::find(p.told, pair) != p.told.end()) return;
    p.told.push_back(pair);
    use({a, b, motion, room});
  };
  const auto moving = [&](int c) {
    const Collider& on = colliders_[at(c)];
    if (on.frame < 0) return MovingShape(on.shape, on.local, {}, {});
    return MovingShape(on.shape, on.local, p.start[at(on.frame)], poses_[at(on.frame)]);
  };
  for (std::size_t k = 0; k < p.bounded.size(); ++k) {
    const int c = p.bounded[k], f = colliders_[at(c)].frame;
    if (f >= 0)
      p.boxes[k] = swept(p.start[at(f)] * colliders_[at(c)].local.x,
                         poses_[at(f)] * colliders_[at(c)].local.x,
                         p.radius[at(c)] + (p.reach[at(f)] > 0.0 ? p.motion[at(f)] : 0.0));
  }
  const auto fast = [&](int frame) { return frame >= 0 && p.fast[at(frame)] != 0; };
  if (any) {
    p.pairs.clear();
    p.broad->find(p.boxes, p.pairs);
    for (auto& [k, l] : p.pairs) {
      int a = p.bounded[at(k)], b = p.bounded[at(l)];
      if (a > b) std::swap(a, b);
      k = a, l = b;
    }
    std::sort(p.pairs.begin(), p.pairs.end());
    for (const auto& [a, b] : p.pairs) {
      const Collider &on_a = colliders_[at(a)], &on_b = colliders_[at(b)];
      const int f = on_a.frame, g = on_b.frame;
      if (f == g || !(fast(f) || fast(g)) || law_of(on_a.material, on_b.material) < 0 ||
          !(moves(f) || moves(g)) || in(p.excluded, number(f), number(g)))
        continue;
      const MovingShape A = moving(a), B = moving(b);
      const double half_a = p.collider_half[at(a)], half_b = p.collider_half[at(b)],
                   half = std::min(half_a, half_b), motion = relative_motion(A, B);
      if (!(motion > half)) continue;
      const Passage how = passage(A, B, 2.0 * half, p.points);
      if (how == Passage::none || (how == Passage::through && in(pressed, number(f), number(g))))
        continue;
      const double room =
          (std::isfinite(half_a) ? half_a : 0.0) + (std::isfinite(half_b) ? half_b : 0.0);
      tell(number(fast(f) ? f : g), number(fast(f) ? g : f), motion, room);
    }
  }

  for (std::size_t k = 0; k < p.boundaries.size(); ++k) {
    const Paths::SurfacePath& path = p.boundaries[k];
    const Surfaces::DeformingBoundary& boundary = surfaces.boundaries[at(boundary_of_[k][1])];
    const std::vector<Vector3>& end = boundaries_->vertices(static_cast<int>(k));
    const auto through_boundary = [&](const Vector3& from, const Vector3& to) {
      FacetPassage passed;
      for (const BoundaryFacet& facet : boundary.boundary.facets)
        pass_facet(path.start, end, facet, from, to, passed);
      return passed.enters > 0 && (passed.leaves > 0 || passed.behind > 1.0);
    };
    for (std::size_t i = 0; i < p.bounded.size(); ++i) {
      const int c = p.bounded[i];
      const Collider& on = colliders_[at(c)];
      if (!(path.fast || fast(on.frame)) || !meet(path.box, p.boxes[i]) ||
          law_of(boundary.material, on.material) < 0 ||
          in(p.excluded, boundary_number(k), number(on.frame)) ||
          in(pressed, boundary_number(k), number(on.frame)))
        continue;
      const double half = std::min(path.half, p.collider_half[at(c)]);
      const MovingShape B = moving(c);
      const double room =
          path.half + (std::isfinite(p.collider_half[at(c)]) ? p.collider_half[at(c)] : 0.0);
      bool passed = false;
      if (can_move(on.shape)) {
        const Bounds box = bounds(on.shape, {});
        const Vector3 middle = 0.5 * (box.low + box.high);
        passed = through_boundary(B.at(0.0) * middle, B.at(1.0) * middle);
      }
      const Shape point = Sphere{0.02 * half};
      const std::size_t stride = 1 + end.size() / kMostTried;
      for (std::size_t v = 0; v < end.size() && !passed; v += stride) {
        if (!((end[v] - path.start[v] - B.shift).norm() > half) && B.turn.isZero(0.0)) continue;
        if (!meet(swept(path.start[v], end[v], 0.0), p.boxes[i])) continue;
        const MovingShape A(point, {}, {path.start[v]}, {end[v]});
        if (passage(A, B, 2.0 * half, p.points) == Passage::none) continue;
        p.points.clear();
        collide(point, A.at(1.0), on.shape, B.at(1.0), 0.0, p.points);
        passed = p.points.empty();
      }
      if (passed)
        tell(boundary_number(k), number(on.frame),
             std::max(path.motion, on.frame >= 0 ? p.motion[at(on.frame)] : 0.0), room);
    }
    for (std::size_t l = 0; l < p.boundaries.size(); ++l) {
      const Paths::SurfacePath& other = p.boundaries[l];
      const Surfaces::DeformingBoundary& of = surfaces.boundaries[at(boundary_of_[l][1])];
      if (l == k || !(path.fast || other.fast) || !meet(path.box, other.box) ||
          law_of(boundary.material, of.material) < 0 ||
          in(p.excluded, boundary_number(k), boundary_number(l)) ||
          in(pressed, boundary_number(k), boundary_number(l)))
        continue;
      const std::vector<Vector3>& ends = boundaries_->vertices(static_cast<int>(l));
      const std::size_t stride = 1 + ends.size() / kMostTried;
      bool passed = false;
      for (std::size_t v = 0; v < ends.size() && !passed; v += stride)
        passed = meet(swept(other.start[v], ends[v], 0.0), path.box) &&
                 through_boundary(other.start[v], ends[v]);
      if (passed)
        tell(boundary_number(l), boundary_number(k), std::max(path.motion, other.motion),
             path.half + other.half);
    }
  }
}

}  // namespace saltus
