// W = H A^-1 H^T by bodies: rows of H and blocks of A^-1, W itself never formed.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Contact c has rows first[c] .. first[c + 1] - 1 and touches the bodies body[k], k = offset[c] ..
/// offset[c + 1] - 1 (none: the world), with H_ck, size(c) x width, row by row at value[start[k]].
/// Two bodies of a contact that begin at the same place, start[k] = start[k - 1], share one block
/// with opposite signs: H_ck = -H_c,k-1, as bodies do that only translate. It saves half of H.
struct BodyRows {
  int width = 3;                ///< velocity components of every body, 1 to 6
  std::vector<double> inverse;  ///< A_b^-1, width x width, symmetric, body by body [1/kg]; 0: held
  std::vector<int> first{0}, offset{0}, body;
  std::vector<std::uint32_t> start;  ///< 8 bytes a contact less than 64 bits; touch() keeps to them
  std::vector<double> value;

  int bodies() const { return static_cast<int>(inverse.size()) / (width * width); }
  int contacts() const { return static_cast<int>(first.size()) - 1; }
  int rows() const { return first.back(); }
  int size(int c) const {
    return first[static_cast<std::size_t>(c) + 1] - first[static_cast<std::size_t>(c)];
  }
  /// Whether H_ck, k in the range of contact c, is minus the block before it.
  bool opposite(int c, int k) const {
    return k > offset[static_cast<std::size_t>(c)] &&
           start[static_cast<std::size_t>(k)] == start[static_cast<std::size_t>(k) - 1];
  }
  /// Body b belongs to the contact that is being added, with its block from value[begin] on.
  void touch(int b, std::size_t begin) {
    expects(begin <= std::numeric_limits<std::uint32_t>::max(), "H holds more than 2^32 numbers");
    body.push_back(b);
    start.push_back(static_cast<std::uint32_t>(begin));
  }
  /// The same, with its block, rows of `width`, added to `value` next.
  void touch(int b) { touch(b, value.size()); }
  /// Ends the contact whose bodies and rows have been added.
  void close(int rows_of_contact) {
    first.push_back(first.back() + rows_of_contact);
    offset.push_back(static_cast<int>(body.size()));
  }
};

/// W_cd, size(c) x size(d), row by row; 0 where they share no body.
void block_of(const BodyRows& H, int c, int d, double* W);

/// v = A^-1 H^T p, body by body.
void velocities_of(const BodyRows& H, View p, double* v);
/// u = H v
void rows_of(const BodyRows& H, const double* v, Out u);

class BodyDelassus final : public Delassus {
 public:
  /// Throws UsageError where the parts do not fit each other or an A_b^-1 is not symmetric.
  explicit BodyDelassus(BodyRows rows);

  /// The rows, to be made anew in the storage that is there; then index() before any use. The
  /// caller answers for what the constructor checks.
  BodyRows& refill() { return H_; }
  void index();

  int rows() const override { return H_.rows(); }
  bool symmetric() const override { return true; }
  /// Makes W_ii of all rows, which entry() then knows until the next index(): who asks for them in
  /// every step saves their products.
  void make_diagonal();
  const Vector& diagonal() const { return diagonal_; }  ///< of make_diagonal()
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
  int size_ = 0;                           ///< of every contact, 0: they differ
  std::vector<int> contact_;               ///< of each row, where sizes differ
  std::vector<int> touch_offset_, touch_;  ///< contacts of each body, increasing
  Vector diagonal_;
  bool known_ = false;  ///< diagonal_ is that of H_
};

}  // namespace saltus
