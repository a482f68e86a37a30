// W = H A^-1 H^T where A is known itself: for bodies of many velocities, W never formed.
#pragma once
#include <vector>

#include "saltus/contact/block_delassus.h"
#include "saltus/contact/body_delassus.h"
#include "saltus/linear_algebra/factor.h"

namespace saltus {

/// H and A in the velocities of all bodies, those of one group after those of the other. Contact c
/// has rows first[c] .. first[c + 1] - 1 and takes the velocities column[k], k = offset[c] ..
/// offset[c + 1] - 1, each once; H_c lies row by row from value[start[c]] on.
struct VelocityRows {
  /// A of one group, on the velocities from `first` on.
  struct Part {
    const Factor* A = nullptr;
    int first = 0, size = 0;
    bool whole = false;  ///< A is its blocks
  };
  std::vector<Part> parts;
  DiagonalBlocks A;             ///< blocks of all groups
  std::vector<double> inverse;  ///< of each block, where its values lie in A; made by index()
  std::vector<char> moves;      ///< of each velocity
  std::vector<int> first{0}, offset{0}, column;
  std::vector<std::size_t> start;
  std::vector<double> value;

  std::vector<int> block_of;  ///< of each velocity; made by index() too

  int velocities() const { return A.rows(); }
  int contacts() const { return static_cast<int>(first.size()) - 1; }
  int rows() const { return first.back(); }
  int size(int c) const {
    return first[static_cast<std::size_t>(c) + 1] - first[static_cast<std::size_t>(c)];
  }
  int width(int c) const {
    return offset[static_cast<std::size_t>(c) + 1] - offset[static_cast<std::size_t>(c)];
  }
  const double* block(int c) const { return value.data() + start[static_cast<std::size_t>(c)]; }
  const int* columns(int c) const { return column.data() + offset[static_cast<std::size_t>(c)]; }
  void clear();
  /// Makes inverse and block_of.
  void index();

  void multiply_A(View v, Out y) const;  ///< y = A v
  void multiply(View v, Out u) const;    ///< u = H v
  void transpose(View p, Out r) const;   ///< r = H^T p
  /// v <- A^-1 r; groups that iterate begin with v.
  void solve_near(View r, Out v) const;
};

/// to <- the inverse of a symmetric positive definite block; what is no number where it is none.
void invert_block(int size, const double* A, double* to);

/// Whether A is its blocks, and no contact takes more than two of them.
bool fits_bodies(const VelocityRows& H);
/// The same by bodies, one a block, all as wide as the largest, which BodyDelassus does not take:
/// what is beyond a block is held.
void bodies_of(const VelocityRows& H, BodyRows& out);

/// W by blocks of contacts, those that share a block of A; A is its blocks.
class SharedBlocks {
 public:
  /// W is to be indexed then (BlockDelassus::index()).
  void make(const VelocityRows& H, BlockMatrix& W);

 private:
  struct Taken {
    int contact, k;  ///< of VelocityRows::columns()
  };
  std::vector<int> begin_, next_, place_;
  std::vector<Taken> taken_;  ///< what takes each velocity, by contacts
};

class VelocityDelassus final : public Delassus {
 public:
  /// The rows, to be made anew in the storage that is there; then index() before any use.
  VelocityRows& refill() { return H_; }
  void index();
  /// W_ii += x_i >= 0: row i gets a velocity of its own with A = 1/x_i. Once after index(); the
  /// storage stays here.
  void add_diagonal(View x);

  int rows() const override { return H_.rows(); }
  bool symmetric() const override { return true; }
  /// By W as a matrix, which is made when an entry is first asked for: a solve a row.
  double entry(int i, int j) const override;
  /// H_i D^-1 H_i^T with the blocks D of A: W_ii where A is its blocks; with what the body answers
  /// as a whole, of its size elsewhere.
  double scale(int i) const override { return diagonal_[i]; }
  void column(int j, double p, Out u) const override;
  void apply(View p, Out u) const override;
  const VelocityDelassus* velocities() const override { return this; }
  const VelocityRows& by_velocities() const { return H_; }
  /// A^-1 H^T p of the last apply().
  const Vector& response() const { return v_; }
  const Vector& diagonal() const { return diagonal_; }  ///< scale() of all rows
  bool iterates() const;                                ///< some A

 private:
  void make_matrix() const;
  void add_translations();
  VelocityRows H_;
  // of add_translations()
  std::vector<int> translation_;  ///< group of each velocity, -1: none
  std::vector<Eigen::Matrix3d> inverse_mass_;
  Vector one_, product_;
  Factor yields_;                             ///< of the velocities of add_diagonal()
  std::vector<int> old_offset_, old_column_;  ///< H before it
  std::vector<std::size_t> old_start_;
  std::vector<double> old_value_;
  Vector diagonal_;
  // of one island, that asks in one thread
  mutable Vector p_, r_, v_;  ///< of the last apply()
  mutable bool known_ = false;
  mutable Matrix W_;
  mutable bool made_ = false;
};

}  // namespace saltus
