// W = H A^-1 H^T by velocities, for bodies with many velocities: H and A are stored, W is not
// formed.
#pragma once
#include <vector>

#include "saltus/contact/block_delassus.h"
#include "saltus/contact/body_delassus.h"
#include "saltus/linear_algebra/factor.h"

namespace saltus {

/// H and A in the velocities of all bodies, one group after another. Contact c has rows first[c] ..
/// first[c + 1] - 1 and acts on the velocities column[k], k = offset[c] .. offset[c + 1] - 1, each
/// listed once; H_c is stored row by row from value[start[c]] on.
struct VelocityRows {
  /// A of one group, on the velocities from `first` on.
  struct Part {
    const Factor* A = nullptr;
    int first = 0, size = 0;
    bool whole = false;  ///< A consists of its blocks only
  };
  std::vector<Part> parts;
  DiagonalBlocks A;  ///< blocks of all groups
  /// Inverse of each block, at the same place as in A; set by index().
  std::vector<double> inverse;
  std::vector<char> moves;  ///< whether each velocity is free
  std::vector<int> first{0}, offset{0}, column;
  std::vector<std::size_t> start;
  std::vector<double> value;

  std::vector<int> block_of;  ///< block of each velocity; also set by index()

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
  /// Computes inverse and block_of.
  void index();

  void multiply_A(View v, Out y) const;  ///< y = A v
  void multiply(View v, Out u) const;    ///< u = H v
  void transpose(View p, Out r) const;   ///< r = H^T p
  /// v <- A^-1 r; groups with an iterative solver start from v.
  void solve_near(View r, Out v) const;
};

/// to <- the inverse of a symmetric positive definite block. NaN if it is not positive definite;
/// blocks of size 1 and 3 are not checked.
void invert_block(int size, const double* A, double* to);

/// Whether A consists of its blocks only, and no contact acts on more than two of them.
bool fits_bodies(const VelocityRows& H);
/// The same by bodies, one per block, all as wide as the largest block, which may exceed what
/// BodyDelassus accepts. Components beyond the size of a block are held.
void bodies_of(const VelocityRows& H, BodyRows& out);

/// W in blocks of contacts that act on a common block of A; A must consist of its blocks only.
class SharedBlocks {
 public:
  /// Call BlockDelassus::index() afterwards.
  void make(const VelocityRows& H, BlockMatrix& W);

 private:
  struct Taken {
    int contact, k;  ///< index in VelocityRows::columns()
  };
  std::vector<int> begin_, next_, place_;
  std::vector<Taken> taken_;  ///< for each velocity the contacts that act on it
};

class VelocityDelassus final : public Delassus {
 public:
  /// The rows, to be rebuilt in the existing storage; call index() before any use.
  VelocityRows& refill() { return H_; }
  void index();
  /// W_ii += x_i >= 0: row i gets a velocity of its own with A = 1/x_i. Call it once after index();
  /// the storage is reused.
  void add_diagonal(View x);

  int rows() const override { return H_.rows(); }
  bool symmetric() const override { return true; }
  /// Forms W as a matrix at the first call: one solve per row.
  double entry(int i, int j) const override;
  /// H_i D^-1 H_i^T with the blocks D of A: W_ii if A consists of its blocks only; else a value of
  /// similar size that includes the response of the body as a whole.
  double scale(int i) const override { return diagonal_[i]; }
  void column(int j, double p, Out u) const override;
  void apply(View p, Out u) const override;
  const VelocityDelassus* velocities() const override { return this; }
  const VelocityRows& by_velocities() const { return H_; }
  /// A^-1 H^T p of the last apply().
  const Vector& response() const { return v_; }
  const Vector& diagonal() const { return diagonal_; }  ///< scale() of all rows
  bool iterates() const;                                ///< whether some A is solved iteratively

 private:
  void make_matrix() const;
  void add_translations();
  VelocityRows H_;
  // work space of add_translations()
  std::vector<int> translation_;  ///< group of each velocity, -1: none
  std::vector<Eigen::Matrix3d> inverse_mass_;
  Vector one_, product_;
  Factor yields_;                             ///< factor for the velocities of add_diagonal()
  std::vector<int> old_offset_, old_column_;  ///< H before add_diagonal()
  std::vector<std::size_t> old_start_;
  std::vector<double> old_value_;
  Vector diagonal_;
  // one island calls this from one thread only
  mutable Vector p_, r_, v_;  ///< p, H^T p and A^-1 H^T p of the last apply()
  mutable bool known_ = false;
  mutable Matrix W_;
  mutable bool made_ = false;
};

}  // namespace saltus
