// Eliminates equalities from a contact problem before it is solved.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/contact/block_delassus.h"

namespace saltus {

/// With E the rows of equality laws and C the others,
///     W' = W_CC - W_CE W_EE^-1 W_EC,   b' = b_C - W_CE W_EE^-1 b_E,
///     p_E = -W_EE^-1 (b_E + W_EC p_C)
/// Equalities that are coupled with each other form a group; W' has a block for every two contacts
/// coupled to the same group, so it stays sparse if W_EE consists of separate parts. A symmetric W
/// gives a W' that is symmetric to the bit. Redundant equalities get zero impulse: rows of W_EE are
/// eliminated in order of decreasing pivots until a pivot is below 1e-12, in units in which the
/// diagonal of W_EE is 1. Inconsistent equalities increase residual(). The symmetric part of W
/// must be semidefinite. Nothing is allocated once a problem size has occurred.
class EqualityElimination {
 public:
  /// Builds the problem in C. Returns false and does nothing else if there are no equalities.
  bool reduce(const ContactProblem& problem);
  // The problem in C: ContactProblem{W(), b(), laws(), ids()}, valid until the next reduce()
  const BlockDelassus& W() const { return W_; }
  const Vector& b() const { return b_; }
  std::span<const Law> laws() const { return laws_; }
  std::span<const int> ids() const { return ids_; }
  /// Restricts p of the whole problem to C, and extends p from C to the whole problem.
  void restrict(View p, Out reduced) const;
  void recover(View reduced, Out p);

  /// Number of equality rows that depend on others of their group and were left out.
  int redundant() const { return redundant_; }

 private:
  struct Group {
    std::vector<int>
        row;  ///< equality rows, then in elimination order; only the first `rank` are used
    int rank = 0, width = 0;  ///< width: number of rows of the contacts below
    std::vector<int> contact,
        column;  ///< kept contacts coupled to the group, and their first columns in Y and Z
    std::vector<double> scale;  ///< 1/sqrt(W_ii) of each row
    std::vector<double> LDU;    ///< factors of the scaled W_EE, row.size() squared, row by row
    std::vector<double> Y, Z;   ///< L^-1 W_EC and (W_CE U^-1)^T, rank x width
    std::vector<double> t;      ///< work space, as long as `row`
  };

  void read(const ContactProblem& problem);
  void find_groups();
  void factorise(Group& group);
  void couple(Group& group);
  void solve_group(const Group& group, double* t) const;
  void make_pattern();
  void subtract(const Group& group);
  void finish();

  BlockMatrix full_;
  Vector full_b_;
  bool symmetric_ = true;
  std::vector<int> group_of_;  ///< group of each contact, -1: kept
  std::vector<int> index_;     ///< index of a kept contact in the problem in C, -1: equality
  std::vector<Group> groups_;  ///< the first count_ are in use
  int count_ = 0, redundant_ = 0;
  BlockDelassus W_;
  Vector b_, u_;
  std::vector<Law> laws_;
  std::vector<int> ids_, stack_, mark_, list_;
};

/// Applies `inner` to the problem without its equalities; handles equalities whether or not `inner`
/// does. It has the name of `inner`, and SolverMemory::active, .factor and .changes are those of
/// `inner` for the remaining rows.
std::unique_ptr<ContactSolver> make_eliminating(std::unique_ptr<ContactSolver> inner);

}  // namespace saltus
