// W = H A_J^-1 H^T of contacts on bodies that are connected by joints, by bodies: formed as a
// matrix only on request.
#pragma once
#include <utility>
#include <vector>

#include "saltus/contact/body_delassus.h"
#include "saltus/linear_algebra/block_lu.h"

namespace saltus {

/// Rows H of the contacts with A^-1 of bodies of 6 velocities, and rows G of the joints, stored as
/// if joint j were contact j. No row of G depends on the others; a joint may have no rows.
struct JointedRows {
  BodyRows contacts;
  BodyRows joints;  ///< its `inverse` is not used
};

/// With S = G A^-1 G^T, which is sparse by joints,
///     W = H A^-1 H^T - (H A^-1 G^T) S^-1 (G A^-1 H^T)
/// The diagonal of W needs only those blocks of S^-1 that couple joints of one body, or of two
/// bodies in contact.
class JointedDelassus final : public Delassus {
 public:
  /// The rows, to be rebuilt in the existing storage; call index() before any use.
  JointedRows& refill() { return rows_; }
  /// If `stop`, which must outlive this object, is requested while W is formed, W is only its
  /// diagonal until the next index().
  void stop_by(Stop* stop) { stop_ = stop; }
  /// Scales the rows of the joints so that S_ii = 1. Returns false if S is singular or not finite.
  bool index();

  int rows() const override { return rows_.contacts.rows(); }
  bool symmetric() const override { return true; }
  const Vector& diagonal() const { return diagonal_; }  ///< W_ii
  void apply(View p, Out u) const override;
  const JointedRows* jointed() const override { return &rows_; }
  // The following functions form W, once.
  double entry(int i, int j) const override { return i == j ? diagonal_[i] : (*dense())(i, j); }
  void column(int j, double p, Out u) const override { u += p * dense()->col(j); }
  const Matrix* dense() const override;

 private:
  /// One side of a joint, on one body.
  struct Side {
    int joint;
    int row;            ///< first of its rows among those of the body
    std::size_t place;  ///< start in rows_.joints.value
  };
  void list_sides();
  void find_parts();
  void connect();
  bool scale();
  void fill();
  void measure();
  int find(int i, int j) const;
  int held_rows(int b) const {
    return row_[static_cast<std::size_t>(b) + 1] - row_[static_cast<std::size_t>(b)];
  }
  template <class Use>
  const int* each_pair(int b, const int* block, const Use& use) const;
  void couple(int a, int b, double* D) const;

  JointedRows rows_;
  Stop* stop_ = nullptr;
  std::vector<int> side_offset_;  ///< sides of each body
  std::vector<Side> sides_;
  std::vector<int> row_;            ///< first row of each body in G_
  std::vector<std::size_t> first_;  ///< start of each body in T_
  std::vector<double> G_;           ///< rows of the joints, body by body
  std::vector<double> T_;           ///< G A^-1 G^T of each body, not scaled
  std::vector<double> factor_;      ///< 1/sqrt(S_ii)
  std::vector<int> part_;           ///< part of each body: bodies connected by joints form one part
  /// The pattern of S was built from these.
  std::vector<int> known_offset_, known_body_;
  /// Pairs of bodies in contact that belong to one part.
  std::vector<std::pair<int, int>> touching_, known_touching_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<int> offset_, column_, size_;
  std::vector<std::size_t> start_;
  std::vector<int> block_;  ///< for each two sides of a body: blocks (i, j) and (j, i)
  std::vector<char> touched_;
  std::vector<double> S_, Z_;  ///< Z = S^-1 on the blocks of S
  BlockPattern pattern_;
  mutable BlockLu lu_;     // this and all below: used by one simulation only, which owns the island
  std::vector<double> D_;  ///< A_J^-1 of each body with contacts, 6 x 8
  std::vector<double> work_;
  Vector diagonal_;
  mutable std::vector<double> v_, L_;  // used by one simulation
  mutable Matrix dense_;               // used by one simulation; valid if formed_
  mutable Vector unit_;                // used by one simulation
  mutable bool formed_ = false;        // used by one simulation
};

}  // namespace saltus
