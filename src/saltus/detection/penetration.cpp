// Expanding polytope algorithm: corners of a - b around 0, extended at the face closest to 0 until
// that face is a face of a - b.
#include <algorithm>
#include <cmath>

#include "saltus/shapes/convex.h"

namespace saltus {
namespace {

constexpr int kMostCorners = 32;
constexpr double kFine = 3e-3;  // of the size: a face this close counts as a face of a - b

class Polytope {
 public:
  Polytope(const Convex& a, const Convex& b, const Closest& touch)
      : a_(a), b_(b), size_(a.size + b.size) {
    for (int i = 0; i < touch.count; ++i) add_corner(touch.simplex[static_cast<std::size_t>(i)].w);
    complete();
  }

  /// False if no tetrahedron could be built: a and b are flat.
  bool start() {
    if (corners_ < 4) return false;
    const bool turned = (w_[1] - w_[0]).cross(w_[2] - w_[0]).dot(w_[3] - w_[0]) > 0.0;
    const int p = turned ? 1 : 0, q = turned ? 0 : 1;
    add_face(p, q, 2);
    add_face(q, p, 3);
    add_face(p, 2, 3);
    add_face(2, q, 3);
    return true;
  }

  void grow() {
    while (corners_ < kMostCorners) {
      const int f = closest_face();
      if (f < 0) return;
      const Vector3 n = faces_[at(f)].n;
      const Vector3 w = difference_point(a_, b_, n).w;
      if (n.dot(w) - faces_[at(f)].distance <= kFine * size_ || !cap(w)) return;
    }
  }

  /// Outward normal of the face closest to 0; `otherwise` if there is none.
  Vector3 normal(const Vector3& otherwise) const {
    const int f = closest_face();
    return f < 0 ? otherwise : faces_[at(f)].n;
  }

 private:
  struct Face {
    std::array<int, 3> corner;
    Vector3 n;
    double distance;
    bool alive;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void add_corner(const Vector3& w) { w_[at(corners_++)] = w; }

  bool add_far(const Vector3& d, const auto& apart) {
    for (const double sign : {1.0, -1.0}) {
      const Vector3 w = difference_point(a_, b_, sign * d).w;
      if (!(apart(w) > 1e-9 * size_)) continue;
      add_corner(w);
      return true;
    }
    return false;
  }

  /// Adds points until four span a tetrahedron.
  void complete() {
    if (corners_ == 1)
      for (int k = 0; k < 3 && corners_ == 1; ++k)
        add_far(Vector3::Unit(k), [&](const Vector3& w) { return (w - w_[0]).norm(); });
    if (corners_ == 2) {
      const Vector3 u = (w_[1] - w_[0]).normalized();
      Eigen::Index k = 0;
      u.cwiseAbs().minCoeff(&k);
      const Vector3 d = u.cross(Vector3::Unit(k)).normalized();
      const auto apart = [&](const Vector3& w) { return (w - w_[0]).cross(u).norm(); };
      if (!add_far(d, apart)) add_far(u.cross(d), apart);
    }
    if (corners_ == 3) {
      const Vector3 n = (w_[1] - w_[0]).cross(w_[2] - w_[0]).normalized();
      add_far(n, [&](const Vector3& w) { return std::abs(n.dot(w - w_[0])); });
    }
  }

  void add_face(int i, int j, int k) {
    if (face_count_ == static_cast<int>(faces_.size())) return;
    Face f{{i, j, k}, (w_[at(j)] - w_[at(i)]).cross(w_[at(k)] - w_[at(i)]), 0.0, true};
    const double area = f.n.norm();
    f.alive = area > 0.0;
    if (f.alive) f.n /= area;
    f.distance = f.n.dot(w_[at(i)]);
    faces_[at(face_count_++)] = f;
  }

  int closest_face() const {
    int best = -1;
    for (int f = 0; f < face_count_; ++f)
      if (faces_[at(f)].alive && (best < 0 || faces_[at(f)].distance < faces_[at(best)].distance))
        best = f;
    return best;
  }

  /// Replaces the faces visible from w by faces from their border to w; false if none is visible or
  /// no room is left.
  bool cap(const Vector3& w) {
    border_count_ = 0;
    for (int f = 0; f < face_count_; ++f) {
      Face& face = faces_[at(f)];
      if (!face.alive || !(face.n.dot(w) - face.distance > 1e-12 * size_)) continue;
      face.alive = false;
      for (int k = 0; k < 3; ++k) add_border(face.corner[at(k)], face.corner[at((k + 1) % 3)]);
    }
    if (border_count_ < 3) return false;
    int kept = 0;
    for (int f = 0; f < face_count_; ++f)
      if (faces_[at(f)].alive) faces_[at(kept++)] = faces_[at(f)];
    face_count_ = kept;
    if (face_count_ + border_count_ > static_cast<int>(faces_.size())) return false;
    add_corner(w);
    for (int e = 0; e < border_count_; ++e)
      add_face(border_[at(e)][0], border_[at(e)][1], corners_ - 1);
    return true;
  }

  /// Adds an edge of a removed face; an edge between two removed faces cancels.
  void add_border(int i, int j) {
    for (int e = 0; e < border_count_; ++e)
      if (border_[at(e)][0] == j && border_[at(e)][1] == i) {
        border_[at(e)] = border_[at(--border_count_)];
        return;
      }
    if (border_count_ < static_cast<int>(border_.size())) border_[at(border_count_++)] = {i, j};
  }

  const Convex &a_, &b_;
  double size_;
  std::array<Vector3, kMostCorners + 1> w_;
  std::array<Face, 2 * kMostCorners + 8> faces_;
  std::array<std::array<int, 2>, 2 * kMostCorners> border_{};
  int corners_ = 0, face_count_ = 0, border_count_ = 0;
};

}  // namespace

Vector3 depth_normal(const Convex& a, const Convex& b, const Closest& touch) {
  Polytope polytope(a, b, touch);
  if (!polytope.start()) return Vector3::UnitZ();
  polytope.grow();
  // the polytope of a - b is left along an outward normal -n: a moves along n
  return -polytope.normal(-Vector3::UnitZ());
}

}  // namespace saltus
