#include "saltus/sim/island_delassus.h"

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

constexpr std::size_t kDenseRows = 120;  // beyond, W of rigid bodies is held by bodies

}  // namespace

bool IslandDelassus::assemble(const IslandStep& step, ContactList& list, IslandJoints& joints,
                              std::span<const int> contacts, std::span<const int> rows,
                              std::span<const Law> laws, bool as_matrix) {
  if (!as_matrix && rows.size() > kDenseRows && hold_by_bodies(step, list, joints, contacts, laws))
    return diagonal_.allFinite();
  const auto m = static_cast<Eigen::Index>(rows.size());
  W_ = &dense_;
  Matrix& W = dense_.W;
  W.setZero(m, m);
  dense_.is_symmetric = true;
  if (!joints.empty()) joints.open(m);
  for (std::size_t k = 0; k < list.members().size(); ++k) {
    ContactList::Member& member = list.members()[k];
    const int n = step.model.groups()[at(member.group)].dynamics->velocities();
    if (n == 0) continue;
    const Factor& A = step.trials[at(member.group)].A;
    if (!joints.empty() || !member.H.response_add(A, rows, W)) {
      member.H.response_add(A, n, rows, X_, W);
      if (!joints.empty()) joints.gather(k, X_);
    }
    dense_.is_symmetric = dense_.is_symmetric && symmetric(A);
  }
  if (!joints.empty()) joints.close(W);
  if (dense_.is_symmetric)
    for (Eigen::Index i = 0; i < m; ++i)
      for (Eigen::Index j = 0; j < i; ++j) W(i, j) = W(j, i) = 0.5 * (W(i, j) + W(j, i));
  diagonal_ = W.diagonal();
  return W.allFinite();
}

bool IslandDelassus::hold_by_bodies(const IslandStep& step, const ContactList& list,
                                    const IslandJoints& joints, std::span<const int> contacts,
                                    std::span<const Law> laws) {
  sizes_.clear();
  for (const Law& entry : laws) sizes_.push_back(entry.size);
  if (joints.empty()) {
    if (!list.by_bodies(step.trials, contacts, sizes_, by_bodies_.refill())) return false;
    by_bodies_.index();
    W_ = &by_bodies_;
    diagonal_.resize(by_bodies_.rows());
    by_bodies_.diagonal(diagonal_);
    return true;
  }
  if (!list.by_bodies(step.trials, contacts, sizes_, jointed_.refill().contacts)) return false;
  make_joints(list, joints.system(), jointed_.refill().joints);
  if (!jointed_.index()) return false;
  W_ = &jointed_;
  diagonal_ = jointed_.diagonal();
  return true;
}

// Rows of the joints on the bodies of the list, without those that depend on others.
void IslandDelassus::make_joints(const ContactList& list, const JointSystem& joints, BodyRows& G) {
  joints.blocks(blocks_);
  left_out_.assign(at(joints.rows()), 0);
  for (const int i : joints.dependent()) left_out_[at(i)] = 1;
  G.width = 6;
  G.first.assign(1, 0);
  G.offset.assign(1, 0);
  G.body.clear();
  G.start.clear();
  G.value.clear();
  for (std::size_t k = 0; k < blocks_.size();) {
    const int first = blocks_[k].first, count = blocks_[k].count;
    int rows = 0;
    for (int i = first; i < first + count; ++i) rows += left_out_[at(i)] == 0;
    for (; k < blocks_.size() && blocks_[k].first == first; ++k) {
      const JointSystem::Block& block = blocks_[k];
      G.touch(list.first_body(block.member) + block.column / 6);
      for (int i = 0; i < count; ++i)
        if (left_out_[at(first + i)] == 0) {
          const double* const row = block.value + i * block.stride;
          G.value.insert(G.value.end(), row, row + 6);
        }
    }
    G.close(rows);
  }
}

void IslandDelassus::add_diagonal(View x) {
  dense_.W.diagonal() += x;
  diagonal_ += x;
}

}  // namespace saltus
