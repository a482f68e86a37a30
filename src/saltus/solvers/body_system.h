// Cone problems with W held by bodies, solved in the velocities of the bodies.
#pragma once
#include <utility>
#include <vector>

#include "saltus/contact/jointed_delassus.h"
#include "saltus/contact/velocity_delassus.h"
#include "saltus/linear_algebra/block_lu.h"
#include "saltus/solvers/cone_system.h"

namespace saltus {

/// With A_b^-1 = L_b L_b^T and the weights g of the cone problem
///     W~ = G G^T,   G_cb = g_c^-1 H_cb L_b
/// and K = A W~ + B is taken apart by z = G^T x, with one block a body and one a pair of bodies
/// that touch, however many contacts they share:
///     (1 + G^T B^-1 A G) z = G^T B^-1 r,   x = B^-1 (r - A G z)                                (1)
/// Where joints hold the bodies, W~ = G P G^T with P the projection on the velocities they let be,
/// G^_j z = 0 with G^_jb = G_jb L_b, and z is in that space:
///     [1 + G^T B^-1 A G   G^^T] [z]   [G^T B^-1 r]
///     [G^                 0   ] [l] = [0         ]                                             (2)
/// A joint is eliminated with a body that nothing else holds before it, the outer one of a tree:
/// its pivots there are those of G^_jb, and a chain fills nothing in. Joints that close loops come
/// last. Where B is small, as on contacts that stick, x loses digits that refinement gives back.
class BodySystem final : public ConeSystem {
 public:
  /// Whether W is held by bodies, its contacts are the laws, none rolls or has more than three
  /// rows, and each touches two bodies at most.
  static bool fits(const ContactProblem& contact);

  void begin(const ContactProblem& contact, ConeProblem& problem) override;
  void apply(View x, Out v) const override;
  /// False also where B is singular.
  bool factorise(std::span<const ConeRows> rows) override;
  void solve(Vector& x, int refinements) override;

 private:
  static constexpr int kRows = 3;
  struct Contact {
    int first = 0, rows = 0;
    int side[2] = {-1, -1};           ///< bodies that move, increasing; -1: there is none
    int block[4] = {-1, -1, -1, -1};  ///< (0, 0), (0, 1), (1, 0), (1, 1) of the matrix of (1)
    std::size_t G = 0;                ///< place of G of side[0], then that of side[1]
  };
  /// A joint on its bodies.
  struct Joint {
    int node = -1, row = 0, rows = 0;  ///< where its multipliers stand
    int begin = 0, end = 0;            ///< of its sides
  };
  struct JointSide {
    int joint, body;
    int block = -1,
        transposed = -1;  ///< (node of the joint, body) and (body, node) of the matrix of (2)
    std::size_t G = 0;    ///< place of G^_jb in joint_G_
  };
  void read(const BodyRows& H);
  void hang(const BodyRows& joints);
  bool carries(const JointSide& side) const;
  void take(int joint, int body);
  void connect();
  void put_joints();
  void multiply(const double* z, double* v) const;             ///< v = G z
  void multiply_transposed(const double* x, double* z) const;  ///< z = G^T x
  template <int M>
  void add(const Contact& c, const double* T);
  void solve_once(Vector& x);

  const ConeProblem* problem_ = nullptr;
  const JointedDelassus* jointed_ = nullptr;  ///< W, where joints hold the bodies
  BodyRows padded_;                           ///< of W by velocities
  int width_ = 6, bodies_ = 0;
  std::vector<Contact> contacts_;
  std::vector<double> L_, G_;
  std::vector<char> moves_;  ///< of each body
  std::vector<Joint> joints_;
  std::vector<JointSide> sides_;
  std::vector<int> side_offset_, side_of_;  ///< sides on each body
  std::vector<double> joint_G_;
  std::vector<char> seen_;
  std::vector<int> queue_;
  /// Rows of each node, bodies first, then joints that close loops: width_ of bodies that move and
  /// are touched or jointed, and the rows of the joint eliminated with them.
  std::vector<int> size_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<int> offset_, column_, diagonal_;
  std::vector<std::size_t> start_;
  std::vector<double> value_;
  BlockPattern pattern_;
  BlockLu lu_;
  std::span<const ConeRows> rows_;
  std::vector<double> inverse_;    ///< of B, 3 x 3 a cone
  mutable std::vector<double> z_;  // the memory of one solver owns it
  std::vector<double> packed_;
  Vector entries_, right_, refined_, correction_, product_;
  mutable Vector impulses_;  // likewise
};

}  // namespace saltus
