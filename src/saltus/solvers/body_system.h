// Cone problems with W held by bodies, solved in the velocities of the bodies.
#pragma once
#include <utility>
#include <vector>

#include "saltus/contact/body_delassus.h"
#include "saltus/math/block_lu.h"
#include "saltus/solvers/cone_system.h"

namespace saltus {

/// With A_b^-1 = L_b L_b^T and the weights g of the cone problem
///     W~ = G G^T,   G_cb = g_c^-1 H_cb L_b
/// and K = A W~ + B is taken apart by z = G^T x, with one block a body and one a pair of bodies that touch, however many
/// contacts they share:
///     (1 + G^T B^-1 A G) z = G^T B^-1 r,   x = B^-1 (r - A G z)                                      (1)
/// Where B is small, as on contacts that stick, x loses digits that refinement gives back.
class BodySystem final : public ConeSystem {
 public:
  /// Whether W is held by bodies, its contacts are the laws, none rolls or has more than three rows, and each touches
  /// two bodies at most.
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
  void read(const BodyRows& H);
  void connect();
  void multiply(const double* z, double* v) const;             ///< v = G z
  void multiply_transposed(const double* x, double* z) const;  ///< z = G^T x
  template <int M>
  void add(const Contact& c, const double* T);
  void solve_once(Vector& x);

  const ConeProblem* problem_ = nullptr;
  int width_ = 6;
  std::vector<Contact> contacts_;
  std::vector<double> L_, G_;
  std::vector<int> size_;  ///< width_ of bodies that move and are touched, else 0
  std::vector<std::pair<int, int>> pairs_;
  std::vector<int> offset_, column_, diagonal_;
  std::vector<std::size_t> start_;
  std::vector<double> value_;
  BlockPattern pattern_;
  BlockLu lu_;
  std::span<const ConeRows> rows_;
  std::vector<double> inverse_;  ///< of B, 3 x 3 a cone
  mutable std::vector<double> z_;
  std::vector<double> packed_;
  Vector entries_, right_, refined_, correction_, product_;
};

}  // namespace saltus
