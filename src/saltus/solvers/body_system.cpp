#include "saltus/solvers/body_system.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// pivots below this fraction of the diagonal entry of A_b^-1 count as 0
constexpr double kLocked = 1e-14;

/// L L^T = A, semidefinite: a column of zeros for a motion that is locked or dependent.
void root(int n, const double* A, double* L) {
  std::fill(L, L + n * n, 0.0);
  for (int j = 0; j < n; ++j) {
    double pivot = A[j * n + j];
    for (int k = 0; k < j; ++k) pivot -= L[j * n + k] * L[j * n + k];
    if (!(pivot > kLocked * A[j * n + j])) continue;
    L[j * n + j] = std::sqrt(pivot);
    for (int i = j + 1; i < n; ++i) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; ++k) sum -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = sum / L[j * n + j];
    }
  }
}

/// out = B^-1, both with row stride 3, with row exchanges. False if B is singular or not finite.
bool invert(int n, const double* B, double* out) {
  double a[3][6] = {};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a[i][j] = B[3 * i + j];
    a[i][n + i] = 1.0;
  }
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[best][k])) best = i;
    if (!(std::abs(a[best][k]) > 0.0) || !std::isfinite(a[best][k])) return false;
    std::swap(a[k], a[best]);
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k] / a[k][k];
      for (int j = k; j < 2 * n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) out[3 * i + j] = a[i][n + j] / a[i][i];
  return true;
}

/// Calls use(std::integral_constant<int, M>) with M = 6, or M = 0 for any other width
template <class Use>
void with_width(int width, const Use& use) {
  if (width == 6)
    use(std::integral_constant<int, 6>{});
  else
    use(std::integral_constant<int, 0>{});
}

}  // namespace

bool BodySystem::fits(const ContactProblem& contact) {
  if (const VelocityDelassus* const W = contact.W.velocities())
    return fits_bodies(W->by_velocities()) &&
           std::ranges::none_of(contact.laws, [](const Law& law) {
             return law.size > kRows || law.kind == LawKind::rolling;
           });
  const JointedRows* const jointed = contact.W.jointed();
  const BodyRows* const H = jointed ? &jointed->contacts : contact.W.bodies();
  if (!H || at(H->contacts()) != contact.laws.size()) return false;
  for (int c = 0; c < H->contacts(); ++c) {
    const Law& law = contact.laws[at(c)];
    if (law.first != H->first[at(c)] || law.size != H->size(c) || law.size > kRows ||
        law.kind == LawKind::rolling || H->offset[at(c) + 1] - H->offset[at(c)] > 2)
      return false;
  }
  return true;
}

void BodySystem::begin(const ContactProblem& contact, ConeProblem& problem) {
  jointed_ = contact.W.jointed() ? &static_cast<const JointedDelassus&>(contact.W) : nullptr;
  if (const VelocityDelassus* const W = contact.W.velocities())
    bodies_of(W->by_velocities(), padded_);
  const BodyRows& H = jointed_                 ? jointed_->jointed()->contacts
                      : contact.W.velocities() ? padded_
                                               : *contact.W.bodies();
  read(H);
  // W_ii, then G with the weights
  entries_.resize(H.rows());
  const int M = width_;
  for (const Contact& c : contacts_)
    for (int i = 0; i < c.rows; ++i) {
      double sum = 0.0;
      for (int s = 0; s < 2; ++s)
        for (int l = 0; l < M; ++l) {
          const double G = G_[c.G + at((s * c.rows + i) * M + l)];
          sum += G * G;
        }
      entries_[c.first + i] = sum;
    }
  joints_.clear();
  sides_.clear();
  if (jointed_) {
    entries_ = jointed_->diagonal();
    hang(jointed_->jointed()->joints);
  }
  problem.read(contact, entries_);
  problem_ = &problem;
  for (const Contact& c : contacts_)
    for (int s = 0; s < 2; ++s)
      for (int i = 0; i < c.rows; ++i)
        for (int l = 0; l < M; ++l)
          G_[c.G + at((s * c.rows + i) * M + l)] /= problem.weight[c.first + i];
  connect();
  inverse_.resize(9 * problem.cones.size());
  z_.resize(at(bodies_ * M));
  std::size_t rows = 0;
  for (const int size : size_) rows += at(size);
  packed_.resize(rows);
  right_.resize(H.rows());
  correction_.resize(H.rows());
  product_.resize(H.rows());
  refined_.resize(H.rows());
}

/// Reads contacts, their bodies and G = H L.
void BodySystem::read(const BodyRows& H) {
  const int M = width_ = H.width, bodies = bodies_ = H.bodies();
  size_.assign(at(bodies), 0);
  moves_.resize(at(bodies));
  L_.resize(H.inverse.size());
  for (int b = 0; b < bodies; ++b) {
    const double* const A = &H.inverse[at(b * M * M)];
    const bool held = std::all_of(A, A + M * M, [](double x) { return x == 0.0; });
    if (!held) root(M, A, &L_[at(b * M * M)]);
    moves_[at(b)] = held ? 0 : 1;
  }
  contacts_.resize(at(H.contacts()));
  G_.assign(2 * at(H.rows() * M), 0.0);
  std::size_t next = 0;
  for (int k = 0; k < H.contacts(); ++k) {
    Contact& c = contacts_[at(k)];
    c = {};
    c.first = H.first[at(k)];
    c.rows = H.size(k);
    c.G = next;
    next += 2 * at(c.rows * M);
    const int begin = H.offset[at(k)], end = H.offset[at(k) + 1];
    int sides = 0;
    for (int e = begin; e < end; ++e) {
      const int b = H.body[at(e)];
      if (moves_[at(b)] == 0 || (sides > 0 && c.side[0] == b)) continue;
      c.side[sides++] = b;
      size_[at(b)] = M;
    }
    if (sides == 2 && c.side[1] < c.side[0]) std::swap(c.side[0], c.side[1]);
    for (int e = begin; e < end; ++e) {
      const int b = H.body[at(e)];
      if (moves_[at(b)] == 0) continue;
      const double *const block = &H.value[H.start[at(e)]], *const L = &L_[at(b * M * M)];
      const double sign = H.opposite(k, e) ? -1.0 : 1.0;
      double* const G = &G_[c.G + at(b == c.side[0] ? 0 : c.rows * M)];
      for (int i = 0; i < c.rows; ++i)
        for (int m = 0; m < M; ++m) {
          double sum = 0.0;
          for (int l = m; l < M; ++l) sum += block[i * M + l] * L[l * M + m];
          G[i * M + m] += sign * sum;
        }
    }
  }
}

/// Builds the pattern of (1) or (2) and locates each contact and joint in it.
void BodySystem::connect() {
  const int nodes = static_cast<int>(size_.size());
  pairs_.clear();
  for (int i = 0; i < nodes; ++i) pairs_.emplace_back(i, i);
  const auto join = [&](int i, int j) {
    pairs_.emplace_back(i, j);
    pairs_.emplace_back(j, i);
  };
  for (const Contact& c : contacts_)
    if (c.side[1] >= 0 && pairs_.back() != std::pair(c.side[1], c.side[0]))
      join(c.side[0], c.side[1]);
  for (const JointSide& s : sides_)
    if (joints_[at(s.joint)].node != s.body) join(joints_[at(s.joint)].node, s.body);
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  offset_.assign(at(nodes) + 1, 0);
  column_.clear();
  start_.clear();
  diagonal_.clear();
  std::size_t values = 0;
  for (const auto& [i, j] : pairs_) {
    ++offset_[at(i) + 1];
    if (i == j) diagonal_.push_back(static_cast<int>(column_.size()));
    start_.push_back(values);
    column_.push_back(j);
    values += at(size_[at(i)] * size_[at(j)]);
  }
  for (int i = 0; i < nodes; ++i) offset_[at(i) + 1] += offset_[at(i)];
  const auto find = [&](int i, int j) {
    const auto row = column_.begin() + offset_[at(i)];
    return static_cast<int>(std::lower_bound(row, column_.begin() + offset_[at(i) + 1], j) -
                            column_.begin());
  };
  for (Contact& c : contacts_) {
    if (c.side[0] < 0) continue;
    c.block[0] = diagonal_[at(c.side[0])];
    if (c.side[1] < 0) continue;
    c.block[1] = find(c.side[0], c.side[1]);
    c.block[2] = find(c.side[1], c.side[0]);
    c.block[3] = diagonal_[at(c.side[1])];
  }
  for (JointSide& s : sides_) {
    s.block = find(joints_[at(s.joint)].node, s.body);
    s.transposed = find(s.body, joints_[at(s.joint)].node);
  }
  value_.resize(values);
  BlockGraph graph{nodes, offset_.data(), column_.data(), 0};
  if (jointed_) {
    graph.last = nodes - bodies_;
    graph.small = 1;  // nodes are large
  }
  pattern_.analyse(graph);
}

void BodySystem::multiply(const double* z, double* v) const {
  with_width(width_, [&](auto fixed) {
    const int M = fixed > 0 ? fixed : width_;
    for (const Contact& c : contacts_) {
      const double* G = &G_[c.G];
      double* const v_c = v + c.first;
      for (int i = 0; i < c.rows; ++i) v_c[i] = 0.0;
      for (int s = 0; s < 2 && c.side[s] >= 0; ++s) {
        const double* const z_b = z + c.side[s] * M;
        for (int i = 0; i < c.rows; ++i, G += M) {
          double sum = 0.0;
          for (int l = 0; l < M; ++l) sum += G[l] * z_b[l];
          v_c[i] += sum;
        }
      }
    }
  });
}

void BodySystem::multiply_transposed(const double* x, double* z) const {
  std::fill(z, z + z_.size(), 0.0);
  with_width(width_, [&](auto fixed) {
    const int M = fixed > 0 ? fixed : width_;
    for (const Contact& c : contacts_) {
      const double* G = &G_[c.G];
      for (int s = 0; s < 2 && c.side[s] >= 0; ++s) {
        double* const z_b = z + c.side[s] * M;
        for (int i = 0; i < c.rows; ++i, G += M)
          for (int l = 0; l < M; ++l) z_b[l] += G[l] * x[c.first + i];
      }
    }
  });
}

void BodySystem::apply(View x, Out v) const {
  if (jointed_) {
    impulses_ = x.cwiseQuotient(problem_->weight);
    jointed_->apply(impulses_, v);
    v.array() /= problem_->weight.array();
    return;
  }
  multiply_transposed(x.data(), z_.data());
  multiply(z_.data(), v.data());
}

/// K += G_c^T T G_c, T with row stride 3
template <int F>
void BodySystem::add(const Contact& c, const double* T) {
  const int M = F > 0 ? F : width_, sides = c.side[1] >= 0 ? 2 : 1;
  double Z[2][kRows * kLargestBlock];  // T G
  for (int s = 0; s < sides; ++s) {
    const double* const G = &G_[c.G + at(s * c.rows * M)];
    for (int i = 0; i < c.rows; ++i)
      for (int l = 0; l < M; ++l) {
        double sum = 0.0;
        for (int j = 0; j < c.rows; ++j) sum += T[3 * i + j] * G[j * M + l];
        Z[s][i * M + l] = sum;
      }
  }
  for (int s = 0; s < sides; ++s) {
    const double* const G = &G_[c.G + at(s * c.rows * M)];
    for (int t = 0; t < sides; ++t) {
      double* const to = &value_[start_[at(c.block[2 * s + t])]];
      const int stride = size_[at(c.side[t])];
      for (int i = 0; i < c.rows; ++i)
        for (int l = 0; l < M; ++l)
          for (int m = 0; m < M; ++m) to[l * stride + m] += G[i * M + l] * Z[t][i * M + m];
    }
  }
}

bool BodySystem::factorise(std::span<const ConeRows> rows) {
  rows_ = rows;
  const int M = width_;
  std::fill(value_.begin(), value_.end(), 0.0);
  for (int b = 0; b < bodies_; ++b)
    for (int l = 0; l < M && size_[at(b)] > 0; ++l)
      value_[start_[at(diagonal_[at(b)])] + at(l * (size_[at(b)] + 1))] = 1.0;
  put_joints();
  for (std::size_t k = 0; k < rows.size();) {
    const Contact& c = contacts_[at(problem_->cones[k].contact)];
    double T[9] = {};  // B^-1 A for all cones of the contact
    for (; k < rows.size() && problem_->cones[k].first < c.first + c.rows; ++k) {
      const ConeProblem::Cone& cone = problem_->cones[k];
      double* const inverse = &inverse_[9 * k];
      if (!invert(cone.size, rows[k].B, inverse)) return false;
      const int row = cone.first - c.first;
      for (int i = 0; i < cone.size; ++i)
        for (int j = 0; j < cone.size; ++j) {
          double sum = 0.0;
          for (int l = 0; l < cone.size; ++l) sum += inverse[3 * i + l] * rows[k].A[3 * l + j];
          T[3 * (row + i) + row + j] = sum;
        }
    }
    if (c.side[0] < 0 || std::all_of(T, T + 9, [](double x) { return x == 0.0; })) continue;
    if (M == 6)
      add<6>(c, T);
    else
      add<0>(c, T);
  }
  return lu_.factorise(pattern_, size_.data(), value_.data(), start_.data());
}

/// Solves (1) without refinement
void BodySystem::solve_once(Vector& x) {
  const int M = width_;
  const auto divide = [&] {  // x <- B^-1 x
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const ConeProblem::Cone& cone = problem_->cones[k];
      double r[kRows], *const x_k = &x[cone.first];
      std::copy_n(x_k, cone.size, r);
      for (int i = 0; i < cone.size; ++i) {
        x_k[i] = 0.0;
        for (int j = 0; j < cone.size; ++j) x_k[i] += inverse_[9 * k + at(3 * i + j)] * r[j];
      }
    }
  };
  correction_ = x;
  divide();
  multiply_transposed(x.data(), z_.data());
  std::fill(packed_.begin(), packed_.end(), 0.0);
  // use(z of a body, its position in packed_, whether it has rows)
  const auto each = [&](const auto& use) {
    double* packed = packed_.data();
    for (int b = 0; b < bodies_; packed += size_[at(b)], ++b)
      use(&z_[at(b * M)], packed, size_[at(b)] > 0);
  };
  each([&](const double* z, double* packed, bool there) {
    if (there) std::copy_n(z, M, packed);
  });
  lu_.solve(packed_.data());
  each([&](double* z, const double* packed, bool there) {
    if (there)
      std::copy_n(packed, M, z);
    else
      std::fill_n(z, M, 0.0);
  });
  multiply(z_.data(), product_.data());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const ConeProblem::Cone& cone = problem_->cones[k];
    for (int i = 0; i < cone.size; ++i) {
      double sum = correction_[cone.first + i];
      for (int j = 0; j < cone.size; ++j) sum -= rows_[k].A[3 * i + j] * product_[cone.first + j];
      x[cone.first + i] = sum;
    }
  }
  divide();
}

void BodySystem::solve(Vector& x, int refinements) {
  right_ = x;
  solve_once(x);
  for (int n = 0; n < refinements; ++n) {
    Vector& r = refined_;
    apply(x, r);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const ConeProblem::Cone& cone = problem_->cones[k];
      double Kx[kRows] = {};
      for (int i = 0; i < cone.size; ++i)
        for (int j = 0; j < cone.size; ++j)
          Kx[i] +=
              rows_[k].A[3 * i + j] * r[cone.first + j] + rows_[k].B[3 * i + j] * x[cone.first + j];
      for (int i = 0; i < cone.size; ++i) r[cone.first + i] = right_[cone.first + i] - Kx[i];
    }
    solve_once(r);
    x += r;
  }
}

}  // namespace saltus
