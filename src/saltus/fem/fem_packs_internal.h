// Loops over batches of eight elements in registers of W doubles; include only in fem_packs.cpp.
#pragma once
#include <algorithm>

#include "saltus/fem/fem_pack_laws_internal.h"

namespace saltus::fem {

// Elements have N nodes each; N = 0: n nodes, known at run time.

/// Values at the n nodes of eight elements, 3 octets per node.
SALTUS_INLINE void gather_nodes(const int* node, int n, const double* x, double* X) {
  for (int a = 0; a < n; ++a)
    for (int l = 0; l < 8; ++l) {
      const double* const from = x + 3 * static_cast<std::ptrdiff_t>(node[8 * a + l]);
      for (int i = 0; i < 3; ++i) X[8 * (3 * a + i) + l] = from[i];
    }
}
/// f += part for the first `slots` elements, in order.
SALTUS_INLINE void scatter_nodes(const int* node, int n, int slots, const double* part, double* f) {
  for (int l = 0; l < slots; ++l)
    for (int a = 0; a < n; ++a) {
      double* const to = f + 3 * static_cast<std::ptrdiff_t>(node[8 * a + l]);
      for (int i = 0; i < 3; ++i) to[i] += part[8 * (3 * a + i) + l];
    }
}
/// Shape functions at an integration point of eight elements: D = dN/dxi, T = dxi/dX.
template <int W>
struct PackPoint {
  using O = Octet<W>;
  using M = Nine<W>;

  /// T at point p, numbered over batches and points.
  static SALTUS_INLINE M inverse(const Block& b, std::ptrdiff_t p) {
    return take<W>(*reinterpret_cast<const double(*)[9][8]>(b.inverse.data() + 72 * p));
  }
  /// sum_a x_a grad0 N_a^T
  template <int N>
  static SALTUS_INLINE M gradient(int n, const double* X, const double* D, const M& T) {
    M G;
    if constexpr (N == 4) {
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) {
        const O x0 = load<W>(X + 8 * i);
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) G.m[i][k] = load<W>(X + 8 * (3 * (k + 1) + i)) - x0;
      }
    } else {
      SALTUS_EACH G.m[i][j] = octet<W>(0.0);
      for (int a = 0; a < n; ++a) {
        const O x0 = load<W>(X + 24 * a), x1 = load<W>(X + 24 * a + 8),
                x2 = load<W>(X + 24 * a + 16);
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) {
          const double d = D[3 * a + k];
          G.m[0][k] += d * x0;
          G.m[1][k] += d * x1;
          G.m[2][k] += d * x2;
        }
      }
    }
    return times(G, T);
  }
  /// f_a += P grad0 N_a
  template <int N>
  static SALTUS_INLINE void spread(int n, const M& P, const double* D, const M& T, double* f) {
    const M Q = times_transposed(P, T);
    if constexpr (N == 4) {
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) {
        store<W>(f + 8 * i, -(Q.m[i][0] + Q.m[i][1] + Q.m[i][2]));
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) store<W>(f + 8 * (3 * (k + 1) + i), Q.m[i][k]);
      }
    } else {
      for (int a = 0; a < n; ++a)
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i) {
          double* const at = f + 8 * (3 * a + i);
          store<W>(at, load<W>(at) + (D[3 * a] * Q.m[i][0] + D[3 * a + 1] * Q.m[i][1] +
                                      D[3 * a + 2] * Q.m[i][2]));
        }
    }
  }
};

/// Internal forces and stored energy.
template <int W>
struct PackForces {
  using O = Octet<W>;
  using M = Nine<W>;
  using Law = PackLaws<W>;
  using Points = PackPoint<W>;

  /// f += scale int P grad0 N dV over batches from .. to - 1; with v, P is the viscous stress at
  /// these rates.
  template <int N>
  static SALTUS_INLINE void forces(const Block& b, int from, int to, double scale, const double* u,
                                   const double* v, double* f) {
    const int n = N == 0 ? b.n : N;
    double U[24 * kMaxElementNodes], R[24 * kMaxElementNodes], sum[24 * kMaxElementNodes];
    for (int batch = from; batch < to; ++batch) {
      const int* const node = b.pack_node.data() + 8 * static_cast<std::ptrdiff_t>(batch) * n;
      gather_nodes(node, n, u, U);
      if (v) gather_nodes(node, n, v, R);
      if constexpr (N != 4) std::fill(sum, sum + 24 * n, 0.0);
      for (int g = 0; g < b.points; ++g) {
        const std::ptrdiff_t p = static_cast<std::ptrdiff_t>(batch) * b.points + g;
        const double* const D = b.natural.data() + 3 * g * n;
        const M T = Points::inverse(b, p);
        const M H = Points::template gradient<N>(n, U, D, T);
        M P;
        if (v) {
          const M F = Law::moved(H), rate = Points::template gradient<N>(n, R, D, T);
          if (b.pack_law.viscous) {
            P = Law::viscous_stress(b.pack_law, F, rate);
          } else {
            double slot[9][8], slope[9][8];
            put<W>(F, slot);
            put<W>(rate, slope);
            viscous_stress_of_pack(b, batch, g, slot, slope);
            P = take<W>(slope);
          }
        } else if (b.pack_law.kind != PackLaw::none) {
          P = Law::stress(b.pack_law, H);
        } else {
          double slot[9][8];
          put<W>(H, slot);
          stress_of_pack(b, batch, g, slot);
          P = take<W>(slot);
        }
        P = Law::scaled(scale * load<W>(b.pack_weight.data() + 8 * p), P);
        Points::template spread<N>(n, P, D, T, sum);
      }
      scatter_nodes(node, n, b.pack_size(batch), sum, f);
    }
  }

  template <int N>
  static SALTUS_INLINE double energies(const Block& b, int from, int to, const double* u) {
    const int n = N == 0 ? b.n : N;
    double U[24 * kMaxElementNodes], total = 0.0;
    for (int batch = from; batch < to; ++batch) {
      gather_nodes(b.pack_node.data() + 8 * static_cast<std::ptrdiff_t>(batch) * n, n, u, U);
      O sum = octet<W>(0.0);
      for (int g = 0; g < b.points; ++g) {
        const std::ptrdiff_t p = static_cast<std::ptrdiff_t>(batch) * b.points + g;
        const double* const D = b.natural.data() + 3 * g * n;
        const M H = Points::template gradient<N>(n, U, D, Points::inverse(b, p));
        O at;
        if (b.pack_law.kind != PackLaw::none) {
          at = Law::energy(b.pack_law, H);
        } else {
          double slot[9][8];
          put<W>(H, slot);
          energy_of_pack(b, batch, g, slot);
          at = load<W>(slot[0]);
        }
        sum += load<W>(b.pack_weight.data() + 8 * p) * at;
      }
      double slot[8];
      store<W>(slot, sum);
      for (int l = 0; l < b.pack_size(batch); ++l) total += slot[l];
    }
    return total;
  }
};

/// Tangents: their products with vectors, and element matrices.
template <int W>
struct PackTangents {
  using O = Octet<W>;
  using M = Nine<W>;
  using Law = PackLaws<W>;
  using Points = PackPoint<W>;

  /// y += (k K + c C_v) x
  template <int N>
  static SALTUS_INLINE void products(const Block& b, int from, int to, double k, double c,
                                     const double* u, const double* x, double* y) {
    const int n = N == 0 ? b.n : N;
    double U[24 * kMaxElementNodes], X[24 * kMaxElementNodes], sum[24 * kMaxElementNodes];
    for (int batch = from; batch < to; ++batch) {
      const int* const node = b.pack_node.data() + 8 * static_cast<std::ptrdiff_t>(batch) * n;
      gather_nodes(node, n, u, U);
      gather_nodes(node, n, x, X);
      if constexpr (N != 4) std::fill(sum, sum + 24 * n, 0.0);
      for (int g = 0; g < b.points; ++g) {
        const std::ptrdiff_t p = static_cast<std::ptrdiff_t>(batch) * b.points + g;
        const double* const D = b.natural.data() + 3 * g * n;
        const M T = Points::inverse(b, p);
        M F = Points::template gradient<N>(n, U, D, T);
        Law::add_identity(F, octet<W>(1.0));
        const M dF = Points::template gradient<N>(n, X, D, T);
        M dP;
        if (b.in_packs(k, c)) {
          if (k != 0.0) {
            Slope<W> A;
            Law::slope(b.pack_law, F, k, A);
            dP = Law::apply(A, dF);
          } else {
            SALTUS_EACH dP.m[i][j] = octet<W>(0.0);
          }
          if (c != 0.0) {
            Slope<W> A;
            Law::viscous_slope(b.pack_law, F, c, A);
            Law::add(dP, Law::apply(A, dF));
          }
        } else {
          double slot[9][8], change[9][8];
          put<W>(F, slot);
          put<W>(dF, change);
          product_of_pack(b, batch, g, k, c, slot, change);
          dP = take<W>(change);
        }
        Points::template spread<N>(n, Law::scaled(load<W>(b.pack_weight.data() + 8 * p), dP), D, T,
                                   sum);
      }
      scatter_nodes(node, n, b.pack_size(batch), sum, y);
    }
  }

  /// Adds the contribution of a point to K; g and r = Phi g have 3 octets per node. K_ab for a <= b
  /// is at b (b + 1)/2 + a, 9 octets column-major.
  template <int N>
  static SALTUS_INLINE void add_matrix(int n, const Slope<W>& A, const O& w, const double* g,
                                       double* r, bool first, double* K) {
    for (int a = 0; a < n; ++a) {
      const O g0 = load<W>(g + 24 * a), g1 = load<W>(g + 24 * a + 8), g2 = load<W>(g + 24 * a + 16);
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i)
        store<W>(r + 24 * a + 8 * i, dot(A.Phi.m[i][0], g0, A.Phi.m[i][1], g1, A.Phi.m[i][2], g2));
    }
    const O lambda = w * A.lambda, mu = w * A.mu;
    for (int b = 0; b < n; ++b) {
      const O g0 = load<W>(g + 24 * b), g1 = load<W>(g + 24 * b + 8), g2 = load<W>(g + 24 * b + 16);
      const O r0 = load<W>(r + 24 * b), r1 = load<W>(r + 24 * b + 8), r2 = load<W>(r + 24 * b + 16);
      O s[3];
      if (A.full) {
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i)
          s[i] = w * dot(A.S.m[i][0], g0, A.S.m[i][1], g1, A.S.m[i][2], g2);
      } else {
        const O d = w * A.diagonal;
        s[0] = d * g0;
        s[1] = d * g1;
        s[2] = d * g2;
      }
      const O lb[3] = {lambda * r0, lambda * r1, lambda * r2}, mb[3] = {mu * r0, mu * r1, mu * r2};
      M H;  // E (r_b x e_j)
      if (A.has_E) {
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i) {
          H.m[i][0] = w * (A.E.m[i][1] * r2 - A.E.m[i][2] * r1);
          H.m[i][1] = w * (A.E.m[i][2] * r0 - A.E.m[i][0] * r2);
          H.m[i][2] = w * (A.E.m[i][0] * r1 - A.E.m[i][1] * r0);
        }
      }
      for (int a = 0; a <= b; ++a) {
        const O h0 = load<W>(g + 24 * a), h1 = load<W>(g + 24 * a + 8),
                h2 = load<W>(g + 24 * a + 16);
        const O q[3] = {load<W>(r + 24 * a), load<W>(r + 24 * a + 8), load<W>(r + 24 * a + 16)};
        M part;
        SALTUS_EACH part.m[i][j] = q[i] * lb[j] + mb[i] * q[j];
        if (A.has_S) Law::add_identity(part, dot(h0, s[0], h1, s[1], h2, s[2]));
        if (A.has_B) Law::add(part, Law::scaled(w * dot(h0, g0, h1, g1, h2, g2), A.B));
        if (A.has_E) {  // (r_a x e_i) . H_j
#pragma GCC unroll 3
          for (int j = 0; j < 3; ++j) {
            part.m[0][j] += q[2] * H.m[1][j] - q[1] * H.m[2][j];
            part.m[1][j] += q[0] * H.m[2][j] - q[2] * H.m[0][j];
            part.m[2][j] += q[1] * H.m[0][j] - q[0] * H.m[1][j];
          }
        }
        double* const to = K + 72 * (b * (b + 1) / 2 + a);
        if (first) {
          SALTUS_EACH store<W>(to + 8 * (3 * j + i), part.m[i][j]);
        } else {
          SALTUS_EACH store<W>(to + 8 * (3 * j + i), load<W>(to + 8 * (3 * j + i)) + part.m[i][j]);
        }
      }
    }
  }

  /// k K + c C_v of the elements of one batch, in the layout of add_matrix.
  template <int N>
  static SALTUS_INLINE void matrices(const Block& b, int batch, double k, double c, const double* u,
                                     double* K) {
    const int n = N == 0 ? b.n : N;
    double U[24 * kMaxElementNodes], gradients[24 * kMaxElementNodes],
        turned[24 * kMaxElementNodes];
    gather_nodes(b.pack_node.data() + 8 * static_cast<std::ptrdiff_t>(batch) * n, n, u, U);
    bool first = true;
    for (int g = 0; g < b.points; ++g) {
      const std::ptrdiff_t p = static_cast<std::ptrdiff_t>(batch) * b.points + g;
      const double* const D = b.natural.data() + 3 * g * n;
      const M T = Points::inverse(b, p);
      M F = Points::template gradient<N>(n, U, D, T);
      Law::add_identity(F, octet<W>(1.0));
      const O w = load<W>(b.pack_weight.data() + 8 * p);
      for (int a = 0; a < n; ++a)
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i)
          store<W>(gradients + 24 * a + 8 * i,
                   D[3 * a] * T.m[0][i] + D[3 * a + 1] * T.m[1][i] + D[3 * a + 2] * T.m[2][i]);
      if (k != 0.0) {
        Slope<W> A;
        Law::slope(b.pack_law, F, k, A);
        add_matrix<N>(n, A, w, gradients, turned, first, K);
        first = false;
      }
      if (c != 0.0) {
        Slope<W> A;
        Law::viscous_slope(b.pack_law, F, c, A);
        A.full = false;
        A.diagonal = octet<W>(0.0);
        add_matrix<N>(n, A, w, gradients, turned, first, K);
        first = false;
      }
    }
  }
};

}  // namespace saltus::fem
