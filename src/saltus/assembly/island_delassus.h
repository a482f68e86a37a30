// W of the contact problem of an island, held in the form that its bodies, joints and size ask for.
#pragma once
#include <span>
#include <vector>

#include "saltus/assembly/contact_list.h"
#include "saltus/assembly/island_joints.h"
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/jointed_delassus.h"
#include "saltus/contact/velocity_delassus.h"

namespace saltus {

/// W = H A^-1 H^T summed over the groups, A_J^-1 in the place of A^-1 where joints hold them: a
/// matrix; by bodies where there are many rows and all groups are rigid bodies; by velocities where
/// a group iterates or bodies of few velocities that deform touch in many rows; by blocks where A
/// is diagonal, or there are many rows and most contacts share no group.
class IslandDelassus {
 public:
  /// Contacts of the problem by their place in the list, their rows in it, their laws; G and S of
  /// the joints are those of this pass. as_matrix: add_diagonal() follows. False: W is not finite.
  /// rate: u0, of which it makes what a lean list left out.
  bool assemble(const IslandStep& step, ContactList& list, IslandJoints& joints,
                std::span<const int> contacts, std::span<const int> rows, std::span<const Law> laws,
                bool as_matrix, Vector& rate);
  /// Of the last problem.
  const Delassus& W() const { return *W_; }
  /// W where bodies without joints hold it, else null.
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
  std::vector<int> sizes_;  ///< of the contacts of the problem
  std::vector<JointSystem::Block> blocks_;
  std::vector<char> left_out_;  ///< of each row of the joints
  // of hold_by_blocks(): the contacts with entries in H of each member, the members of each contact
  std::vector<int> own_begin_, own_, touch_begin_, touch_, own_rows_;
  std::vector<char> kept_;  ///< of each block
  // of hold_by_velocities(): place in the contact's block of each velocity that it takes, -1: none
  std::vector<int> place_;
  std::vector<int> part_first_;  ///< first velocity of each member in it, -1: it has none
  Vector diagonal_;
  Matrix X_, part_;
};

}  // namespace saltus
