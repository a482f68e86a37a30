// W of the contact problem of an island, in the storage format that suits its bodies, joints and
// size.
#pragma once
#include <span>
#include <vector>

#include "saltus/assembly/contact_list.h"
#include "saltus/assembly/island_joints.h"
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/jointed_delassus.h"
#include "saltus/contact/velocity_delassus.h"

namespace saltus {

/// W = H A^-1 H^T summed over the groups, with A_J^-1 instead of A^-1 for bodies connected by
/// joints. It is stored as a matrix; by bodies if there are many rows and all groups are rigid
/// bodies; by velocities if a group is solved iteratively, or if deformable bodies of few
/// velocities have contacts with many rows; in blocks if A is diagonal, or if there are many rows
/// and most contacts have no group in common.
class IslandDelassus {
 public:
  /// contacts: contacts of the problem, as indices in the list; rows: their rows in the list. G and
  /// S of the joints must be those of this pass. as_matrix: add_diagonal() follows. rate: u0,
  /// completed here if a lean list left out rows. Returns false if W is not finite.
  bool assemble(const IslandStep& step, ContactList& list, IslandJoints& joints,
                std::span<const int> contacts, std::span<const int> rows, std::span<const Law> laws,
                bool as_matrix, Vector& rate);
  /// W of the last problem.
  const Delassus& W() const { return *W_; }
  /// W if it is stored by bodies without joints, else null.
  const BodyDelassus* bodies() const { return W_ == &by_bodies_ ? &by_bodies_ : nullptr; }
  const Vector& diagonal() const { return W_ == &by_bodies_ ? by_bodies_.diagonal() : diagonal_; }
  /// W_ii += x_i
  void add_diagonal(View x);

 private:
  bool hold_by_bodies(const IslandStep& step, ContactList& list, const IslandJoints& joints,
                      std::span<const int> contacts, std::span<const Law> laws);
  bool hold_by_velocities(const IslandStep& step, const ContactList& list,
                          std::span<const int> contacts, std::span<const int> rows,
                          std::span<const Law> laws);
  bool make_velocities(const IslandStep& step, const ContactList& list,
                       std::span<const int> contacts, std::span<const int> rows,
                       std::span<const Law> laws);
  void keep_diagonal();
  bool hold_by_blocks(const IslandStep& step, ContactList& list, std::span<const int> contacts,
                      std::span<const int> rows, std::span<const Law> laws);
  void make_blocks(std::span<const Law> laws);
  void leave_out_zeros();
  void make_joints(const ContactList& list, const JointSystem& joints, BodyRows& G);

  DenseDelassus dense_;
  BodyDelassus by_bodies_{BodyRows{}};
  JointedDelassus jointed_;
  BlockDelassus blocked_;
  VelocityDelassus by_velocities_;
  SharedBlocks shared_;
  const Delassus* W_ = &dense_;
  std::vector<int> sizes_;  ///< rows of the contacts of the problem
  std::vector<JointSystem::Block> blocks_;
  std::vector<char> left_out_;  ///< for each row of the joints
  // of hold_by_blocks(): the contacts with entries in H of each member, the members of each contact
  std::vector<int> own_begin_, own_, touch_begin_, touch_, own_rows_;
  std::vector<char> kept_;  ///< for each block
  // of hold_by_velocities(): index of each velocity in the block of the contact, -1: none
  std::vector<int> place_;
  std::vector<int> part_first_;  ///< first velocity of each member, -1: none
  Vector diagonal_;
  Matrix X_, part_;
};

}  // namespace saltus
