// S of an island whose rows never change: one table per group, summed over the contacts.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/model/model.h"

namespace saltus {

///     gap = sum over groups of S q + rest,   r = S^T p of each group,
///     D = sum over groups of S A^-1 S^T
class ContactTable {
 public:
  /// A group and its sides of the contacts, one row of S each; side b has the direction -n. A
  /// contact between two points of one group has two rows.
  struct Member {
    int group = 0;
    std::unique_ptr<PointTable> S;
    std::vector<int> contact;  ///< contact of each row, not decreasing
    bool whole = false;        ///< row i belongs to contact i, and every contact has one
    /// Of the contacts in use, and their positions among these; unless whole.
    std::vector<int> rows, at;
    Vector part;  ///< work space: one entry per row, ...
    Vector q, v;  ///< ... positions() and velocities()
    PointScratch scratch;
  };

  ContactTable(const Model& model, std::span<const int> groups, std::span<const int> pairs);
  /// False if a point has prescribed motion, so that there is no S.
  bool complete() const { return complete_; }
  std::span<Member> members() { return members_; }
  std::span<const Member> members() const { return members_; }
  const Vector& rest() const { return rest_; }  ///< gaps at q = 0 [m]

  /// y = sum of S x_of(member), for all contacts.
  template <class Of>
  void apply(const Of& x_of, Out y) {
    for (Member& m : members_) {
      const bool first = &m == members_.data();
      if (first && m.whole) {
        m.S->apply(x_of(m), m.scratch, y);
        continue;
      }
      if (first) y.setZero();
      m.S->apply(x_of(m), m.scratch, m.part);
      add(m, m.contact, m.part, y);
    }
  }
  /// Selects the contacts, increasing, for the next calls; `contacts` must stay valid until then.
  void use(std::span<const int> contacts);
  /// y = sum of S x_of(member), for the contacts in use.
  template <class Of>
  void apply_used(const Of& x_of, Out y) {
    for (Member& m : members_) {
      const bool first = &m == members_.data();
      if (first && m.whole) {
        m.S->apply(used_, x_of(m), m.scratch, y);
        continue;
      }
      if (first) y.setZero();
      const std::span<const int> rows = rows_of(m);
      if (rows.empty()) continue;
      auto part = m.part.head(std::ssize(rows));
      m.S->apply(rows, x_of(m), m.scratch, part);
      add(m, m.at, part, y);
    }
  }
  /// Whether a contact in use acts on the group.
  bool touches(const Member& m) const { return !rows_of(m).empty(); }
  /// r += S^T p for the contacts in use.
  void accumulate(Member& m, View p, Out r);
  /// Computes D [1/kg]; returns whether it is symmetric, as it is if all A are.
  bool response(std::span<const Trial> trials, Matrix& D) const;

 private:
  std::span<const int> rows_of(const Member& m) const { return m.whole ? used_ : m.rows; }
  static void add(const Member& m, const std::vector<int>& to, View part, Out y) {
    if (m.whole)
      y += part;
    else
      for (Eigen::Index i = 0; i < part.size(); ++i) y[to[static_cast<std::size_t>(i)]] += part[i];
  }

  std::vector<Member> members_;
  std::span<const int> used_;
  Vector rest_;
  bool complete_ = true;
};

}  // namespace saltus
