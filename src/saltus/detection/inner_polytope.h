// A closed surface of triangles with corners in a convex body K, grown outwards where it is nearest
// to the origin.
//
// h(u) = max u . w over K. Every triangle with corners w_1, w_2, w_3 and any unit vector n at all
// are no nearer to 0 than min n . w_i. Where these are above 0 for n along the outward normals, the
// surface goes around 0, and the ball of the least of them lies in K:
//
//   h(u) >= min over triangles of min_i n . w_i   for every u.
//
// Neither a convex surface nor exact normals are needed for that, hence round-off of thin triangles
// does no harm.
#pragma once
#include <array>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

class InnerPolytope {
 public:
  struct Corner {
    Vector3 w = Vector3::Zero();
    int of_a = 0, of_b = 0;  ///< w is the difference of these two vertices
    bool operator==(const Corner& c) const { return of_a == c.of_a && of_b == c.of_b; }
  };
  struct Face {
    std::array<int, 3> corner{};  ///< counter-clockwise seen from outside
    std::array<int, 3> beside{};  ///< the face across the side from corner k to corner k + 1
    Vector3 n = Vector3::UnitZ();
    double h = 0.0;  ///< least n . w of the corners
    bool alive = true;
  };

  /// With room for most pairs, so that a search takes none from the heap.
  InnerPolytope();
  /// Starts anew with four corners that span space, in any order.
  void start(const std::array<Corner, 4>& corners);
  /// The triangle of the least h (the oldest of equal ones) that was not returned before; -1 if
  /// there is none.
  int nearest();
  /// A copy, for faces move when others are made.
  Face face(int f) const { return faces_[at(f)]; }
  const Corner& corner(int i) const { return corners_[at(i)]; }
  int corners() const { return static_cast<int>(corners_.size()); }
  /// Triangle f, and those connected to it that w lies in front of by more than `tolerance`, are
  /// replaced by triangles from their border to w.
  void raise(int f, const Corner& w, double tolerance);

 private:
  struct Side {
    int from, to, outside;  ///< corners; the face that stays
  };
  struct Entry {
    double h;
    int face;
    /// std::push_heap keeps the largest first
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
  std::vector<int> seen_;       ///< faces that are replaced
  std::vector<Side> border_;    ///< of them
  std::vector<int> side_from_;  ///< the side of the border that begins in a corner
};

}  // namespace saltus
