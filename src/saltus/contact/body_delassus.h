// W = H A^-1 H^T by bodies: rows of H and blocks of A^-1 are stored, W is never formed.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Contact c has rows first[c] .. first[c + 1] - 1 and acts on the bodies body[k], k = offset[c] ..
/// offset[c + 1] - 1 (the world is not listed), with H_ck, size(c) x width, stored row by row at
/// value[start[k]]. Two bodies of a contact with the same start, start[k] = start[k - 1], use one
/// block with opposite signs, H_ck = -H_c,k-1, as for bodies that only translate. It saves half of
/// H.
struct BodyRows {
  int width = 3;                ///< velocity components of every body, 1 to 6
  std::vector<double> inverse;  ///< A_b^-1, width x width, symmetric, body by body [1/kg]; 0: held
  std::vector<int> first{0}, offset{0}, body;
  /// Saves 8 bytes per contact over 64 bits; touch() checks the range.
  std::vector<std::uint32_t> start;
  std::vector<double> value;

  int bodies() const { return static_cast<int>(inverse.size()) / (width * width); }
  int contacts() const { return static_cast<int>(first.size()) - 1; }
  int rows() const { return first.back(); }
  int size(int c) const {
    return first[static_cast<std::size_t>(c) + 1] - first[static_cast<std::size_t>(c)];
  }
  /// Whether H_ck, k in the range of contact c, is the negative of the previous block.
  bool opposite(int c, int k) const {
    return k > offset[static_cast<std::size_t>(c)] &&
           start[static_cast<std::size_t>(k)] == start[static_cast<std::size_t>(k) - 1];
  }
  /// Adds body b to the contact that is being built, with its block at value[begin].
  void touch(int b, std::size_t begin) {
    expects(begin <= std::numeric_limits<std::uint32_t>::max(), "H holds more than 2^32 numbers");
    body.push_back(b);
    start.push_back(static_cast<std::uint32_t>(begin));
  }
  /// The same for a block of rows of `width` that is appended to `value` next.
  void touch(int b) { touch(b, value.size()); }
  /// Completes the contact whose bodies and rows have been added.
  void close(int rows_of_contact) {
    first.push_back(first.back() + rows_of_contact);
    offset.push_back(static_cast<int>(body.size()));
  }
};

/// W_cd, size(c) x size(d), row by row; 0 if they have no common body.
void block_of(const BodyRows& H, int c, int d, double* W);

/// v = A^-1 H^T p, body by body.
void velocities_of(const BodyRows& H, View p, double* v);
/// u = H v
void rows_of(const BodyRows& H, const double* v, Out u);

class BodyDelassus final : public Delassus {
 public:
  /// Throws UsageError if the parts are inconsistent or an A_b^-1 is not symmetric.
  explicit BodyDelassus(BodyRows rows);

  /// The rows, to be rebuilt in the existing storage; call index() before any use. The caller is
  /// responsible for what the constructor checks.
  BodyRows& refill() { return H_; }
  void index();

  int rows() const override { return H_.rows(); }
  bool symmetric() const override { return true; }
  /// Computes W_ii of all rows, which entry() returns from then on until the next index(): faster
  /// if they are needed in every step.
  void make_diagonal();
  const Vector& diagonal() const { return diagonal_; }  ///< set by make_diagonal()
  double entry(int i, int j) const override {
    return i == j && known_ ? diagonal_[i] : product(i, j);
  }
  void column(int j, double p, Out u) const override;  ///< visits the contacts of the bodies of j
  void apply(View p, Out u) const override;
  const BodyRows* bodies() const override { return &H_; }

  void block(int c, int d, double* W) const { block_of(H_, c, d, W); }
  /// Contacts of body b, increasing.
  std::span<const int> contacts_of(int b) const {
    const int begin = touch_offset_[static_cast<std::size_t>(b)];
    return std::span(touch_).subspan(
        static_cast<std::size_t>(begin),
        static_cast<std::size_t>(touch_offset_[static_cast<std::size_t>(b) + 1] - begin));
  }

 private:
  double product(int i, int j) const;  ///< W_ij
  int contact_of(int row) const {
    return size_ > 0 ? row / size_ : contact_[static_cast<std::size_t>(row)];
  }
  BodyRows H_;
  int size_ = 0;                           ///< rows of every contact, 0 if they differ
  std::vector<int> contact_;               ///< contact of each row, if sizes differ
  std::vector<int> touch_offset_, touch_;  ///< contacts of each body, increasing
  Vector diagonal_;
  bool known_ = false;  ///< diagonal_ is that of H_
};

}  // namespace saltus
