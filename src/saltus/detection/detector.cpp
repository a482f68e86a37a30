#include "saltus/detection/detector.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/detection/broad_phase.h"
#include "saltus/linear_algebra/blocks_internal.h"

namespace saltus {
namespace {

constexpr std::size_t kFewColliderBlocks = 256;

bool is_surface(const Shape& shape) {
  return std::holds_alternative<std::shared_ptr<const TriangleMesh>>(shape) ||
         std::holds_alternative<std::shared_ptr<const HeightField>>(shape);
}

/// False if the box lies farther than margin in front of the plane.
bool near_plane(const Bounds& box, const Pose& plane, double margin) {
  const Vector3 n = plane.R.col(2);
  const Vector3 middle = 0.5 * (box.low + box.high), half = 0.5 * (box.high - box.low);
  return n.dot(middle - plane.x) - n.cwiseAbs().dot(half) <= margin;
}

}  // namespace

struct Detector::Search {
  std::vector<Collider> colliders;
  double margin = 0.0;
  KeyLayout keys;
  std::vector<std::array<int, 2>> excluded;  ///< pairs of frames, the smaller number first, sorted
  std::vector<int> planes;
  std::vector<int> bounded;  ///< colliders other than planes, those of the broad phase
  std::unique_ptr<BroadPhase> broad;

  /// Centre and radius of a sphere; radius < 0 for other shapes.
  struct Ball {
    Vector3 x = Vector3::Zero();
    double radius = -1.0;
  };
  std::vector<Pose> at;
  std::vector<Ball> balls;
  std::vector<Bounds> boxes;                      ///< of `bounded`, enlarged by half the margin
  std::vector<std::array<int, 2>> found, pairs;   ///< pairs of the broad phase; sorted pairs
  std::vector<std::size_t> start;                 ///< first pair of each collider
  std::vector<std::vector<ContactPoint>> points;  ///< one for each block of pairs
  std::vector<std::vector<int>> counts;
  std::vector<std::size_t> first;  ///< first contact of each block of pairs
  /// work space of find_pairs(): for each of `bounded`, whether it is near a plane
  std::vector<char> near;
  std::vector<ContactPoint> apart;  ///< work space of clearance()
  std::vector<int> order;

  bool fixed(int i) const { return colliders[i].frame < 0; }
  bool wanted(int a, int b) const {
    const int f = colliders[a].frame, g = colliders[b].frame;
    if (f == g || (f < 0 && g < 0)) return false;
    if (excluded.empty()) return true;
    return !std::binary_search(excluded.begin(), excluded.end(),
                               std::array<int, 2>{std::min(f, g), std::max(f, g)});
  }
  void box(std::size_t k) {
    const int i = bounded[k];
    boxes[k] = bounds(colliders[i].shape, at[i]);
    boxes[k].low.array() -= 0.5 * margin;
    boxes[k].high.array() += 0.5 * margin;
  }
  void place(std::span<const Pose> frames) {
    in_blocks(colliders.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Collider& c = colliders[i];
        if (c.frame >= 0) at[i] = frames[static_cast<std::size_t>(c.frame)] * c.local;
        balls[i].x = at[i].x;
      }
    });
  }
  void box_moving() {
    in_blocks(bounded.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k)
        if (!fixed(bounded[k])) box(k);
    });
  }
  void find_pairs() {
    found.clear();
    broad->find(boxes, found, [&](int k, int m) { return wanted(bounded[k], bounded[m]); });
    for (auto& [k, m] : found) {
      k = bounded[k];
      m = bounded[m];
    }
    near.resize(bounded.size());
    for (int plane : planes) {
      in_blocks(bounded.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
          near[k] = near_plane(boxes[k], at[plane], margin) ? 1 : 0;
      });
      for (std::size_t k = 0; k < bounded.size(); ++k)
        if (near[k] != 0 && wanted(plane, bounded[k])) found.push_back({bounded[k], plane});
    }
    sort_pairs();
  }
  /// Sorts pairs by the smaller collider, then the other one: a counting sort by the first, then a
  /// sort of the few pairs of each by the second.
  void sort_pairs() {
    start.assign(colliders.size() + 1, 0);
    for (auto& [a, b] : found) {
      if (a > b) std::swap(a, b);
      ++start[static_cast<std::size_t>(a) + 1];
    }
    for (std::size_t a = 1; a < start.size(); ++a) start[a] += start[a - 1];
    pairs.resize(found.size());
    for (const auto& pair : found) pairs[start[static_cast<std::size_t>(pair[0])]++] = pair;
    std::size_t begin = 0;
    for (std::size_t a = 0; a < colliders.size(); ++a) {
      std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(begin),
                pairs.begin() + static_cast<std::ptrdiff_t>(start[a]));
      begin = start[a];
    }
  }
  void collide_pairs(std::span<const std::array<int, 2>> of, double most,
                     std::vector<DetectedContact>& contacts);
  /// True for spheres whose gap exceeds `most` by more than round-off: three of four pairs of boxes
  /// in a dense packing.
  bool far_apart(int a, int b, double most) const {
    const Ball &p = balls[static_cast<std::size_t>(a)], &q = balls[static_cast<std::size_t>(b)];
    if (p.radius < 0.0 || q.radius < 0.0) return false;
    const double reach = (1.0 + 1e-9) * (p.radius + q.radius + most);
    return (p.x - q.x).squaredNorm() > reach * reach;
  }
};

void Detector::Search::collide_pairs(std::span<const std::array<int, 2>> of, double most_gap,
                                     std::vector<DetectedContact>& contacts) {
  const std::size_t blocks = blocks_in(of.size());
  if (points.size() < blocks) {
    points.resize(blocks);
    counts.resize(blocks);
  }
  in_blocks(of.size(), [&](std::size_t block, std::size_t begin, std::size_t end) {
    std::vector<ContactPoint>& out = points[block];
    std::vector<int>& count = counts[block];
    out.clear();
    count.clear();
    for (std::size_t p = begin; p < end; ++p) {
      const auto [a, b] = of[p];
      const std::size_t before = out.size();
      if (!far_apart(a, b, most_gap))
        collide(colliders[a].shape, at[a], colliders[b].shape, at[b], most_gap, out);
      if (keys.feature < 24) fold_features(keys.feature, before, out);
      count.push_back(static_cast<int>(out.size() - before));
    }
  });
  std::size_t most = 0;
  first.assign(1, 0);
  for (std::size_t block = 0; block < blocks; ++block) {
    most = std::max(most, points[block].size());
    first.push_back(first.back() + points[block].size());
  }
  contacts.resize(first.back());
  in_blocks(of.size(), [&](std::size_t block, std::size_t begin, std::size_t end) {
    const ContactPoint* point = points[block].data();
    DetectedContact* contact = contacts.data() + first[block];
    for (std::size_t p = begin; p < end; ++p) {
      const auto [a, b] = of[p];
      for (int i = 0; i < counts[block][p - begin]; ++i, ++point)
        *contact++ = {a, b, *point, keys.key(a, b, point->feature)};
    }
  });
  // Pairs move between blocks. Each block gets the capacity of the largest one, so that later steps
  // do not allocate. With many blocks this would take several times the memory of their contents.
  for (std::size_t block = 0; block < blocks && blocks <= kFewColliderBlocks; ++block) {
    if (points[block].capacity() < most) points[block].reserve(most + most / 4);
    counts[block].reserve(kBlock);
  }
}

Detector::Detector(std::vector<Collider> colliders, double margin,
                   std::vector<std::array<int, 2>> excluded_frames)
    : search_(std::make_unique<Search>()) {
  expects(margin >= 0.0, "the detection margin must not be negative");
  expects(colliders.size() <= KeyLayout::kMostShapes, "at most 16777215 colliders are allowed");
  Search& w = *search_;
  w.keys = KeyLayout::of(colliders.size());
  w.colliders = std::move(colliders);
  w.margin = margin;
  w.excluded = std::move(excluded_frames);
  for (auto& [f, g] : w.excluded)
    if (f > g) std::swap(f, g);
  std::sort(w.excluded.begin(), w.excluded.end());
  std::vector<char> fixed;
  for (std::size_t i = 0; i < w.colliders.size(); ++i) {
    if (std::holds_alternative<Plane>(w.colliders[i].shape)) {
      w.planes.push_back(static_cast<int>(i));
    } else {
      w.bounded.push_back(static_cast<int>(i));
      fixed.push_back(w.colliders[i].frame < 0 ? 1 : 0);
    }
  }
  w.at.resize(w.colliders.size());
  w.balls.resize(w.colliders.size());
  for (std::size_t i = 0; i < w.colliders.size(); ++i)
    if (const auto* sphere = std::get_if<Sphere>(&w.colliders[i].shape))
      w.balls[i].radius = sphere->radius;
  w.boxes.resize(w.bounded.size());
  for (std::size_t i = 0; i < w.colliders.size(); ++i)
    if (w.fixed(static_cast<int>(i))) w.at[i] = w.colliders[i].local;
  for (std::size_t k = 0; k < w.bounded.size(); ++k)
    if (w.fixed(w.bounded[k])) w.box(k);
  w.broad = std::make_unique<BroadPhase>(fixed, w.boxes);
}

Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;

std::span<const Collider> Detector::colliders() const { return search_->colliders; }
double Detector::margin() const { return search_->margin; }
KeyLayout Detector::keys() const { return search_->keys; }

void Detector::detect(std::span<const Pose> frames, std::vector<DetectedContact>& contacts) {
  search_->place(frames);
  search_->box_moving();
  search_->find_pairs();
  search_->collide_pairs(search_->pairs, search_->margin, contacts);
}

void Detector::refine(std::span<const Pose> frames, std::vector<DetectedContact>& contacts) {
  search_->place(frames);
  search_->collide_pairs(search_->pairs, search_->margin, contacts);
}

void Detector::refine(std::span<const Pose> frames, std::span<const std::array<int, 2>> pairs,
                      double margin, std::vector<DetectedContact>& contacts) {
  search_->place(frames);
  search_->collide_pairs(pairs, margin, contacts);
}

Clearance Detector::clearance(const std::function<bool(int, int)>& meet) {
  Search& w = *search_;
  w.box_moving();
  Clearance found;
  const auto measure = [&](int a, int b, double least) {
    if (a > b) std::swap(a, b);
    if (!meet(a, b)) return;
    const Shape &of_a = w.colliders[a].shape, &of_b = w.colliders[b].shape;
    if (is_surface(of_a) || is_surface(of_b)) {  // any of its triangles may be this near
      found.possible = std::min(found.possible, least);
      return;
    }
    w.apart.clear();
    collide(of_a, w.at[a], of_b, w.at[b], std::numeric_limits<double>::infinity(), w.apart);
    for (const ContactPoint& point : w.apart) found.known = std::min(found.known, point.gap);
  };
  for (const int plane : w.planes)
    for (const int i : w.bounded)
      if (w.wanted(plane, i) &&
          near_plane(bounds(w.colliders[i].shape, w.at[i]), w.at[plane], found.known))
        measure(i, plane, 0.0);
  // sorted by lower ends: boxes after the first one that is too far along x are farther still
  std::vector<int>& order = w.order;
  order.resize(w.bounded.size());
  std::iota(order.begin(), order.end(), 0);
  const auto low = [&](int k) { return w.boxes[static_cast<std::size_t>(k)].low.x(); };
  std::ranges::sort(order,
                    [&](int k, int m) { return low(k) != low(m) ? low(k) < low(m) : k < m; });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Bounds& box = w.boxes[static_cast<std::size_t>(order[k])];
    for (std::size_t m = k + 1; m < order.size(); ++m) {
      const Bounds& other = w.boxes[static_cast<std::size_t>(order[m])];
      if (other.low.x() - box.high.x() + w.margin >= found.known)
        break;  // boxes are enlarged by the margin
      const double least = distance(box, other);
      const int a = w.bounded[order[k]], b = w.bounded[order[m]];
      if (least < found.known && w.wanted(a, b)) measure(a, b, least);
    }
  }
  return found;
}

}  // namespace saltus
