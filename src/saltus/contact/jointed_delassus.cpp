#include "saltus/contact/jointed_delassus.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace saltus {
namespace {

constexpr int kWidth = 6;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// x . y of a width that is 6 as a rule
double dot(int width, const double* x, const double* y) {
  if (width == kWidth)
    return (x[0] * y[0] + x[2] * y[2] + x[4] * y[4]) + (x[1] * y[1] + x[3] * y[3] + x[5] * y[5]);
  double sum = 0.0;
  for (int m = 0; m < width; ++m) sum += x[m] * y[m];
  return sum;
}

}  // namespace

/// Joints of each body, increasing.
void JointedDelassus::list_sides() {
  const BodyRows& G = rows_.joints;
  side_offset_.assign(at(rows_.contacts.bodies()) + 1, 0);
  for (const int b : G.body) ++side_offset_[at(b) + 1];
  std::partial_sum(side_offset_.begin(), side_offset_.end(), side_offset_.begin());
  sides_.resize(G.body.size());
  for (int j = G.contacts() - 1; j >= 0; --j)
    for (int k = G.offset[at(j) + 1] - 1; k >= G.offset[at(j)]; --k)
      sides_[at(--side_offset_[at(G.body[at(k)]) + 1])] = {j, static_cast<int>(G.start[at(k)])};
  for (int b = 0; b < rows_.contacts.bodies(); ++b) side_offset_[at(b)] = side_offset_[at(b) + 1];
  side_offset_.back() = static_cast<int>(sides_.size());
}

/// part_, and the pairs of touching_.
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

/// The pattern of S, with the blocks of Z that measure() asks for.
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

/// S_ii = 1, and T = G A^-1
bool JointedDelassus::scale() {
  const BodyRows& H = rows_.contacts;
  BodyRows& G = rows_.joints;
  const int w = H.width;
  T_.resize(G.value.size());
  for (int j = 0; j < G.contacts(); ++j) {
    const int begin = G.offset[at(j)], end = G.offset[at(j) + 1];
    double S_ii[16] = {};
    for (int i = 0; i < G.size(j); ++i) {
      double& S = S_ii[i];
      for (int k = begin; k < end; ++k) {
        const double* const g = &G.value[G.start[at(k)] + at(i * w)];
        const double* const A = &H.inverse[at(G.body[at(k)] * w * w)];
        double* const t = &T_[G.start[at(k)] + at(i * w)];
        for (int m = 0; m < w; ++m) t[m] = dot(w, A + m * w, g);
        S += dot(w, g, t);
      }
      if (!(S > 0.0) || !std::isfinite(S)) return false;
    }
    for (int k = begin; k < end; ++k)
      for (int i = 0; i < G.size(j); ++i) {
        const double factor = 1.0 / std::sqrt(S_ii[i]);
        for (int m = 0; m < w; ++m) {
          G.value[G.start[at(k)] + at(i * w + m)] *= factor;
          T_[G.start[at(k)] + at(i * w + m)] *= factor;
        }
      }
  }
  return true;
}

int JointedDelassus::find(int i, int j) const {
  const auto begin = column_.begin() + offset_[at(i)], end = column_.begin() + offset_[at(i) + 1];
  return static_cast<int>(std::lower_bound(begin, end, j) - column_.begin());
}

/// S_ij = sum of T_ib G_jb^T
void JointedDelassus::fill() {
  const BodyRows& G = rows_.joints;
  const int w = rows_.contacts.width;
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
  for (int b = 0; b < rows_.contacts.bodies(); ++b)
    for (int k = side_offset_[at(b)]; k < side_offset_[at(b) + 1]; ++k)
      for (int l = side_offset_[at(b)]; l <= k; ++l, block += 2) {
        const auto [i, T] = sides_[at(k)];
        const auto [j, g] = sides_[at(l)];
        const int m = size_[at(i)], n = size_[at(j)];
        double* const S = &S_[start_[at(block[0])]];
        double* const mirror = &S_[start_[at(block[1])]];
        for (int r = 0; r < m; ++r)
          for (int c = 0; c < n; ++c) {
            const double x = dot(w, &T_[at(T + r * w)], &G.value[at(g + c * w)]);
            S[r * n + c] += x;
            if (k != l) mirror[c * m + r] += x;
          }
      }
}

/// D -= T_i^T Z_ij T_j, twice its symmetric part where `both`
void JointedDelassus::couple(const Side& side, const Side& other, int block, bool both,
                             double* D) const {
  const int w = rows_.contacts.width;
  const double* Z = &Z_[start_[at(block)]];
  for (int r = 0; r < size_[at(side.joint)]; ++r) {
    double y[kWidth] = {};  // row r of Z T_j
    for (int c = 0; c < size_[at(other.joint)]; ++c, ++Z)
      for (int m = 0; m < w; ++m) y[m] += *Z * T_[at(other.place + c * w + m)];
    const double* const t = &T_[at(side.place + r * w)];
    for (int m = 0; m < w; ++m)
      for (int n = 0; n < w; ++n) D[m * w + n] -= t[m] * y[n];
    if (both)
      for (int m = 0; m < w; ++m)
        for (int n = 0; n < w; ++n) D[m * w + n] -= y[m] * t[n];
  }
}

/// D -= T_a^T Z T_b over the joints of two bodies
void JointedDelassus::couple(int a, int b, double* D) const {
  for (int k = side_offset_[at(a)]; k < side_offset_[at(a) + 1]; ++k)
    for (int l = side_offset_[at(b)]; l < side_offset_[at(b) + 1]; ++l)
      couple(sides_[at(k)], sides_[at(l)], find(sides_[at(k)].joint, sides_[at(l)].joint), false,
             D);
}

/// W_ii = h_a D_aa h_a + h_b D_bb h_b + 2 h_a D_ab h_b,  D = A^-1 - T^T Z T
void JointedDelassus::measure() {
  const BodyRows& H = rows_.contacts;
  const int w = H.width;
  diagonal_.setZero(H.rows());
  v_.resize(H.inverse.size());
  std::copy(H.inverse.begin(), H.inverse.end(), v_.begin());  // D_bb
  touched_.assign(at(H.bodies()), 0);
  for (const int b : H.body) touched_[at(b)] = 1;
  const int* block = block_.data();
  for (int b = 0; b < H.bodies(); ++b)
    for (int k = side_offset_[at(b)]; k < side_offset_[at(b) + 1]; ++k)
      for (int l = side_offset_[at(b)]; l <= k; ++l, block += 2)
        if (touched_[at(b)] != 0)
          couple(sides_[at(k)], sides_[at(l)], block[0], k != l, &v_[at(b * w * w)]);
  for (int c = 0; c < H.contacts(); ++c)
    for (int k = H.offset[at(c)]; k < H.offset[at(c) + 1]; ++k)
      for (int l = H.offset[at(c)]; l <= k; ++l) {
        const int a = H.body[at(k)], b = H.body[at(l)];
        double other[kWidth * kWidth] = {};
        if (a != b && part_[at(a)] != part_[at(b)]) continue;
        if (a != b) couple(a, b, other);
        const double* const D = a == b ? &v_[at(a * w * w)] : other;
        const double times = (H.opposite(c, k) != H.opposite(c, l) ? -1.0 : 1.0) * (k == l ? 1 : 2);
        for (int i = 0; i < H.size(c); ++i) {
          const double* const h = &H.value[H.start[at(k)] + at(i * w)];
          const double* const g = &H.value[H.start[at(l)] + at(i * w)];
          double sum = 0.0;
          for (int m = 0; m < w; ++m) sum += h[m] * dot(w, D + m * w, g);
          diagonal_[H.first[at(c)] + i] += times * sum;
        }
      }
  // round-off where joints leave a row no way to move
  diagonal_ = diagonal_.cwiseMax(0.0);
}

bool JointedDelassus::index() {
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
  const int w = H.width;
  v_.resize(std::max(v_.size(), H.inverse.size() / at(w)));
  L_.assign(at(G.rows()), 0.0);
  velocities_of(H, p, v_.data());
  for (int j = 0; j < G.contacts(); ++j)
    for (int k = G.offset[at(j)]; k < G.offset[at(j) + 1]; ++k)
      for (int i = 0; i < G.size(j); ++i)
        L_[at(G.first[at(j)] + i)] +=
            dot(w, &G.value[G.start[at(k)] + at(i * w)], &v_[at(G.body[at(k)] * w)]);
  lu_.solve(L_.data());
  for (int j = 0; j < G.contacts(); ++j)
    for (int k = G.offset[at(j)]; k < G.offset[at(j) + 1]; ++k)
      for (int i = 0; i < G.size(j); ++i)
        for (int m = 0; m < w; ++m)
          v_[at(G.body[at(k)] * w + m)] -=
              T_[G.start[at(k)] + at(i * w + m)] * L_[at(G.first[at(j)] + i)];
  rows_of(H, v_.data(), u);
}

const Matrix* JointedDelassus::dense() const {
  if (formed_) return &dense_;
  const Eigen::Index n = rows();
  dense_.resize(n, n);
  unit_.setZero(n);
  for (Eigen::Index j = 0; j < n; ++j) {
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
