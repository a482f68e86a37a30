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

SkinDetector::SkinDetector(std::vector<DeformingShape> skins, std::span<const Collider> colliders,
                           double margin, int materials, const std::vector<char>& meets,
                           std::vector<std::array<int, 2>> excluded)
    : work_(std::make_unique<Work>()) {
  constexpr int kMostVertices = 1 << 22;
  expects(margin >= 0.0, "the margin of detection is below 0");
  expects(skins.size() + colliders.size() < (std::size_t{1} << 20), "more than 1048575 shapes");
  Work& w = *work_;
  w.margin = margin;
  w.materials = materials;
  w.meets = meets;
  w.excluded = std::move(excluded);
  for (auto& [a, b] : w.excluded)
    if (a > b) std::swap(a, b);
  std::ranges::sort(w.excluded);
  double widest = 0.0;  // of what edges in the plane must reach past
  for (const Collider& collider : colliders) {
    Work::Other other{collider, collider.local, {}, nullptr};
    if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&collider.shape))
      other.surface = std::make_unique<SkinSurface>(**mesh);
    else if (const auto* field = std::get_if<std::shared_ptr<const HeightField>>(&collider.shape))
      other.surface = std::make_unique<SkinSurface>(**field);
    else if (!std::holds_alternative<Plane>(collider.shape)) {
      const Bounds box = bounds(collider.shape, Pose{});
      widest = std::max(widest, (box.high - box.low).norm());
    }
    if (other.surface)
      expects(other.surface->vertices() <= kMostVertices,
              "a surface of more than 4194304 vertices");
    w.others.push_back(std::move(other));
  }
  for (DeformingShape& skin : skins) {
    expects(!skin.vertices.empty() && skin.vertices.size() <= kMostVertices,
            fmt::format("a skin of {} vertices (1 to {})", skin.vertices.size(), kMostVertices));
    Bounds box{skin.vertices.front(), skin.vertices.front()};
    for (const Vector3& x : skin.vertices) {
      box.low = box.low.cwiseMin(x);
      box.high = box.high.cwiseMax(x);
    }
    std::vector<int> none(skin.vertices.size(), -1);
    w.skins.push_back(
        {SkinSurface(std::move(skin.vertices), skin.facets, widest + (box.high - box.low).norm()),
         skin.material, skin.self, box, std::move(none)});
  }
  for (Work::Other& other : w.others)
    if (other.collider.frame < 0) w.place(other);
}

SkinDetector::~SkinDetector() = default;
SkinDetector::SkinDetector(SkinDetector&&) noexcept = default;

int SkinDetector::skins() const { return static_cast<int>(work_->skins.size()); }
std::vector<Vector3>& SkinDetector::vertices(int skin) {
  return work_->skins[static_cast<std::size_t>(skin)].surface.places();
}

void SkinDetector::Work::place(Other& other) {
  if (other.surface) {
    other.box = placed(other.surface->box(), other.at);
    widen(other.box, margin + other.surface->beyond());
  } else if (!std::holds_alternative<Plane>(other.collider.shape)) {
    other.box = bounds(other.collider.shape, other.at);
    widen(other.box, margin);
  }
}

// By key; contacts of one key get the next ones.
void SkinDetector::Work::take_keys(std::vector<SkinContact>& contacts) {
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

void SkinDetector::detect(std::span<const Pose> frames, std::vector<SkinContact>& contacts) {
  Work& w = *work_;
  w.found.clear();
  w.pair = 0;
  for (Work::Other& other : w.others)
    if (other.collider.frame >= 0) {
      other.at = frames[static_cast<std::size_t>(other.collider.frame)] * other.collider.local;
      w.place(other);
    }
  const int skins = static_cast<int>(w.skins.size()), others = static_cast<int>(w.others.size());
  for (Work::Skin& skin : w.skins) {
    skin.surface.refit();
    skin.box = skin.surface.box();
    widen(skin.box, w.margin + skin.surface.beyond());
    std::ranges::fill(skin.touched, -1);
  }
  for (int s = 0; s < skins; ++s) {
    const Work::Skin& skin = w.skins[static_cast<std::size_t>(s)];
    for (int c = 0; c < others; ++c, ++w.pair) {
      const Work::Other& other = w.others[static_cast<std::size_t>(c)];
      if (!w.wanted(s, c, other.collider.material)) continue;
      if (std::holds_alternative<Plane>(other.collider.shape))
        w.on_plane(s, c);
      else if (disjoint(skin.box, other.box))
        continue;
      else if (other.surface)
        w.on_surface(s, c);
      else
        w.on_convex(s, c);
    }
    for (int r = s; r < skins; ++r, ++w.pair) {
      const Work::Skin& second = w.skins[static_cast<std::size_t>(r)];
      if (!w.wanted(s, w.number(r), second.material)) continue;
      if (r == s && skin.self) w.on_itself(s);
      if (r > s && !disjoint(skin.box, second.box)) w.on_skin(s, r);
    }
  }
  w.take_keys(contacts);
}

}  // namespace saltus
