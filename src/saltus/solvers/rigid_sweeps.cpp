#include "saltus/solvers/rigid_sweeps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/base/index_internal.h"
#include "saltus/math/pack.h"
#include "saltus/solvers/contact_map.h"
#include "saltus/solvers/local_coulomb.h"

namespace saltus {
namespace {

constexpr int kWidth = 6, kRows = 3;
constexpr int kAhead = 4;  // how many contacts ahead bodies are prefetched

/// u += H v
void add_body_velocity(const double* H, const double* v, double* u) {
  for (int i = 0; i < kRows; ++i, H += kWidth)
    u[i] +=
        ((H[0] * v[0] + H[2] * v[2]) + H[4] * v[4]) + ((H[1] * v[1] + H[3] * v[3]) + H[5] * v[5]);
}

/// g = H^T p
void momentum(const double* H, const double* p, double* g) {
  for (int m = 0; m < kWidth; ++m)
    g[m] = (H[m] * p[0] + H[kWidth + m] * p[1]) + H[2 * kWidth + m] * p[2];
}

}  // namespace

/// Processes contacts one after the other, with registers of the width of the processor.
struct RigidSweeps::Kernels {
  using V = simd::V<8>;
  static SALTUS_INLINE const simd::Slot<8>& row(const double* H, int i) {
    return simd::at<8>(H + kWidth * i);
  }
  static SALTUS_INLINE double sum(const V& t) {
    return ((t[0] + t[2]) + t[4]) + ((t[1] + t[3]) + t[5]);
  }

  /// v_b += A_b^-1 H^T p
  template <bool diagonal>
  static SALTUS_INLINE void push(const Range& range, int body, const double* H, const double* p) {
    const V g = (row(H, 0).v * p[0] + row(H, 1).v * p[1]) + row(H, 2).v * p[2];
    double* const v = range.v[body].of;
    simd::at<8>(v).v += simd::at<8>(range.diagonal[body].of).v * g;
    if constexpr (!diagonal) {  // otherwise the diagonal has 0 in the rotation rows
      const double* const J = range.rotation[body].block;
      for (int i = 0; i < 3; ++i)
        v[3 + i] += (J[3 * i] * g[3] + J[3 * i + 1] * g[4]) + J[3 * i + 2] * g[5];
    }
  }

  /// A sliding contact, solved by Newton's method on G of local_coulomb.cpp in the given rows,
  /// starting from the lambda of y:
  ///     (S + lambda 1) p_T = -c,   |p_T| = mu p_N.
  /// u: velocities without the contact. Returns false if no solution is found or the case is
  /// another one.
  static SALTUS_INLINE bool slide(const Contact& c, const double* u, double lambda, double* p) {
    const double *W = c.W, r_1 = W[1] / W[0], r_2 = W[3] / W[0];
    const double S_11 = W[2] - r_1 * W[1], S_21 = W[4] - r_2 * W[1], S_22 = W[5] - r_2 * W[3];
    const double c_1 = u[1] - r_1 * u[0], c_2 = u[2] - r_2 * u[0], beta = -u[0];
    const double ratio = W[0] / c.friction, W_c = W[1] * c_1 + W[3] * c_2;
    for (int i = 0; i < 8; ++i) {
      if (!(lambda >= 0.0)) return false;
      const double m_1 = S_11 + lambda, m_2 = S_22 + lambda, D = m_1 * m_2 - S_21 * S_21;
      const double v_1 = m_2 * c_1 - S_21 * c_2, v_2 = m_1 * c_2 - S_21 * c_1;
      const double v2 = v_1 * v_1 + v_2 * v_2, size = std::sqrt(v2);
      const double A = beta * D + W[1] * v_1 + W[3] * v_2, G = A - ratio * size;
      const double slope = beta * (m_1 + m_2) + W_c - A * (v_1 * c_1 + v_2 * c_2) / v2;
      if (std::abs(G) <= 1e-13 * ratio * size) {
        p[1] = -v_1 / D;
        p[2] = -v_2 / D;
        p[0] = size / (D * c.friction);
        return true;
      }
      lambda -= G / slope;
    }
    return false;
  }

  /// With the current velocities u:  open, p = 0, if u_N without this contact is not negative;
  /// sticking, p = y - W_cc^-1 u, if that lies in the cone;  otherwise sliding.
  template <bool diagonal>
  static SALTUS_INLINE double visit(const Range& range, Contact& c) {
    double y[kRows], p[kRows] = {}, u[kRows] = {c.b[0], c.b[1], c.b[2]};
    for (int i = 0; i < kRows; ++i)
      y[i] = c.x[i] + range.beta * (range.scale * static_cast<double>(c.step[i]));
    const double *const H = c.H, *const G = c.H + kRows * kWidth;
    if (c.side[1] >= 0) {
      const V v = simd::at<8>(range.v[c.side[0]].of).v;
      const V w = simd::at<8>(range.v[c.side[1]].of).v;
      for (int i = 0; i < kRows; ++i) u[i] += sum(row(H, i).v * v + row(G, i).v * w);
    } else if (c.side[0] >= 0) {
      const V v = simd::at<8>(range.v[c.side[0]].of).v;
      for (int i = 0; i < kRows; ++i) u[i] += sum(row(H, i).v * v);
    }
    const double *const W = c.W, *const K = c.inverse;
    const double free = u[0] - (W[0] * y[0] + W[1] * y[1] + W[3] * y[2]);
    if (free < 0.0 && W[0] > 0.0) {
      p[0] = y[0] - (K[0] * u[0] + K[1] * u[1] + K[3] * u[2]);
      p[1] = y[1] - (K[1] * u[0] + K[2] * u[1] + K[4] * u[2]);
      p[2] = y[2] - (K[3] * u[0] + K[4] * u[1] + K[5] * u[2]);
      const double most = c.friction * p[0];
      if (!(K[0] > 0.0 && p[0] > 0.0 && p[1] * p[1] + p[2] * p[2] <= most * most)) {
        const double y2 = y[1] * y[1] + y[2] * y[2];
        const double lambda = y2 > 0.0 ? std::max(0.0, -(u[1] * y[1] + u[2] * y[2]) / y2) : 0.0;
        u[0] = free;
        u[1] -= W[1] * y[0] + W[2] * y[1] + W[4] * y[2];
        u[2] -= W[3] * y[0] + W[4] * y[1] + W[5] * y[2];
        if (!(K[0] > 0.0 && c.friction > 0.0 && slide(c, u, lambda, p))) {
          const double full[9] = {W[0], W[1], W[3], W[1], W[2], W[4], W[3], W[4], W[5]};
          solve_coulomb(kRows, full, u, c.friction, p);
        }
      }
    }
    double test = 0.0;
    for (int i = 0; i < kRows; ++i) {
      test += W[i * (i + 3) / 2] * (y[i] - p[i]) * (p[i] - c.x[i]);
      c.step[i] = static_cast<float>((p[i] - c.x[i]) / range.scale);
      c.x[i] = std::exchange(p[i], p[i] - y[i]);
    }
    if (c.side[0] >= 0) push<diagonal>(range, c.side[0], H, p);
    if (c.side[1] >= 0) push<diagonal>(range, c.side[1], G, p);
    return test;
  }

  template <bool diagonal>
  static SALTUS_INLINE double run(const Range& range) {
    double sum = 0.0;
    for (Contact* c = range.begin; c != range.end; ++c) {
      if (range.end - c > kAhead)
        for (const int side : c[kAhead].side)
          if (side >= 0) {
            __builtin_prefetch(range.v[side].of, 1);
            __builtin_prefetch(range.diagonal[side].of);
          }
      sum += visit<diagonal>(range, *c);
    }
    return sum;
  }

#define SALTUS_SWEEP(set)                                                \
  SALTUS_TARGET_##set static double diagonal_##set(const Range& range) { \
    return run<true>(range);                                             \
  }                                                                      \
  SALTUS_TARGET_##set static double whole_##set(const Range& range) { return run<false>(range); }
  SALTUS_SWEEP(baseline)
#if SALTUS_CLONES
  SALTUS_SWEEP(avx2)
  SALTUS_SWEEP(avx512f)
#endif
#undef SALTUS_SWEEP
};

RigidSweeps::Visit RigidSweeps::best(bool diagonal) {
#if SALTUS_CLONES
  static const int width = simd::register_width();
  if (width >= 8) return diagonal ? Kernels::diagonal_avx512f : Kernels::whole_avx512f;
  if (width >= 4) return diagonal ? Kernels::diagonal_avx2 : Kernels::whole_avx2;
#endif
  return diagonal ? Kernels::diagonal_baseline : Kernels::whole_baseline;
}

bool RigidSweeps::fits(const ContactProblem& problem) {
  const BodyRows* const H = problem.W.bodies();
  if (!H || H->width != kWidth || at(H->contacts()) != problem.laws.size()) return false;
  for (int b = 0; b < H->bodies(); ++b) {
    const double* const A = &H->inverse[at(kWidth * kWidth * b)];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < kWidth; ++j)
        if (i != j && (A[kWidth * i + j] != 0.0 || A[kWidth * j + i] != 0.0)) return false;
  }
  for (int c = 0; c < H->contacts(); ++c) {
    const Law& law = problem.laws[at(c)];
    const int k = H->offset[at(c)], sides = H->offset[at(c) + 1] - k;
    if (law.kind != LawKind::coulomb || law.size != kRows || law.first != H->first[at(c)] ||
        H->size(c) != kRows || sides < 1 || sides > 2)
      return false;
    if (sides == 2 && (H->body[at(k)] == H->body[at(k + 1)] || H->opposite(c, k + 1))) return false;
  }
  return true;
}

/// W_cc += H A_b^-1 H^T of side s, lower triangle.
void RigidSweeps::add_block(const Contact& c, int s, double* W) const {
  const double *const H = c.H + kRows * kWidth * s, *const A = inverse_[at(c.side[s])].of,
                      *const J = rotation_[at(c.side[s])].block;
  for (int i = 0; i < kRows; ++i) {
    const double* const h = H + kWidth * i;
    double y[kWidth];
    for (int m = 0; m < 3; ++m) {
      y[m] = A[m] * h[m];
      y[3 + m] = (J[3 * m] * h[3] + J[3 * m + 1] * h[4]) + J[3 * m + 2] * h[5];
    }
    for (int j = 0; j <= i; ++j) {
      const double* const g = H + kWidth * j;
      *W++ +=
          ((y[0] * g[0] + y[2] * g[2]) + y[4] * g[4]) + ((y[1] * g[1] + y[3] * g[3]) + y[5] * g[5]);
    }
  }
}

// W_cc^-1 by elimination of N, if this loses at most half of the digits.
void RigidSweeps::set_block(Contact& c, const double* W) {
  std::copy(W, W + 6, c.W);
  std::fill(c.inverse, c.inverse + 6, 0.0);
  if (!(W[0] > 0.0)) return;
  const double r_1 = W[1] / W[0], r_2 = W[3] / W[0];
  const double S_11 = W[2] - r_1 * W[1], S_21 = W[4] - r_2 * W[1], S_22 = W[5] - r_2 * W[3];
  const double D = S_11 * S_22 - S_21 * S_21;
  constexpr double kHalf = 1e-7;
  if (!(S_11 > kHalf * W[2] && S_22 > kHalf * W[5] && D > kHalf * S_11 * S_22)) return;
  const double T_11 = S_22 / D, T_21 = -S_21 / D, T_22 = S_11 / D;
  c.inverse[1] = -(T_11 * r_1 + T_21 * r_2);
  c.inverse[3] = -(T_21 * r_1 + T_22 * r_2);
  c.inverse[0] = 1.0 / W[0] - (r_1 * c.inverse[1] + r_2 * c.inverse[3]);
  c.inverse[2] = T_11;
  c.inverse[4] = T_21;
  c.inverse[5] = T_22;
}

void RigidSweeps::assign(const ContactProblem& problem, View p, Stop* stop) {
  stop_ = stop;
  const BodyRows& H = *problem.W.bodies();
  const auto contacts = problem.laws.size();
  colouring_.assign(H);
  contacts_.resize(contacts);
  inverse_.assign(at(H.bodies()), {});
  rotation_.resize(inverse_.size());
  diagonal_ = true;
  for (std::size_t b = 0; b < inverse_.size(); ++b) {
    const double* const A = &H.inverse[kWidth * kWidth * b];
    for (int i = 0; i < kWidth; ++i) inverse_[b].of[i] = A[(kWidth + 1) * i];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        rotation_[b].block[3 * i + j] = A[kWidth * (3 + i) + 3 + j];
        diagonal_ = diagonal_ && (i == j || rotation_[b].block[3 * i + j] == 0.0);
      }
  }
  if (!diagonal_)
    for (Velocity& A : inverse_) A.of[3] = A.of[4] = A.of[5] = 0.0;
  v_.resize(inverse_.size());
  v_old_.resize(v_.size());
  sums_.resize(3 * (ThreadPool::blocks_in(contacts) + 64));

  // in sweep order: W_cc, and sum |b_c|^2/tr^2 and tr W for rho_c
  const std::span<const int> order = colouring_.order();
  thread_pool_.blocks(contacts, [&](std::size_t block, std::size_t begin, std::size_t end) {
    double* const sum = &sums_[3 * block];
    sum[0] = sum[1] = sum[2] = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      const int from = order[i];
      Contact& c = contacts_[i];
      c.first = H.first[at(from)];
      c.friction = problem.laws[at(from)].friction;
      c.side[0] = c.side[1] = -1;
      c.H[2 * kRows * kWidth] = c.H[2 * kRows * kWidth + 1] = 0.0;
      std::fill(c.H + kRows * kWidth, c.H + 2 * kRows * kWidth, 0.0);
      int sides = 0;
      for (int k = H.offset[at(from)]; k < H.offset[at(from) + 1]; ++k) {
        if (colouring_.held(H.body[at(k)])) continue;
        c.side[sides] = H.body[at(k)];
        std::copy_n(&H.value[H.start[at(k)]], kRows * kWidth, c.H + kRows * kWidth * sides);
        ++sides;
      }
      double W[6] = {};
      for (int s = 0; s < sides; ++s) add_block(c, s, W);
      set_block(c, W);
      const double trace = W[0] + W[2] + W[5];
      double b2 = 0.0;
      for (int row = 0; row < kRows; ++row) {
        c.b[row] = problem.b[c.first + row];
        b2 += c.b[row] * c.b[row];
      }
      if (trace > 0.0)
        sum[0] += trace, sum[1] += b2 * (kRows / trace) * (kRows / trace);
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
  mean_rho_ =
      trace > 0.0 ? static_cast<double>(kRows) * static_cast<double>(contacts) / trace : 1.0;
  rho_b2_ += mean_rho_ * mean_rho_ * loose;
  const double size = std::sqrt(std::max(p.squaredNorm(), rho_b2_));
  scale_ = size > 0.0 && std::isfinite(size) ? std::exp2(std::ilogb(size)) : 1.0;
  restart(p);
}

void RigidSweeps::restart(View p) {
  thread_pool_.blocks(contacts_.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      for (int i = 0; i < kRows; ++i) {
        contacts_[k].x[i] = p[contacts_[k].first + i];
        contacts_[k].step[i] = 0.0f;
      }
  });
  velocities();
  v_old_ = v_;
}

void RigidSweeps::copy(Out p) {
  thread_pool_.blocks(contacts_.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      for (int i = 0; i < kRows; ++i) p[contacts_[k].first + i] = contacts_[k].x[i];
  });
}

void RigidSweeps::velocities() {
  std::fill(v_.begin(), v_.end(), Velocity{});
  for_colours([&](Contact* begin, Contact* end) {
    for (const Contact* c = begin; c != end; ++c)
      for (int s = 0; s < 2 && c->side[s] >= 0; ++s) {
        double g[kWidth], *const v = v_[at(c->side[s])].of;
        momentum(c->H + kRows * kWidth * s, c->x, g);
        for (int m = 0; m < kWidth; ++m) v[m] += g[m];
      }
    return 0.0;
  });
  thread_pool_.blocks(inverse_.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      const double *const A = inverse_[b].of, *const J = rotation_[b].block;
      double *const v = v_[b].of, g[3] = {v[3], v[4], v[5]};
      for (int i = 0; i < 3; ++i) {
        v[i] *= A[i];
        v[3 + i] = (J[3 * i] * g[0] + J[3 * i + 1] * g[1]) + J[3 * i + 2] * g[2];
      }
    }
  });
}

/// Sum of use(begin, end) over all contacts, colour by colour, in fixed blocks.
template <class Use>
double RigidSweeps::for_colours(const Use& use) {
  double sum = 0.0;
  Contact* first = contacts_.data();
  for (int k = 0; k < colouring_.colours(); ++k) {
    const std::size_t count = colouring_.colour(k).size();
    thread_pool_.blocks(count, [&](std::size_t block, std::size_t begin, std::size_t end) {
      sums_[block] = stop_requested(stop_) ? 0.0 : use(first + begin, first + end);
    });
    for (std::size_t block = 0; block < ThreadPool::blocks_in(count); ++block) sum += sums_[block];
    first += count;
  }
  return sum + use(first, contacts_.data() + contacts_.size());
}

double RigidSweeps::sweep(double beta) {
  // v <- v + beta (v - v_old): the velocities of y
  thread_pool_.blocks(inverse_.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b)
      for (int i = 0; i < 8; ++i) {
        const double v = v_[b].of[i];
        v_[b].of[i] = v + beta * (v - v_old_[b].of[i]);
        v_old_[b].of[i] = v;
      }
  });
  const Visit visit = best(diagonal_);
  return for_colours([&](Contact* begin, Contact* end) {
    return visit({begin, end, v_.data(), inverse_.data(), rotation_.data(), beta, scale_});
  });
}

double RigidSweeps::natural_map() {
  thread_pool_.blocks(contacts_.size(), [&](std::size_t block, std::size_t begin, std::size_t end) {
    Cone K({.kind = LawKind::coulomb, .size = kRows});
    double F2 = 0.0, x2 = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      const Contact& c = contacts_[i];
      double u[kRows] = {c.b[0], c.b[1], c.b[2]};
      for (int s = 0; s < 2 && c.side[s] >= 0; ++s)
        add_body_velocity(c.H + kRows * kWidth * s, v_[at(c.side[s])].of, u);
      const double trace = c.W[0] + c.W[2] + c.W[5];
      for (int k = 0; k < kRows; ++k) x2 += c.x[k] * c.x[k];
      K.radius[0] = c.friction;
      F2 += natural_map2(K, trace > 0.0 ? kRows / trace : mean_rho_, u, c.x);
    }
    sums_[2 * block] = F2;
    sums_[2 * block + 1] = x2;
  });
  double F2 = 0.0, x2 = 0.0;
  for (std::size_t block = 0; block < ThreadPool::blocks_in(contacts_.size()); ++block) {
    F2 += sums_[2 * block];
    x2 += sums_[2 * block + 1];
  }
  const double scale2 = std::max(x2, rho_b2_);
  return scale2 > 0.0 ? std::sqrt(F2 / scale2) : std::sqrt(F2);
}

}  // namespace saltus
