// A closed triangle surface with its corners in a convex body K, extended where it is nearest to
// the origin.
//
// h(u) = max u . w over K. No point of a triangle with corners w_1, w_2, w_3 is nearer to 0 than
// min n . w_i, for any unit vector n. If these values are positive for outward normals n, the
// surface encloses 0, and a ball with the smallest of them as radius lies in K:
//
//   h(u) >= min over triangles of min_i n . w_i   for every u.
//
// This requires neither a convex surface nor exact normals, so round-off in thin triangles does no
// harm.
#pragma once
#include <array>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

class InnerPolytope {
 public:
  struct Corner {
    Vector3 w = Vector3::Zero();
    int of_a = 0, of_b = 0;  ///< w is the difference of vertex of_a of a and vertex of_b of b
    bool operator==(const Corner& c) const { return of_a == c.of_a && of_b == c.of_b; }
  };
  struct Face {
    std::array<int, 3> corner{};  ///< counter-clockwise seen from outside
    std::array<int, 3> beside{};  ///< the face adjacent to the side from corner k to corner k + 1
    Vector3 n = Vector3::UnitZ();
    double h = 0.0;  ///< least n . w over the corners
    bool alive = true;
  };

  /// Reserves memory for most pairs, so that a search does not allocate.
  InnerPolytope();
  /// Restarts with four corners that span space, in any order.
  void start(const std::array<Corner, 4>& corners);
  /// The triangle with the smallest h (the oldest of equal ones) that has not been returned yet, or
  /// -1.
  int nearest();
  /// A copy, because adding faces may move them in memory.
  Face face(int f) const { return faces_[at(f)]; }
  const Corner& corner(int i) const { return corners_[at(i)]; }
  int corners() const { return static_cast<int>(corners_.size()); }
  /// Replaces triangle f, and the triangles connected to it that w is in front of by more than
  /// `tolerance`, by triangles from their border to w.
  void raise(int f, const Corner& w, double tolerance);

 private:
  struct Side {
    int from, to, outside;  ///< corners; the face that remains
  };
  struct Entry {
    double h;
    int face;
    /// std::push_heap puts the largest first
    bool operator<(const Entry& e) const { return h != e.h ? h > e.h : face > e.face; }
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int add_face(int i, int j, int k);
  void enqueue(int f);
  void find_border(int f, const Vector3& w, double tolerance);
  void set_border();
  bool border_is_loop();
  void close_border();

  std::vector<Corner> corners_;
  std::vector<Face> faces_;
  std::vector<Entry> queue_;
  std::vector<int> seen_;       ///< faces to be replaced
  std::vector<Side> border_;    ///< their border
  std::vector<int> side_from_;  ///< for each corner, the border side that begins there
};

}  // namespace saltus
