#include "saltus/detection/surface_detector.h"

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/detection/surface_detector_internal.h"

namespace saltus {
namespace {

bool disjoint(const Bounds& a, const Bounds& b) {
  return !((a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all());
}

}  // namespace

SurfaceDetector::SurfaceDetector(std::vector<DeformingShape> boundaries,
                                 std::span<const Collider> colliders, double margin, int materials,
                                 const std::vector<char>& meets,
                                 std::vector<std::array<int, 2>> excluded)
    : search_(std::make_unique<Search>()) {
  constexpr int kMostVertices = 1 << 22;
  expects(margin >= 0.0, "the detection margin must not be negative");
  expects(boundaries.size() + colliders.size() < (std::size_t{1} << 20),
          "at most 1048575 shapes are allowed");
  Search& w = *search_;
  w.margin = margin;
  w.materials = materials;
  w.meets = meets;
  w.excluded = std::move(excluded);
  for (auto& [a, b] : w.excluded)
    if (a > b) std::swap(a, b);
  std::ranges::sort(w.excluded);
  double widest = 0.0;  // width that strips of edges in the plane must exceed
  for (const Collider& collider : colliders) {
    Search::Other other{collider, collider.local, {}, nullptr};
    if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&collider.shape))
      other.surface = std::make_unique<FacetSurface>(**mesh);
    else if (const auto* field = std::get_if<std::shared_ptr<const HeightField>>(&collider.shape))
      other.surface = std::make_unique<FacetSurface>(**field);
    else if (!std::holds_alternative<Plane>(collider.shape)) {
      const Bounds box = bounds(collider.shape, Pose{});
      widest = std::max(widest, (box.high - box.low).norm());
    }
    if (other.surface)
      expects(other.surface->vertices() <= kMostVertices,
              "a surface may have at most 4194304 vertices");
    w.others.push_back(std::move(other));
  }
  for (DeformingShape& boundary : boundaries) {
    expects(!boundary.vertices.empty() && boundary.vertices.size() <= kMostVertices,
            fmt::format("a boundary surface has {} vertices (allowed: 1 to {})",
                        boundary.vertices.size(), kMostVertices));
    Bounds box{boundary.vertices.front(), boundary.vertices.front()};
    for (const Vector3& x : boundary.vertices) {
      box.low = box.low.cwiseMin(x);
      box.high = box.high.cwiseMax(x);
    }
    std::vector<int> none(boundary.vertices.size(), -1);
    w.boundaries.push_back({FacetSurface(std::move(boundary.vertices), boundary.facets,
                                         widest + (box.high - box.low).norm()),
                            boundary.material, boundary.self, box, std::move(none)});
  }
  for (Search::Other& other : w.others)
    if (other.collider.frame < 0) w.place(other);
}

SurfaceDetector::~SurfaceDetector() = default;
SurfaceDetector::SurfaceDetector(SurfaceDetector&&) noexcept = default;

int SurfaceDetector::boundaries() const { return static_cast<int>(search_->boundaries.size()); }
std::vector<Vector3>& SurfaceDetector::vertices(int boundary) {
  return search_->boundaries[static_cast<std::size_t>(boundary)].surface.places();
}

void SurfaceDetector::Search::place(Other& other) {
  if (other.surface) {
    other.box = placed(other.surface->box(), other.at);
    widen(other.box, margin + other.surface->beyond());
  } else if (!std::holds_alternative<Plane>(other.collider.shape)) {
    other.box = bounds(other.collider.shape, other.at);
    widen(other.box, margin);
  }
}

// Sorts by key; contacts with equal keys get the next free ones.
void SurfaceDetector::Search::take_keys(std::vector<SurfaceContact>& contacts) {
  std::ranges::sort(found, [](const Found& a, const Found& b) {
    return a.contact.key != b.contact.key ? a.contact.key < b.contact.key : a.order < b.order;
  });
  contacts.clear();
  std::uint64_t next = 0;
  for (Found& one : found) {
    one.contact.key = std::max(one.contact.key, next);
    next = one.contact.key + 1;
    contacts.push_back(one.contact);
  }
}

void SurfaceDetector::detect(std::span<const Pose> frames, std::vector<SurfaceContact>& contacts) {
  Search& w = *search_;
  w.found.clear();
  w.pair = 0;
  for (Search::Other& other : w.others)
    if (other.collider.frame >= 0) {
      other.at = frames[static_cast<std::size_t>(other.collider.frame)] * other.collider.local;
      w.place(other);
    }
  const int boundaries = static_cast<int>(w.boundaries.size()),
            others = static_cast<int>(w.others.size());
  for (Search::BoundarySurface& boundary : w.boundaries) {
    boundary.surface.refit();
    boundary.box = boundary.surface.box();
    widen(boundary.box, w.margin + boundary.surface.beyond());
    std::ranges::fill(boundary.touched, -1);
  }
  for (int s = 0; s < boundaries; ++s) {
    const Search::BoundarySurface& boundary = w.boundaries[static_cast<std::size_t>(s)];
    for (int c = 0; c < others; ++c, ++w.pair) {
      const Search::Other& other = w.others[static_cast<std::size_t>(c)];
      if (!w.wanted(s, c, other.collider.material)) continue;
      if (std::holds_alternative<Plane>(other.collider.shape))
        w.on_plane(s, c);
      else if (disjoint(boundary.box, other.box))
        continue;
      else if (other.surface)
        w.on_surface(s, c);
      else
        w.on_convex(s, c);
    }
    for (int r = s; r < boundaries; ++r, ++w.pair) {
      const Search::BoundarySurface& second = w.boundaries[static_cast<std::size_t>(r)];
      if (!w.wanted(s, w.number(r), second.material)) continue;
      if (r == s && boundary.self) w.on_itself(s);
      if (r > s && !disjoint(boundary.box, second.box)) w.on_boundary(s, r);
    }
  }
  w.take_keys(contacts);
}

}  // namespace saltus
