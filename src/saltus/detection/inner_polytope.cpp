#include "saltus/detection/inner_polytope.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

namespace saltus {

InnerPolytope::InnerPolytope() {
  constexpr std::size_t kMost = 256;  // corners; each cut adds about six faces
  corners_.reserve(kMost);
  side_from_.reserve(kMost);
  seen_.reserve(kMost);
  border_.reserve(kMost);
  faces_.reserve(6 * kMost);
  queue_.reserve(6 * kMost);
}

void InnerPolytope::start(const std::array<Corner, 4>& corners) {
  corners_.assign(corners.begin(), corners.end());
  faces_.clear();
  queue_.clear();
  const Vector3 &p = corners[0].w, &q = corners[1].w, &r = corners[2].w, &s = corners[3].w;
  if ((q - p).cross(r - p).dot(s - p) > 0.0) std::swap(corners_[0], corners_[1]);
  constexpr std::array<std::array<int, 3>, 4> kCorners{
      {{0, 1, 2}, {1, 0, 3}, {0, 2, 3}, {2, 1, 3}}};
  for (const auto& [i, j, k] : kCorners) add_face(i, j, k);
  faces_[0].beside = {1, 3, 2};
  faces_[1].beside = {0, 2, 3};
  faces_[2].beside = {0, 3, 1};
  faces_[3].beside = {0, 1, 2};
  for (int f = 0; f < 4; ++f) enqueue(f);
}

int InnerPolytope::add_face(int i, int j, int k) {
  const Vector3 &p = corners_[at(i)].w, &q = corners_[at(j)].w, &r = corners_[at(k)].w;
  Face f;
  f.corner = {i, j, k};
  f.n = (q - p).cross(r - p);
  const double area = f.n.norm();
  f.n = area > 0.0 ? Vector3(f.n / area) : Vector3::UnitZ();  // any n gives a bound
  f.h = std::min({f.n.dot(p), f.n.dot(q), f.n.dot(r)});
  faces_.push_back(f);
  return static_cast<int>(faces_.size()) - 1;
}

void InnerPolytope::enqueue(int f) {
  queue_.push_back({faces_[at(f)].h, f});
  std::push_heap(queue_.begin(), queue_.end());
}

int InnerPolytope::nearest() {
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const int f = queue_.back().face;
    queue_.pop_back();
    if (faces_[at(f)].alive) return f;
  }
  return -1;
}

void InnerPolytope::raise(int f, const Corner& w, double tolerance) {
  corners_.push_back(w);
  find_border(f, w.w, tolerance);
  if (!border_is_loop()) {  // round-off: only f is replaced
    for (const int g : seen_) faces_[at(g)].alive = true;
    seen_.assign(1, f);
    faces_[at(f)].alive = false;
    set_border();
    border_is_loop();
  }
  close_border();
}

void InnerPolytope::find_border(int f, const Vector3& w, double tolerance) {
  seen_.assign(1, f);
  faces_[at(f)].alive = false;
  for (std::size_t k = 0; k < seen_.size(); ++k)
    for (const int g : faces_[at(seen_[k])].beside) {
      Face& there = faces_[at(g)];
      if (!there.alive || !(there.n.dot(w) - there.h > tolerance)) continue;
      there.alive = false;
      seen_.push_back(g);
    }
  set_border();
}

void InnerPolytope::set_border() {
  border_.clear();
  for (const int f : seen_) {
    const Face& here = faces_[at(f)];
    for (std::size_t k = 0; k < 3; ++k)
      if (faces_[at(here.beside[k])].alive)
        border_.push_back({here.corner[k], here.corner[(k + 1) % 3], here.beside[k]});
  }
}

/// Also sets side_from_.
bool InnerPolytope::border_is_loop() {
  side_from_.resize(corners_.size());
  const int count = static_cast<int>(border_.size());
  for (int i = 0; i < count; ++i) side_from_[at(border_[at(i)].from)] = i;
  int sides = 0, i = 0;
  do {
    i = side_from_[at(border_[at(i)].to)];
    ++sides;
  } while (i != 0 && sides < count);
  return i == 0 && sides == count;
}

void InnerPolytope::close_border() {
  const int first = static_cast<int>(faces_.size()), apex = corners() - 1;
  for (const Side& side : border_) {
    const int f = add_face(side.from, side.to, apex);
    Face& outside = faces_[at(side.outside)];
    for (std::size_t k = 0; k < 3; ++k)
      if (outside.corner[k] == side.to && outside.corner[(k + 1) % 3] == side.from)
        outside.beside[k] = f;
    faces_[at(f)].beside[0] = side.outside;
  }
  for (std::size_t i = 0; i < border_.size(); ++i) {
    const int f = first + static_cast<int>(i), next = first + side_from_[at(border_[i].to)];
    faces_[at(f)].beside[1] = next;
    faces_[at(next)].beside[2] = f;
    enqueue(f);
  }
}

}  // namespace saltus
