// A contact problem split into independent groups: no block of W couples contacts of different
// groups.
#pragma once
#include <vector>

#include "saltus/contact/block_delassus.h"
#include "saltus/contact/cone.h"

namespace saltus {

/// One contact, or one row of an equality, unilateral or box law, as used by Newton's method and
/// the sweeps.
struct GroupedContact {
  int first = 0, size = 1;  ///< rows of the grouped problem
  int row = 0;              ///< first row in the given problem
  int forces = 1;           ///< number of leading rows whose p are impulses
  Cone cone{};              ///< with moments converted by L
  double length = 1.0;      ///< L [m]: the group stores p_R/L, L u_R, mu_R/L, and S likewise
  bool fixed = false;       ///< W_NN <= 0: no impulse can move it

  bool moments() const { return size > forces; }
  double scale(int i) const { return i >= forces ? length : 1.0; }
};

/// The problem in the order of its groups: W.column and the rows of a group are contiguous. Moments
/// and spins are converted by the length L of each contact, L^2 = mean diagonal of W_c on N, T over
/// that on R, S, so that all rows have the same unit.
struct ContactGroups {
  BlockMatrix W;
  std::vector<GroupedContact> contacts;
  std::vector<int> begin;      ///< first contact of each group, one more at the end
  std::vector<double> b, rho;  ///< rho_i [kg]: 5/W_NN; 10/tr W_TT and 10/tr W_RR in space; 5/W_SS
  std::vector<double> natural_rho;  ///< rows/tr W_cc of the law, as in the residual

  int groups() const { return static_cast<int>(begin.size()) - 1; }
  int rows() const { return W.rows(); }

  /// Allocates nothing for a problem with the size and pattern of the previous one.
  void assign(const ContactProblem& problem);

 private:
  void split(const ContactProblem& problem);
  double length(int c, const Law& law) const;
  void order_by_groups();
  void fill(const ContactProblem& problem);
  void scale(const ContactProblem& problem);

  BlockMatrix held_;  // blocks of W, if W does not store them
  const BlockMatrix* source_ = nullptr;
  std::vector<GroupedContact> pieces_;
  std::vector<int> piece_begin_;  // first piece of each law
  std::vector<int> root_, place_, law_, count_, touch_;
};

}  // namespace saltus
