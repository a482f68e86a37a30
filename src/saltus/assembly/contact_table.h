// S of an island whose rows never change: one table a group, summed over the contacts.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/model/model.h"

namespace saltus {

///     gap = sum over groups of S q + rest,   r = S^T p of each group,
///         D = sum over groups of S A^-1 S^T
class ContactTable {
 public:
  /// A group and its sides of the contacts, a row of S each; side b has -n for its direction. A
  /// contact of two points of one group has two rows.
  struct Member {
    int group = 0;
    std::unique_ptr<PointTable> S;
    std::vector<int> contact;   ///< of each row, not decreasing
    bool whole = false;         ///< row i is that of contact i, and there is one for each contact
    std::vector<int> rows, at;  ///< of the contacts in use, and their places there; unless whole
    Vector part;                ///< work space: a row each, ...
    Vector q, v;                ///< ... positions() and velocities()
    PointScratch scratch;
  };

  ContactTable(const Model& model, std::span<const int> groups, std::span<const int> pairs);
  /// False: a point moves by itself, and there is no S.
  bool complete() const { return complete_; }
  std::span<Member> members() { return members_; }
  std::span<const Member> members() const { return members_; }
  const Vector& rest() const { return rest_; }  ///< gaps at q = 0 [m]

  /// y = sum of S x_of(member), of all contacts.
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
  /// The contacts, increasing, of which the next calls are, and which stay where they are until
  /// then.
  void use(std::span<const int> contacts);
  /// y = sum of S x_of(member), of the contacts in use.
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
  /// Whether a contact in use touches the group.
  bool touches(const Member& m) const { return !rows_of(m).empty(); }
  /// r += S^T p of the contacts in use.
  void accumulate(Member& m, View p, Out r);
  /// D [1/kg]; whether it is symmetric, as it is where all A are.
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
