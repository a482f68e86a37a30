#include "saltus/solvers/body_sweeps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/base/index_internal.h"
#include "saltus/solvers/contact_map.h"
#include "saltus/solvers/local_coulomb.h"
#include "saltus/solvers/local_rolling.h"

namespace saltus {
namespace {

/// Solves u = W p + b row by row, from p, for an equality, unilateral or box law.
void solve_rows(const Law& law, int rows, const double* W, const double* b, double* p) {
  const Cone K(law);
  for (int i = 0; i < rows; ++i) {
    double u = b[i];
    for (int j = 0; j < rows; ++j) u += W[i * rows + j] * p[j];
    const double W_ii = W[i * rows + i];
    if (W_ii > 0.0)
      p[i] = K.project(p[i] - u / W_ii);
    else  // no mobility
      p[i] = law.kind != LawKind::box ? 0.0 : u > 0.0 ? -law.bound : u < 0.0 ? law.bound : 0.0;
  }
}

/// Solves one contact, u = W p + b; laws that are solved row by row start from the given p.
void solve_contact(const Law& law, int rows, const double* W, const double* b, double* p) {
  if (!law.coupled())
    solve_rows(law, rows, W, b, p);
  else if (!(W[0] > 0.0))
    std::fill(p, p + rows, 0.0);
  else if (law.kind == LawKind::coulomb)
    solve_coulomb(rows, W, b, law.friction, p);
  else
    solve_rolling(rows, W, b, law.friction, law.rolling, law.spinning, p);
}

/// Scaling of a contact in residual(): rho = forces/tr W over N and T, moments divided by L.
struct Scale {
  double rho = 0.0, L = 1.0;  ///< rho = 0: no mobility
  double trace = 0.0;         ///< over all rows, in the unit of the first
  /// lower: lower triangle of W_cc, row by row.
  Scale(const Law& law, const double* lower) {
    const int forces = law.forces(), moments = law.size - forces;
    double trace_R = 0.0;
    for (int i = 0; i < law.size; ++i) (i < forces ? trace : trace_R) += lower[i * (i + 3) / 2];
    if (trace > 0.0) rho = forces / trace;
    if (trace > 0.0 && trace_R > 0.0) L = std::sqrt(trace / forces * moments / trace_R);
    if (moments > 0) trace *= static_cast<double>(law.size) / forces;
  }
  double unit(const Law& law, int i) const { return i < law.forces() ? 1.0 : L; }
};

/// |F_c|^2 of residual(), with moments and spins scaled by L.
double defect(const Law& law, double rho, double L, const double* u, const double* p) {
  const Cone K(law, L);
  double sum = 0.0;
  for (int i = 0; i < law.size; i += K.size()) sum += natural_map2(K, rho, u + i, p + i);
  return sum;
}

/// The bodies k, k + 1 of a contact that use the same H_ck with opposite signs, or only the body k.
struct Side {
  const double* H;
  int body, other;  // other: -1 if there is none
  Side(const BodyRows& rows, int k, int end)
      : H(rows.value.data() + rows.start[at(k)]), body(rows.body[at(k)]), other(-1) {
    if (k + 1 < end && rows.start[at(k + 1)] == rows.start[at(k)]) other = rows.body[at(k + 1)];
  }
  int bodies() const { return other < 0 ? 1 : 2; }
};

/// u += H_c v, with S rows and M columns.
void add_velocity(const BodyRows& H, int c, int S, int M, const double* v, double* u) {
  const int end = H.offset[at(c) + 1];
  for (int k = H.offset[at(c)]; k < end;) {
    const Side side(H, k, end);
    const double* const v_b = v + at(side.body) * at(M);
    double relative[6];
    for (int m = 0; m < M; ++m) relative[m] = v_b[m];
    if (side.other >= 0)
      for (int m = 0; m < M; ++m) relative[m] -= v[at(side.other) * at(M) + at(m)];
    for (int i = 0; i < S; ++i)
      for (int m = 0; m < M; ++m) u[i] += side.H[i * M + m] * relative[m];
    k += side.bodies();
  }
}

/// Calls use(body, g) with g = H_cb^T p for each body of c.
template <class Use>
void for_momenta(const BodyRows& H, int c, int S, int M, const double* p, const Use& use) {
  const int end = H.offset[at(c) + 1];
  for (int k = H.offset[at(c)]; k < end;) {
    const Side side(H, k, end);
    double g[6] = {};
    for (int i = 0; i < S; ++i)
      for (int m = 0; m < M; ++m) g[m] += side.H[i * M + m] * p[i];
    use(side.body, g);
    if (side.other >= 0) {
      for (int m = 0; m < M; ++m) g[m] = -g[m];
      use(side.other, g);
    }
    k += side.bodies();
  }
}

/// v += A^-1 g
void add_divided(const double* A, int M, const double* g, double* v) {
  for (int m = 0; m < M; ++m) {
    double sum = 0.0;
    for (int j = 0; j < M; ++j) sum += A[m * M + j] * g[j];
    v[m] += sum;
  }
}

}  // namespace

bool BodySweeps::fits(const ContactProblem& problem) {
  const BodyRows* H = problem.W.bodies();
  if (!H || at(H->contacts()) != problem.laws.size()) return false;
  for (int c = 0; c < H->contacts(); ++c) {
    const Law& law = problem.laws[at(c)];
    if (law.first != H->first[at(c)] || law.size != H->size(c) || law.size > kRows) return false;
  }
  return true;
}

void BodySweeps::assign(const ContactProblem& problem, View p, Stop* stop) {
  stop_ = stop;
  problem_ = &problem;
  H_ = problem.W.bodies();
  const auto contacts = problem.laws.size();
  colouring_.assign(*H_);
  int most = 0, least = kRows;
  for (const Law& law : problem.laws) {
    most = std::max(most, law.size);
    least = std::min(least, law.size);
  }
  rows_ = most == least ? most : 0;
  stride_ = most * (most + 1) / 2;
  W_.resize(contacts * at(stride_));
  x_.resize(at(H_->rows()));
  step_.resize(x_.size());
  v_.resize(at(H_->bodies() * H_->width));
  v_old_.resize(v_.size());
  sums_.resize(3 * (ThreadPool::blocks_in(contacts) + 64));

  // W_cc, and sum |b_c|^2/tr^2 and tr W for rho_c
  thread_pool_.blocks(contacts, [&](std::size_t block, std::size_t begin, std::size_t end) {
    double* const sum = &sums_[3 * block];
    sum[0] = sum[1] = sum[2] = 0.0;
    for (std::size_t c = begin; c < end; ++c) {
      const Law& law = problem.laws[c];
      double full[kRows * kRows], *lower = &W_[c * at(stride_)], b2 = 0.0;
      block_of(*H_, static_cast<int>(c), static_cast<int>(c), full);
      for (int i = 0; i < law.size; ++i)
        for (int j = 0; j <= i; ++j) *lower++ = full[i * law.size + j];
      const Scale scale(law, &W_[c * at(stride_)]);
      for (int i = 0; i < law.size; ++i) {
        const double b_i = scale.unit(law, i) * problem.b[law.first + i];
        b2 += b_i * b_i;
      }
      if (scale.rho > 0.0)
        sum[0] += scale.trace, sum[1] += b2 * scale.rho * scale.rho;
      else
        sum[2] += b2;
    }
  });
  double trace = 0.0, loose = 0.0;
  rho_b2_ = 0.0;
  for (std::size_t k = 0; k < ThreadPool::blocks_in(contacts); ++k) {
    trace += sums_[3 * k];
    rho_b2_ += sums_[3 * k + 1];
    loose += sums_[3 * k + 2];
  }
  mean_rho_ = trace > 0.0 ? static_cast<double>(x_.size()) / trace : 1.0;
  rho_b2_ += mean_rho_ * mean_rho_ * loose;
  const double size = std::sqrt(std::max(p.squaredNorm(), rho_b2_));
  scale_ = size > 0.0 && std::isfinite(size) ? std::exp2(std::ilogb(size)) : 1.0;
  restart(p);
}

void BodySweeps::restart(View p) {
  std::copy(p.data(), p.data() + p.size(), x_.begin());
  std::fill(step_.begin(), step_.end(), 0.0f);
  velocities();
  v_old_ = v_;
}

void BodySweeps::copy(Out p) const { std::copy(x_.begin(), x_.end(), p.data()); }

/// v = A^-1 H^T x: first momenta by colours, then the bodies.
void BodySweeps::velocities() {
  const BodyRows& H = *H_;
  const int M = H.width;
  std::fill(v_.begin(), v_.end(), 0.0);
  for_colours([&](int c) {
    for_momenta(H, c, H.size(c), M, &x_[at(H.first[at(c)])], [&](int b, const double* g) {
      if (colouring_.held(b)) return;
      for (int m = 0; m < M; ++m) v_[at(b * M + m)] += g[m];
    });
    return 0.0;
  });
  thread_pool_.blocks(at(H.bodies()), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      double g[6], *const v = &v_[b * at(M)];
      for (int m = 0; m < M; ++m) g[m] = std::exchange(v[m], 0.0);
      add_divided(H.inverse.data() + b * at(M * M), M, g, v);
    }
  });
}

/// Sum of visit(c) over all contacts, colour by colour, in fixed blocks.
template <class Visit>
double BodySweeps::for_colours(const Visit& visit) {
  double sum = 0.0;
  for (int k = 0; k < colouring_.colours(); ++k) {
    const std::span<const int> contacts = colouring_.colour(k);
    thread_pool_.blocks(contacts.size(),
                        [&](std::size_t block, std::size_t begin, std::size_t end) {
                          double part = 0.0;
                          if (!stop_requested(stop_))
                            for (std::size_t i = begin; i < end; ++i) part += visit(contacts[i]);
                          sums_[block] = part;
                        });
    for (std::size_t block = 0; block < ThreadPool::blocks_in(contacts.size()); ++block)
      sum += sums_[block];
  }
  for (const int c : colouring_.rest())
    if (!stop_requested(stop_)) sum += visit(c);
  return sum;
}

double BodySweeps::sweep(double beta) {
  // v <- v + beta (v - v_old): the velocities of y
  const auto M = at(H_->width);
  thread_pool_.blocks(at(H_->bodies()), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = M * begin; i < M * end; ++i) {
      const double v = v_[i];
      v_[i] = v + beta * (v - v_old_[i]);
      v_old_[i] = v;
    }
  });
  if (rows_ == 3 && H_->width == 3) return for_colours([&](int c) { return visit<3, 3>(c, beta); });
  if (rows_ == 3 && H_->width == 6) return for_colours([&](int c) { return visit<3, 6>(c, beta); });
  return for_colours([&](int c) { return visit<0, 0>(c, beta); });
}

/// Solves one contact with S rows and bodies with M velocities; 0: as given by the problem.
template <int S, int M>
double BodySweeps::visit(int c, double beta) {
  const BodyRows& H = *H_;
  const Law& law = problem_->laws[at(c)];
  const int rows = S > 0 ? S : law.size, width = M > 0 ? M : H.width;
  const auto first = at(law.first);
  double W[kRows * kRows], u[kRows], y[kRows], p[kRows];
  const double* lower = &W_[at(c) * at(stride_)];
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j <= i; ++j) W[i * rows + j] = W[j * rows + i] = *lower++;
  for (int i = 0; i < rows; ++i) {
    u[i] = problem_->b[law.first + i];
    p[i] = y[i] = x_[first + at(i)] + beta * (scale_ * static_cast<double>(step_[first + at(i)]));
  }
  add_velocity(H, c, rows, width, v_.data(), u);
  for (int i = 0; i < rows; ++i)  // without this contact
    for (int j = 0; j < rows; ++j) u[i] -= W[i * rows + j] * y[j];
  solve_contact(law, rows, W, u, p);

  double test = 0.0;
  for (int i = 0; i < rows; ++i) {
    double& x = x_[first + at(i)];
    test += W[i * rows + i] * (y[i] - p[i]) * (p[i] - x);
    step_[first + at(i)] = static_cast<float>((p[i] - x) / scale_);
    x = std::exchange(p[i], p[i] - y[i]);
  }
  for_momenta(H, c, rows, width, p, [&](int b, const double* g) {
    if (!colouring_.held(b))
      add_divided(H.inverse.data() + at(b * width * width), width, g, &v_[at(b * width)]);
  });
  return test;
}

double BodySweeps::natural_map() {
  const BodyRows& H = *H_;
  const std::size_t contacts = problem_->laws.size();
  thread_pool_.blocks(contacts, [&](std::size_t block, std::size_t begin, std::size_t end) {
    double F2 = 0.0, x2 = 0.0;
    for (std::size_t c = begin; c < end; ++c) {
      const Law& law = problem_->laws[c];
      const Scale scale(law, &W_[c * at(stride_)]);
      double u[kRows], x[kRows];
      for (int i = 0; i < law.size; ++i) u[i] = problem_->b[law.first + i];
      add_velocity(H, static_cast<int>(c), law.size, H.width, v_.data(), u);
      for (int i = 0; i < law.size; ++i) {
        const double unit = scale.unit(law, i);
        u[i] *= unit;
        x[i] = x_[at(law.first + i)] / unit;
        x2 += x[i] * x[i];
      }
      F2 += defect(law, scale.rho > 0.0 ? scale.rho : mean_rho_, scale.L, u, x);
    }
    sums_[2 * block] = F2;
    sums_[2 * block + 1] = x2;
  });
  double F2 = 0.0, x2 = 0.0;
  for (std::size_t block = 0; block < ThreadPool::blocks_in(contacts); ++block) {
    F2 += sums_[2 * block];
    x2 += sums_[2 * block + 1];
  }
  const double scale2 = std::max(x2, rho_b2_);
  return scale2 > 0.0 ? std::sqrt(F2 / scale2) : std::sqrt(F2);
}

}  // namespace saltus
