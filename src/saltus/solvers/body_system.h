// Cone problems with W stored by bodies, solved in body velocities.
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
/// and K = A W~ + B is reduced by z = G^T x to a system with one block per body and one per pair of
/// bodies in contact, however many contacts they have:
///     (1 + G^T B^-1 A G) z = G^T B^-1 r,   x = B^-1 (r - A G z)                                (1)
/// If joints connect the bodies, W~ = G P G^T with P the projection onto the velocities that the
/// joints allow, G^_j z = 0 with G^_jb = G_jb L_b, and z lies in that space:
///     [1 + G^T B^-1 A G   G^^T] [z]   [G^T B^-1 r]
///     [G^                 0   ] [l] = [0         ]                                             (2)
/// A joint is eliminated with a body that no earlier joint constrains, the outer one in a tree: its
/// pivots there are those of G^_jb, and a chain causes no fill-in. Joints that close loops come
/// last. If B is small, as for sticking contacts, x loses digits, which refinement recovers.
class BodySystem final : public ConeSystem {
 public:
  /// Whether W is stored by bodies, its contacts match the laws, none is a rolling contact or has
  /// more than three rows, and each acts on at most two bodies.
  static bool fits(const ContactProblem& contact);

  void begin(const ContactProblem& contact, ConeProblem& problem) override;
  void apply(View x, Out v) const override;
  /// Also returns false if B is singular.
  bool factorise(std::span<const ConeRows> rows) override;
  void solve(Vector& x, int refinements) override;

 private:
  static constexpr int kRows = 3;
  struct Contact {
    int first = 0, rows = 0;
    int side[2] = {-1, -1};           ///< bodies that move, increasing; -1: none
    int block[4] = {-1, -1, -1, -1};  ///< (0, 0), (0, 1), (1, 0), (1, 1) of the matrix of (1)
    std::size_t G = 0;                ///< start of G of side[0], followed by that of side[1]
  };
  /// A joint and the bodies it connects.
  struct Joint {
    int node = -1, row = 0, rows = 0;  ///< position of its multipliers
    int begin = 0, end = 0;            ///< range of its sides
  };
  struct JointSide {
    int joint, body;
    int block = -1,
        transposed = -1;  ///< blocks (node of the joint, body) and (body, node) of (2)
    std::size_t G = 0;    ///< start of G^_jb in joint_G_
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
  const JointedDelassus* jointed_ = nullptr;  ///< W, if joints connect the bodies
  BodyRows padded_;                           ///< W by velocities
  int width_ = 6, bodies_ = 0;
  std::vector<Contact> contacts_;
  std::vector<double> L_, G_;
  std::vector<char> moves_;  ///< whether each body moves
  std::vector<Joint> joints_;
  std::vector<JointSide> sides_;
  std::vector<int> side_offset_, side_of_;  ///< sides of each body
  std::vector<double> joint_G_;
  std::vector<char> seen_;
  std::vector<int> queue_;
  /// Rows of each node, bodies first, then joints that close loops: width_ for bodies that move and
  /// have contacts or joints, plus the rows of the joint eliminated with them.
  std::vector<int> size_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<int> offset_, column_, diagonal_;
  std::vector<std::size_t> start_;
  std::vector<double> value_;
  BlockPattern pattern_;
  BlockLu lu_;
  std::span<const ConeRows> rows_;
  std::vector<double> inverse_;    ///< of B, 3 x 3 per cone
  mutable std::vector<double> z_;  // owned by the memory of one solver
  std::vector<double> packed_;
  Vector entries_, right_, refined_, correction_, product_;
  mutable Vector impulses_;  // owned by the memory of one solver
};

}  // namespace saltus
