#include "saltus/contact/velocity_delassus.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"

namespace saltus {

void VelocityRows::clear() {
  parts.clear();
  A.clear();
  moves.clear();
  first.assign(1, 0);
  offset.assign(1, 0);
  column.clear();
  start.clear();
  value.clear();
}

void VelocityRows::index() {
  block_of.resize(at(velocities()));
  inverse.resize(A.value.size());
  for (int b = 0; b < A.count(); ++b) {
    std::fill_n(block_of.begin() + A.first[at(b)], A.size(b), b);
    invert_block(A.size(b), A.of(b), &inverse[A.start[at(b)]]);
  }
}

void VelocityRows::multiply_A(View v, Out y) const {
  int b = 0;
  for (const Part& part : parts) {
    const int end = part.first + part.size;
    if (!part.whole) {
      saltus::multiply(*part.A, v.segment(part.first, part.size), y.segment(part.first, part.size));
      while (b < A.count() && A.first[at(b)] < end) ++b;
      continue;
    }
    for (; b < A.count() && A.first[at(b)] < end; ++b) {
      const int begin = A.first[at(b)], size = A.size(b);
      y.segment(begin, size).noalias() =
          Eigen::Map<const Matrix>(A.of(b), size, size) * v.segment(begin, size);
    }
  }
}

void VelocityRows::multiply(View v, Out u) const {
  for (int c = 0; c < contacts(); ++c) {
    const double* h = block(c);
    const int n = width(c), *const of = columns(c);
    for (int i = first[at(c)]; i < first[at(c) + 1]; ++i, h += n) {
      double sum = 0.0;
      for (int k = 0; k < n; ++k) sum += h[k] * v[of[k]];
      u[i] = sum;
    }
  }
}

void VelocityRows::transpose(View p, Out r) const {
  r.setZero();
  for (int c = 0; c < contacts(); ++c) {
    const double* h = block(c);
    const int n = width(c), *const of = columns(c);
    for (int i = first[at(c)]; i < first[at(c) + 1]; ++i, h += n)
      if (p[i] != 0.0)
        for (int k = 0; k < n; ++k) r[of[k]] += h[k] * p[i];
  }
}

void VelocityRows::solve_near(View r, Out v) const {
  for (const Part& part : parts)
    saltus::solve_near(*part.A, r.segment(part.first, part.size), v.segment(part.first, part.size));
}

void invert_block(int size, const double* A, double* to) {
  const Eigen::Map<const Matrix> M(A, size, size);
  Eigen::Map<Matrix> inverse(to, size, size);
  if (size == 1) {
    to[0] = 1.0 / A[0];
  } else if (size == 3) {  // a node; inverted even if it is not definite
    inverse.topLeftCorner<3, 3>() = Eigen::Matrix3d(M.topLeftCorner<3, 3>()).inverse();
  } else {
    double room[kLargestBlock * kLargestBlock];
    Eigen::Map<Matrix> L(room, size, size);
    L = M;
    const Eigen::LLT<Eigen::Ref<Matrix>> llt(L);
    inverse.setIdentity();
    if (llt.info() == Eigen::Success)
      llt.solveInPlace(inverse);
    else
      inverse.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

bool fits_bodies(const VelocityRows& H) {
  for (const VelocityRows::Part& part : H.parts)
    if (!part.whole) return false;
  for (int c = 0; c < H.contacts(); ++c) {
    int two[2] = {-1, -1};
    for (int k = 0; k < H.width(c); ++k) {
      const int b = H.block_of[at(H.columns(c)[k])];
      if (b == two[0] || b == two[1]) continue;
      if (two[1] >= 0) return false;
      two[two[0] < 0 ? 0 : 1] = b;
    }
  }
  return true;
}

void bodies_of(const VelocityRows& H, BodyRows& out) {
  int M = 1;
  for (int b = 0; b < H.A.count(); ++b) M = std::max(M, H.A.size(b));
  out.width = M;
  out.inverse.assign(at(M * M * H.A.count()), 0.0);
  for (int b = 0; b < H.A.count(); ++b) {
    const int size = H.A.size(b), from = H.A.first[at(b)];
    const double* const inverse = &H.inverse[H.A.start[at(b)]];
    double* const to = &out.inverse[at(M * M * b)];
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j)
        if (H.moves[at(from + i)] != 0 && H.moves[at(from + j)] != 0)
          to[M * i + j] = 0.5 * (inverse[size * i + j] + inverse[size * j + i]);
  }
  out.first.assign(1, 0);
  out.offset.assign(1, 0);
  out.body.clear();
  out.start.clear();
  out.value.clear();
  for (int c = 0; c < H.contacts(); ++c) {
    const int n = H.width(c), rows = H.size(c);
    for (int k = 0; k < n; ++k) {
      const int b = H.block_of[at(H.columns(c)[k])];
      const auto begin = out.body.begin() + out.offset.back();
      const auto found = std::find(begin, out.body.end(), b);
      std::size_t block = 0;
      if (found == out.body.end()) {
        block = out.value.size();
        out.touch(b);
        out.value.resize(block + at(rows * M), 0.0);
      } else {
        block = out.start[static_cast<std::size_t>(found - out.body.begin())];
      }
      const int j = H.columns(c)[k] - H.A.first[at(b)];
      for (int i = 0; i < rows; ++i) out.value[block + at(M * i + j)] = H.block(c)[i * n + k];
    }
    out.close(rows);
  }
}

// W_cd = sum over the blocks b on which both act of  H_cb A_b^-1 H_db^T
void SharedBlocks::make(const VelocityRows& H, BlockMatrix& W) {
  begin_.assign(at(H.velocities()) + 1, 0);
  for (const int j : H.column) ++begin_[at(j) + 1];
  for (std::size_t j = 1; j < begin_.size(); ++j) begin_[j] += begin_[j - 1];
  taken_.resize(H.column.size());
  next_.assign(begin_.begin(), begin_.end() - 1);
  for (int c = 0; c < H.contacts(); ++c)
    for (int k = 0; k < H.width(c); ++k) taken_[at(next_[at(H.columns(c)[k])]++)] = {c, k};
  const auto each = [&](int c, const auto& use) {  // use(k of c, entry on the same block, A^-1)
    for (int k = 0; k < H.width(c); ++k) {
      const int i = H.columns(c)[k], b = H.block_of[at(i)], size = H.A.size(b);
      for (int j = H.A.first[at(b)]; j < H.A.first[at(b)] + size; ++j)
        for (int t = begin_[at(j)]; t < begin_[at(j) + 1]; ++t)
          use(k, taken_[at(t)],
              H.inverse[H.A.start[at(b)] +
                        at((i - H.A.first[at(b)]) * size + j - H.A.first[at(b)])]);
    }
  };
  W.first = H.first;
  W.offset.assign(1, 0);
  W.column.clear();
  W.start.clear();
  W.value.clear();
  place_.assign(at(H.contacts()), -1);
  for (int c = 0; c < H.contacts(); ++c) {
    const auto row = static_cast<std::ptrdiff_t>(W.column.size());
    W.column.push_back(c);
    place_[at(c)] = 0;
    each(c, [&](int, const Taken& d, double) {
      if (place_[at(d.contact)] >= 0) return;
      place_[at(d.contact)] = 0;
      W.column.push_back(d.contact);
    });
    std::sort(W.column.begin() + row, W.column.end());
    for (auto k = W.column.begin() + row; k != W.column.end(); ++k) {
      place_[at(*k)] = static_cast<int>(W.start.size());
      W.start.push_back(W.value.size());
      W.value.resize(W.value.size() + at(H.size(c) * H.size(*k)), 0.0);
    }
    each(c, [&](int k, const Taken& d, double inverse) {
      double* const block = &W.value[W.start[at(place_[at(d.contact)])]];
      const double *const h_c = H.block(c) + k, *const h_d = H.block(d.contact) + d.k;
      const int n_c = H.width(c), n_d = H.width(d.contact), size = H.size(d.contact);
      for (int i = 0; i < H.size(c); ++i)
        for (int j = 0; j < size; ++j) block[i * size + j] += h_c[i * n_c] * inverse * h_d[j * n_d];
    });
    for (auto k = W.column.begin() + row; k != W.column.end(); ++k) place_[at(*k)] = -1;
    W.offset.push_back(static_cast<int>(W.column.size()));
  }
  symmetrise(W);
}

void VelocityDelassus::index() {
  known_ = made_ = false;
  v_.setZero(H_.velocities());
  r_.resize(H_.velocities());
  diagonal_.setZero(rows());
  H_.index();
  const std::vector<int>& block_of = H_.block_of;
  add_translations();
  for (int c = 0; c < H_.contacts(); ++c) {
    const int n = H_.width(c), *const of = H_.columns(c);
    const double* h = H_.block(c);
    for (int i = H_.first[at(c)]; i < H_.first[at(c) + 1]; ++i, h += n) {
      double sum = 0.0;
      for (int k = 0; k < n; ++k) {
        const int b = block_of[at(of[k])], from = H_.A.first[at(b)], size = H_.A.size(b);
        const double* const D = &H_.inverse[H_.A.start[at(b)] + at((of[k] - from) * size)];
        for (int l = 0; l < n; ++l)
          if (block_of[at(of[l])] == b) sum += h[k] * h[l] * D[of[l] - from];
      }
      diagonal_[i] += sum;
    }
  }
}

// A stiff body responds as a whole: h T (T^T A T)^-1 T^T h^T with its translations T, for groups
// whose blocks are nodes with three axes.
void VelocityDelassus::add_translations() {
  translation_.assign(at(H_.velocities()), -1);
  int groups = 0, b = 0;
  inverse_mass_.clear();
  for (const VelocityRows::Part& part : H_.parts) {
    const int end = part.first + part.size, from = b;
    bool nodes = !part.whole;
    for (; b < H_.A.count() && H_.A.first[at(b)] < end; ++b) nodes = nodes && H_.A.size(b) == 3;
    if (!nodes) continue;
    Eigen::Matrix3d mass;
    one_.resize(part.size);
    product_.resize(part.size);
    for (int axis = 0; axis < 3; ++axis) {
      for (int i = 0; i < part.size; ++i) one_[i] = i % 3 == axis ? 1.0 : 0.0;
      saltus::multiply(*part.A, one_, product_);
      for (int other = 0; other < 3; ++other) {
        double sum = 0.0;
        for (int i = other; i < part.size; i += 3) sum += product_[i];
        mass(other, axis) = sum;
      }
    }
    for (int k = from; k < b; ++k) std::fill_n(translation_.begin() + H_.A.first[at(k)], 3, groups);
    inverse_mass_.push_back(mass.inverse());
    ++groups;
  }
  if (groups == 0) return;
  for (int c = 0; c < H_.contacts(); ++c) {
    const int n = H_.width(c), *const of = H_.columns(c);
    const double* h = H_.block(c);
    for (int i = H_.first[at(c)]; i < H_.first[at(c) + 1]; ++i, h += n)
      for (int g = 0; g < groups; ++g) {
        Eigen::Vector3d t = Eigen::Vector3d::Zero();
        for (int k = 0; k < n; ++k)
          if (translation_[at(of[k])] == g)
            t[of[k] - H_.A.first[at(H_.block_of[at(of[k])])]] += h[k];
        if (!t.isZero(0.0)) diagonal_[i] += t.dot(inverse_mass_[at(g)] * t);
      }
  }
}

void VelocityDelassus::add_diagonal(View x) {
  const int first = H_.velocities();
  auto* yields = std::get_if<Diagonal>(&yields_.form);
  if (!yields) yields = &yields_.form.emplace<Diagonal>();
  yields->inverse.resize((x.array() != 0.0).count());
  if (yields->inverse.size() == 0) return;
  old_offset_.swap(H_.offset);
  old_column_.swap(H_.column);
  old_start_.swap(H_.start);
  old_value_.swap(H_.value);
  H_.offset.assign(1, 0);
  H_.column.clear();
  H_.start.clear();
  H_.value.clear();
  int own = 0;
  for (int c = 0; c < H_.contacts(); ++c) {
    const int begin = old_offset_[at(c)], n = old_offset_[at(c) + 1] - begin, size = H_.size(c);
    H_.column.insert(H_.column.end(), old_column_.begin() + begin, old_column_.begin() + begin + n);
    const int before = own;
    for (int i = H_.first[at(c)]; i < H_.first[at(c) + 1]; ++i) {
      if (x[i] == 0.0) continue;
      *H_.A.add(1) = 1.0 / x[i];
      H_.moves.push_back(1);
      H_.column.push_back(first + own);
      yields->inverse[own++] = x[i];
    }
    const int wide = n + own - before;
    H_.start.push_back(H_.value.size());
    H_.value.resize(H_.value.size() + at(size * wide), 0.0);
    double* const to = H_.value.data() + H_.start.back();
    int place = n;
    for (int i = 0; i < size; ++i) {
      std::copy_n(old_value_.begin() + static_cast<std::ptrdiff_t>(old_start_[at(c)]) + i * n, n,
                  to + i * wide);
      if (x[H_.first[at(c)] + i] != 0.0) to[i * wide + place++] = 1.0;
    }
    H_.offset.push_back(static_cast<int>(H_.column.size()));
  }
  H_.parts.push_back({&yields_, first, own, true});
  index();
}

bool VelocityDelassus::iterates() const {
  return std::ranges::any_of(
      H_.parts, [](const VelocityRows::Part& x) { return saltus::tolerance(*x.A) > 0.0; });
}

double VelocityDelassus::entry(int i, int j) const {
  make_matrix();
  return W_(i, j);
}

void VelocityDelassus::column(int j, double p, Out u) const {
  make_matrix();
  u += p * W_.col(j);
}

void VelocityDelassus::apply(View p, Out u) const {
  if (!known_ || p_ != p) {
    p_ = p;
    H_.transpose(p, r_);
    H_.solve_near(r_, v_);
    known_ = true;
  }
  H_.multiply(v_, u);
}

void VelocityDelassus::make_matrix() const {
  if (made_) return;
  const Eigen::Index n = rows();
  Vector p = Vector::Zero(n), r(H_.velocities()), v(H_.velocities());
  W_.resize(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    p[j] = 1.0;
    H_.transpose(p, r);
    p[j] = 0.0;
    v.setZero();
    H_.solve_near(r, v);
    H_.multiply(v, W_.col(j));
  }
  W_ = (0.5 * (W_ + W_.transpose())).eval();
  made_ = true;
}

}  // namespace saltus
