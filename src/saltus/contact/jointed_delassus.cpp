#include "saltus/contact/jointed_delassus.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/linear_algebra/body_product.h"
#include "saltus/linear_algebra/body_response.h"

namespace saltus {
namespace {

constexpr int kBodyWidth = 6, kSquare = kBodyWidth * kBodyWidth;

double dot(const double* x, const double* y) {
  return (x[0] * y[0] + x[2] * y[2] + x[4] * y[4]) + (x[1] * y[1] + x[3] * y[3] + x[5] * y[5]);
}

void add(double a, const double* x, double* y) {
  for (int m = 0; m < kBodyWidth; ++m) y[m] += a * x[m];
}

/// y = A x
void multiply(const double* A, const double* x, double* y) {
  for (int m = 0; m < kBodyWidth; ++m) y[m] = dot(A + m * kBodyWidth, x);
}

}  // namespace

/// Lists the joints of each body, increasing, and allocates their rows.
void JointedDelassus::list_sides() {
  const BodyRows& G = rows_.joints;
  const int bodies = rows_.contacts.bodies();
  side_offset_.assign(at(bodies) + 1, 0);
  for (const int b : G.body) ++side_offset_[at(b) + 1];
  std::partial_sum(side_offset_.begin(), side_offset_.end(), side_offset_.begin());
  sides_.resize(G.body.size());
  for (int j = G.contacts() - 1; j >= 0; --j)
    for (int k = G.offset[at(j) + 1] - 1; k >= G.offset[at(j)]; --k)
      sides_[at(--side_offset_[at(G.body[at(k)]) + 1])] = {j, 0, G.start[at(k)]};
  for (int b = 0; b < bodies; ++b) side_offset_[at(b)] = side_offset_[at(b) + 1];
  side_offset_.back() = static_cast<int>(sides_.size());
  row_.assign(1, 0);
  first_.clear();
  std::size_t end = 0;
  int most = 0;
  for (int b = 0; b < bodies; ++b) {
    int rows = 0;
    for (int k = side_offset_[at(b)]; k < side_offset_[at(b) + 1]; ++k) {
      sides_[at(k)].row = rows;
      rows += G.size(sides_[at(k)].joint);
    }
    row_.push_back(row_.back() + rows);
    first_.push_back(end);
    end += at(rows * body_product_stride(rows));
    most = std::max(most, rows);
  }
  G_.resize(at(row_.back() * kBodyWidth));
  T_.resize(end);
  D_.resize(at(bodies * kBodyWidth * kResponseStride));
  work_.resize(std::max(body_product_work(most), at(most * most) + held_response_work(most)));
}

/// Sets part_ and the pairs of touching_.
void JointedDelassus::find_parts() {
  const BodyRows &H = rows_.contacts, &G = rows_.joints;
  part_.resize(at(H.bodies()));
  std::iota(part_.begin(), part_.end(), 0);
  const auto root = [&](int b) {
    while (part_[at(b)] != b) b = part_[at(b)] = part_[at(part_[at(b)])];
    return b;
  };
  for (int j = 0; j < G.contacts(); ++j)
    for (int k = G.offset[at(j)] + 1; k < G.offset[at(j) + 1]; ++k)
      part_[at(root(G.body[at(k)]))] = root(G.body[at(k - 1)]);
  for (int b = 0; b < H.bodies(); ++b) part_[at(b)] = root(b);
  touching_.clear();
  for (int c = 0; c < H.contacts(); ++c)
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k)
      for (int l = H.offset[at(c)]; l < k; ++l) {
        const int a = H.body[at(k)], b = H.body[at(l)];
        if (a != b && part_[at(a)] == part_[at(b)])
          touching_.emplace_back(std::min(a, b), std::max(a, b));
      }
  std::sort(touching_.begin(), touching_.end());
  touching_.erase(std::unique(touching_.begin(), touching_.end()), touching_.end());
}

/// Sets the pattern of S, including the blocks of Z that measure() needs.
void JointedDelassus::connect() {
  const BodyRows& G = rows_.joints;
  known_offset_ = G.offset;
  known_body_ = G.body;
  known_touching_ = touching_;
  pairs_.clear();
  for (int j = 0; j < G.contacts(); ++j) pairs_.emplace_back(j, j);
  const auto join = [&](int a, int b) {
    for (int k = side_offset_[at(a)]; k < side_offset_[at(a) + 1]; ++k)
      for (int l = side_offset_[at(b)]; l < side_offset_[at(b) + 1]; ++l) {
        const int i = sides_[at(k)].joint, j = sides_[at(l)].joint;
        if (i == j) continue;
        pairs_.emplace_back(i, j);
        pairs_.emplace_back(j, i);
      }
  };
  for (int b = 0; b < rows_.contacts.bodies(); ++b) join(b, b);
  for (const auto& [a, b] : touching_) join(a, b);
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  offset_.assign(at(G.contacts()) + 1, 0);
  column_.clear();
  for (const auto& [i, j] : pairs_) {
    ++offset_[at(i) + 1];
    column_.push_back(j);
  }
  std::partial_sum(offset_.begin(), offset_.end(), offset_.begin());
  block_.clear();
  for (int b = 0; b < rows_.contacts.bodies(); ++b)
    for (int k = side_offset_[at(b)]; k < side_offset_[at(b) + 1]; ++k)
      for (int l = side_offset_[at(b)]; l <= k; ++l) {
        block_.push_back(find(sides_[at(k)].joint, sides_[at(l)].joint));
        block_.push_back(find(sides_[at(l)].joint, sides_[at(k)].joint));
      }
  pattern_.analyse({G.contacts(), offset_.data(), column_.data(), 0, 0, 1});
}

/// Scales rows so that S_ii = 1.
bool JointedDelassus::scale() {
  const BodyRows& H = rows_.contacts;
  BodyRows& G = rows_.joints;
  factor_.assign(at(G.rows()), 0.0);
  const auto each_row =
      [&](int b, const auto& use) {  // use(row of the joints, row of the body, its place in G)
        for (int k = side_offset_[at(b)]; k < side_offset_[at(b) + 1]; ++k) {
          const Side& side = sides_[at(k)];
          for (int i = 0; i < G.size(side.joint); ++i)
            use(at(G.first[at(side.joint)] + i), side.row + i,
                &G.value[side.place + at(i * kBodyWidth)]);
        }
      };
  for (int b = 0; b < H.bodies(); ++b) {
    const int rows = held_rows(b), stride = body_product_stride(rows);
    if (rows == 0) continue;
    double *const g = &G_[at(row_[at(b)] * kBodyWidth)], *const T = &T_[first_[at(b)]];
    each_row(b, [&](std::size_t, int i, const double* from) {
      std::copy_n(from, kBodyWidth, g + i * kBodyWidth);
    });
    body_product(rows, g, &H.inverse[at(b * kSquare)], T, work_.data());
    each_row(b, [&](std::size_t row, int i, const double*) { factor_[row] += T[i * stride + i]; });
  }
  for (double& S_ii : factor_) {
    if (!(S_ii > 0.0) || !std::isfinite(S_ii)) return false;
    S_ii = 1.0 / std::sqrt(S_ii);
  }
  for (int b = 0; b < H.bodies(); ++b)
    each_row(b, [&](std::size_t row, int i, double* value) {
      double* const g = &G_[at((row_[at(b)] + i) * kBodyWidth)];
      for (int m = 0; m < kBodyWidth; ++m) value[m] = g[m] *= factor_[row];
    });
  return true;
}

int JointedDelassus::find(int i, int j) const {
  const auto begin = column_.begin() + offset_[at(i)], end = column_.begin() + offset_[at(i) + 1];
  return static_cast<int>(std::lower_bound(begin, end, j) - column_.begin());
}

/// Calls use(side, other side up to and including it, block (i, j) of their joints, block (j, i));
/// returns the block after the last one.
template <class Use>
const int* JointedDelassus::each_pair(int b, const int* block, const Use& use) const {
  for (int k = side_offset_[at(b)]; k < side_offset_[at(b) + 1]; ++k)
    for (int l = side_offset_[at(b)]; l <= k; ++l, block += 2)
      use(sides_[at(k)], sides_[at(l)], start_[at(block[0])], start_[at(block[1])]);
  return block;
}

/// S_ij = sum of G_ib A_b^-1 G_jb^T, from T, which stores its diagonal and upper part
void JointedDelassus::fill() {
  const BodyRows& G = rows_.joints;
  size_.resize(at(G.contacts()));
  for (int j = 0; j < G.contacts(); ++j) size_[at(j)] = G.size(j);
  start_.resize(column_.size());
  std::size_t end = 0;
  for (int i = 0; i < G.contacts(); ++i)
    for (int k = offset_[at(i)]; k < offset_[at(i) + 1]; ++k) {
      start_[at(k)] = end;
      end += at(size_[at(i)] * size_[at(column_[at(k)])]);
    }
  S_.assign(end, 0.0);
  Z_.resize(end);
  const int* block = block_.data();
  for (int b = 0; b < rows_.contacts.bodies(); ++b) {
    const int stride = body_product_stride(held_rows(b));
    const double* const T = T_.data() + first_[at(b)];
    block = each_pair(b, block, [&](const Side& x, const Side& y, std::size_t xy, std::size_t yx) {
      const int m = size_[at(x.joint)], n = size_[at(y.joint)];
      const double *const f = &factor_[at(G.first[at(x.joint)])],
                          *const g = &factor_[at(G.first[at(y.joint)])];
      for (int c = 0; c < n; ++c)
        for (int r = &x == &y ? c : 0; r < m; ++r) {
          const double value = T[(y.row + c) * stride + x.row + r] * f[r] * g[c];
          S_[xy + at(r * n + c)] += value;
          if (&x != &y || r != c) S_[yx + at(c * m + r)] += value;
        }
    });
  }
}

/// D = -A_a^-1 G_a^T Z G_b A_b^-1 over the joints of two bodies
void JointedDelassus::couple(int a, int b, double* D) const {
  const BodyRows& H = rows_.contacts;
  double X[kSquare] = {}, AX[kSquare] = {};
  for (int k = side_offset_[at(a)]; k < side_offset_[at(a) + 1]; ++k)
    for (int l = side_offset_[at(b)]; l < side_offset_[at(b) + 1]; ++l) {
      const Side &x = sides_[at(k)], &y = sides_[at(l)];
      const double* Z = &Z_[start_[at(find(x.joint, y.joint))]];
      for (int r = 0; r < size_[at(x.joint)]; ++r) {
        double row[kBodyWidth] = {};  // row of Z G_b
        for (int c = 0; c < size_[at(y.joint)]; ++c)
          add(*Z++, &G_[at((row_[at(b)] + y.row + c) * kBodyWidth)], row);
        const double* const g = &G_[at((row_[at(a)] + x.row + r) * kBodyWidth)];
        for (int m = 0; m < kBodyWidth; ++m) add(g[m], row, X + m * kBodyWidth);
      }
    }
  const double *const A = &H.inverse[at(a * kSquare)], *const B = &H.inverse[at(b * kSquare)];
  for (int m = 0; m < kBodyWidth; ++m) {
    for (int n = 0; n < kBodyWidth; ++n)
      add(A[m * kBodyWidth + n], X + n * kBodyWidth, AX + m * kBodyWidth);
    double row[kBodyWidth];
    multiply(B, AX + m * kBodyWidth, row);
    for (int n = 0; n < kBodyWidth; ++n) D[m * kBodyWidth + n] = -row[n];
  }
}

/// W_ii = h_a D_aa h_a + h_b D_bb h_b + 2 h_a D_ab h_b,  D = A^-1 - A^-1 G^T Z G A^-1
void JointedDelassus::measure() {
  const BodyRows& H = rows_.contacts;
  diagonal_.setZero(H.rows());
  touched_.assign(at(H.bodies()), 0);
  for (const int b : H.body) touched_[at(b)] = 1;
  const int* block = block_.data();
  for (int b = 0; b < H.bodies(); ++b) {
    const int rows = held_rows(b);
    double* const Z = work_.data();
    block = each_pair(b, block, [&](const Side& x, const Side& y, std::size_t xy, std::size_t) {
      if (touched_[at(b)] == 0) return;
      const double* from = &Z_[xy];
      for (int r = x.row; r < x.row + size_[at(x.joint)]; ++r)
        for (int c = y.row; c < y.row + size_[at(y.joint)]; ++c)
          Z[r * rows + c] = Z[c * rows + r] = *from++;
    });
    if (touched_[at(b)] != 0)
      held_response(rows, G_.data() + at(row_[at(b)] * kBodyWidth), Z, &H.inverse[at(b * kSquare)],
                    &D_[at(b * kBodyWidth * kResponseStride)], Z + rows * rows);
  }
  for (int c = 0; c < H.contacts(); ++c)
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k) {
      const int a = H.body[at(k)];
      double* const W = diagonal_.data() + H.first[at(c)];
      add_row_responses(H.size(c), &H.value[H.start[at(k)]],
                        &D_[at(a * kBodyWidth * kResponseStride)], W);
      for (int l = H.offset[at(c)]; l < k; ++l) {
        const int b = H.body[at(l)];
        if (part_[at(a)] != part_[at(b)]) continue;
        double D[kSquare];
        if (a == b)
          for (int m = 0; m < kBodyWidth; ++m)
            std::copy_n(&D_[at((a * kBodyWidth + m) * kResponseStride)], kBodyWidth,
                        D + m * kBodyWidth);
        else
          couple(a, b, D);
        const double times = H.opposite(c, k) != H.opposite(c, l) ? -2.0 : 2.0;
        for (int i = 0; i < H.size(c); ++i) {
          double y[kBodyWidth];
          multiply(D, &H.value[H.start[at(l)] + at(i * kBodyWidth)], y);
          W[i] += times * dot(&H.value[H.start[at(k)] + at(i * kBodyWidth)], y);
        }
      }
    }
  // removes round-off where joints leave a row no freedom
  diagonal_ = diagonal_.cwiseMax(0.0);
}

bool JointedDelassus::index() {
  expects(rows_.contacts.width == kBodyWidth && rows_.joints.width == kBodyWidth,
          "joints require bodies of 6 velocities");
  formed_ = false;
  list_sides();
  find_parts();
  if (known_offset_ != rows_.joints.offset || known_body_ != rows_.joints.body ||
      known_touching_ != touching_)
    connect();
  if (!scale()) return false;
  fill();
  if (!lu_.factorise(pattern_, size_.data(), S_.data(), start_.data())) return false;
  lu_.inverse(Z_.data(), start_.data());
  measure();
  return diagonal_.allFinite();
}

// v = A^-1 H^T p,  S L = G v,  v <- v - A^-1 G^T L,  u = H v
void JointedDelassus::apply(View p, Out u) const {
  const BodyRows &H = rows_.contacts, &G = rows_.joints;
  const int bodies = H.bodies();
  v_.resize(at(bodies * kBodyWidth));
  L_.assign(at(G.rows()), 0.0);
  velocities_of(H, p, v_.data());
  const auto each_row = [&](int b, const auto& use) {  // use(L_i, row i of G on the body)
    const double* g = G_.data() + at(row_[at(b)] * kBodyWidth);
    for (int k = side_offset_[at(b)]; k < side_offset_[at(b) + 1]; ++k) {
      double* const L = L_.data() + G.first[at(sides_[at(k)].joint)];
      for (int i = 0; i < size_[at(sides_[at(k)].joint)]; ++i, g += kBodyWidth) use(L[i], g);
    }
  };
  for (int b = 0; b < bodies; ++b)
    each_row(b, [v = &v_[at(b * kBodyWidth)]](double& L, const double* g) { L += dot(g, v); });
  lu_.solve(L_.data());
  for (int b = 0; b < bodies; ++b) {
    if (held_rows(b) == 0) continue;
    double r[kBodyWidth] = {}, change[kBodyWidth];
    each_row(b, [&](double L, const double* g) { add(L, g, r); });
    multiply(&H.inverse[at(b * kSquare)], r, change);
    for (int m = 0; m < kBodyWidth; ++m) v_[at(b * kBodyWidth + m)] -= change[m];
  }
  rows_of(H, v_.data(), u);
}

const Matrix* JointedDelassus::dense() const {
  if (formed_) return &dense_;
  const Eigen::Index n = rows();
  dense_.resize(n, n);
  unit_.setZero(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    if (stop_requested(stop_)) {
      dense_.setZero();
      break;
    }
    unit_[j] = 1.0;
    apply(unit_, dense_.col(j));
    unit_[j] = 0.0;
  }
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      dense_(i, j) = dense_(j, i) = 0.5 * (dense_(i, j) + dense_(j, i));
  dense_.diagonal() = diagonal_;
  formed_ = true;
  return &dense_;
}

}  // namespace saltus
