// The SIMD kernel of rig-mid in the notation of rig_mid.cpp, with
// g = h T + r_W, D = W1 - W0, Om = W0 + D/2, w = h Om, s = sqrt(1 + |w|^2/4):
//
//     J D + h Om x J Om = S g,      S g = s g - w (w.g)/(4 (s + 1))
//     Newton's matrix   J + (h/2) (Om^ J - (J Om)^) - (h/2) dS g/dw
//     dS g/dw = g w^T/(4 s) - (w.g I + w g^T)/(4 (s + 1)) + (w.g) w w^T/(16 s (s + 1)^2)
//     Q1 = Q0 (1, w/2)/s,      Q_mid = Q0 (s + 1, w/2)/sqrt(2 s (s + 1))
//
// The unknown is the small D, and Q1 is Q0 plus a small change: one rounding error each per step,
// so that energy and momentum are conserved to 1e-12 over a million steps.
#include "saltus/schemes/rig_mid_kernel.h"

#include <algorithm>
#include <cmath>

#include "saltus/math/pack.h"

namespace saltus::rig_mid {
namespace {

constexpr int kNewtonSteps = 50;
constexpr double kRoundOff = 0x1p-56;

using simd::at;

template <int W>
using V = simd::V<W>;

template <int W>
struct Three {
  V<W> x, y, z;
};

template <int W>
SALTUS_INLINE void square_root(V<W>& a) {
#if SALTUS_CLONES
  if constexpr (W == 4) {
    asm("vsqrtpd %1, %0" : "=v"(a) : "v"(a));
    return;
  } else if constexpr (W == 8) {
    asm("vsqrtpd %1, %0" : "=v"(a) : "v"(a));
    return;
  }
#endif
  for (int l = 0; l < W; ++l) a[l] = std::sqrt(a[l]);
}

/// Arithmetic for W bodies. Registers are passed by reference: passed by value, they would depend
/// on the instruction set of the caller.
template <int W>
struct Pack {
  using R = V<W>;
  using R3 = Three<W>;

  static SALTUS_INLINE void cross(const R3& a, const R3& b, R3& c) {
    c.x = a.y * b.z - a.z * b.y;
    c.y = a.z * b.x - a.x * b.z;
    c.z = a.x * b.y - a.y * b.x;
  }
  static SALTUS_INLINE void dot(const R3& a, const R3& b, R& c) {
    c = a.x * b.x + a.y * b.y + a.z * b.z;
  }

  struct Inertia {
    R xx, yy, zz, xy, xz, yz;
    SALTUS_INLINE Inertia(const Columns& c, std::ptrdiff_t i)
        : xx(at<W>(c[Columns::xx] + i).v),
          yy(at<W>(c[Columns::yy] + i).v),
          zz(at<W>(c[Columns::zz] + i).v),
          xy(at<W>(c[Columns::xy] + i).v),
          xz(at<W>(c[Columns::xz] + i).v),
          yz(at<W>(c[Columns::yz] + i).v) {}
    SALTUS_INLINE void times(const R3& a, R3& b) const {
      b.x = xx * a.x + xy * a.y + xz * a.z;
      b.y = xy * a.x + yy * a.y + yz * a.z;
      b.z = xz * a.x + yz * a.y + zz * a.z;
    }
  };

  /// Component k of bodies i, i + 1, ...; beyond the last body, its value is repeated.
  static SALTUS_INLINE void take(const double* p, std::ptrdiff_t width, std::ptrdiff_t i,
                                 std::ptrdiff_t n, int k, R& x) {
    for (int l = 0; l < W; ++l) x[l] = p[width * (i + l < n ? i + l : n - 1) + k];
  }
  static SALTUS_INLINE void take3(const double* p, std::ptrdiff_t width, std::ptrdiff_t i,
                                  std::ptrdiff_t n, int k, R3& x) {
    take(p, width, i, n, k, x.x);
    take(p, width, i, n, k + 1, x.y);
    take(p, width, i, n, k + 2, x.z);
  }
  static SALTUS_INLINE void give(double* p, std::ptrdiff_t width, std::ptrdiff_t i,
                                 std::ptrdiff_t n, int k, const R& x) {
    for (int l = 0; l < W; ++l)
      if (i + l < n) p[width * (i + l) + k] = x[l];
  }
  static SALTUS_INLINE void give3(double* p, std::ptrdiff_t width, std::ptrdiff_t i,
                                  std::ptrdiff_t n, int k, const R3& x) {
    give(p, width, i, n, k, x.x);
    give(p, width, i, n, k + 1, x.y);
    give(p, width, i, n, k + 2, x.z);
  }

  /// Newton's matrix.
  struct Jacobian {
    R xx, yx, zx, xy, yy, zy, xz, yz, zz;
  };
  /// Solves N x = e by cofactors.
  static SALTUS_INLINE void solve(const Jacobian& N, const R3& e, R3& x) {
    const R cxx = N.yy * N.zz - N.yz * N.zy, cxy = N.yz * N.zx - N.yx * N.zz,
            cxz = N.yx * N.zy - N.yy * N.zx;
    const R inverse = 1.0 / (N.xx * cxx + N.xy * cxy + N.xz * cxz);
    x.x = inverse *
          (cxx * e.x + (N.xz * N.zy - N.xy * N.zz) * e.y + (N.xy * N.yz - N.xz * N.yy) * e.z);
    x.y = inverse *
          (cxy * e.x + (N.xx * N.zz - N.xz * N.zx) * e.y + (N.xz * N.yx - N.xx * N.yz) * e.z);
    x.z = inverse *
          (cxz * e.x + (N.xy * N.zx - N.xx * N.zy) * e.y + (N.xx * N.yy - N.xy * N.yx) * e.z);
  }
  /// Adds the load g at the angular velocity Om: e -= S g, N -= (h/2) dS g/dw.
  static SALTUS_INLINE void add_load(double h, const R& half, const R3& Om, const R3& g, R3& e,
                                     Jacobian& N) {
    const R3 w{h * Om.x, h * Om.y, h * Om.z};
    R w2, wg;
    dot(w, w, w2);
    dot(w, g, wg);
    R s = 1.0 + 0.25 * w2;
    square_root<W>(s);
    const R u = 0.25 / (s + 1.0), p = 0.25 / s, uwg = u * wg;
    e.x -= s * g.x - uwg * w.x;
    e.y -= s * g.y - uwg * w.y;
    e.z -= s * g.z - uwg * w.z;
    // (h/2) dS g/dw = a w^T - b g^T - d I,
    // a = (h/2) (p g + 4 p u uwg w),  b = (h/2) u w,  d = (h/2) uwg
    const R q = 4.0 * p * u * uwg, d = half * uwg;
    const R3 a{half * (p * g.x + q * w.x), half * (p * g.y + q * w.y), half * (p * g.z + q * w.z)};
    const R3 b{half * u * w.x, half * u * w.y, half * u * w.z};
    N.xx -= a.x * w.x - b.x * g.x - d;
    N.yx -= a.y * w.x - b.y * g.x;
    N.zx -= a.z * w.x - b.z * g.x;
    N.xy -= a.x * w.y - b.x * g.y;
    N.yy -= a.y * w.y - b.y * g.y - d;
    N.zy -= a.z * w.y - b.z * g.y;
    N.xz -= a.x * w.z - b.x * g.z;
    N.yz -= a.y * w.z - b.y * g.z;
    N.zz -= a.z * w.z - b.z * g.z - d;
  }

  /// Computes D; false if Newton's method fails for some body. Pushed: some g is not 0; otherwise
  /// the omitted terms are 0.
  template <bool Pushed>
  static SALTUS_INLINE bool newton(const Columns& c, std::ptrdiff_t i, double h, const R3& W0,
                                   const R3& g, R3& D) {
    const Inertia J(c, i);
    const R fx = at<W>(c[Columns::free_x] + i).v, fy = at<W>(c[Columns::free_y] + i).v,
            fz = at<W>(c[Columns::free_z] + i).v, spread = at<W>(c[Columns::spread] + i).v;
    const R zero = fx - fx, half = zero + 0.5 * h;
    const R xy = fx * fy, xz = fx * fz, yz = fy * fz;
    D = {zero, zero, zero};
    auto live = zero == zero;  // mask of the bodies that have not converged
    R start2;                  // scale of the accuracy for bodies that come to rest
    dot(W0, W0, start2);
    for (int k = 0; k < kNewtonSteps; ++k) {
      const R3 Om{W0.x + 0.5 * D.x, W0.y + 0.5 * D.y, W0.z + 0.5 * D.z};
      R3 L, spin, JD;
      J.times(Om, L);
      J.times(D, JD);
      cross(Om, L, spin);
      R3 e{JD.x + h * spin.x, JD.y + h * spin.y, JD.z + h * spin.z};
      Jacobian N;  // J + (h/2) (Om^ J - L^) by columns of J
      N.xx = J.xx + half * (Om.y * J.xz - Om.z * J.xy);
      N.yx = J.xy + half * (Om.z * J.xx - Om.x * J.xz - L.z);
      N.zx = J.xz + half * (Om.x * J.xy - Om.y * J.xx + L.y);
      N.xy = J.xy + half * (Om.y * J.yz - Om.z * J.yy + L.z);
      N.yy = J.yy + half * (Om.z * J.xy - Om.x * J.yz);
      N.zy = J.yz + half * (Om.x * J.yy - Om.y * J.xy - L.x);
      N.xz = J.xz + half * (Om.y * J.zz - Om.z * J.yz - L.y);
      N.yz = J.yz + half * (Om.z * J.xz - Om.x * J.zz + L.x);
      N.zz = J.zz + half * (Om.x * J.yz - Om.y * J.xz);
      if constexpr (Pushed) add_load(h, half, Om, g, e, N);
      // locked axes: no residual, and only the diagonal entry in their rows and columns
      e.x *= fx, e.y *= fy, e.z *= fz;
      N.yx *= xy, N.xy *= xy, N.zx *= xz, N.xz *= xz, N.zy *= yz, N.yz *= yz;
      R3 step;
      solve(N, e, step);
      D.x = live ? D.x - step.x : D.x;
      D.y = live ? D.y - step.y : D.y;
      D.z = live ? D.z - step.z : D.z;
      // The next correction would be at most h |J| |J^-1| |step|^2.
      const R3 W1{W0.x + D.x, W0.y + D.y, W0.z + D.z};
      R step2, size2;
      dot(step, step, step2);
      dot(W1, W1, size2);
      size2 = size2 < start2 ? start2 : size2;
      const R rest = h * spread * step2;
      live = live & ~(rest * rest <= kRoundOff * kRoundOff * size2);
      bool any = false;
      for (int l = 0; l < W; ++l) any = any || live[l] != 0;
      if (!any) return true;
    }
    return false;
  }

  /// Stores v_mid, q1 and q_mid from the v_mid in registers.
  static SALTUS_INLINE void place(const Step& step, std::ptrdiff_t i, std::ptrdiff_t n, const R3& v,
                                  const R3& Om) {
    const double h = step.h;
    give3(step.v_mid, 6, i, n, 0, v);
    give3(step.v_mid, 6, i, n, 3, Om);
    R3 x, Q;
    R Qw;
    take3(step.q0, 7, i, n, 0, x);
    take(step.q0, 7, i, n, 3, Qw);
    take3(step.q0, 7, i, n, 4, Q);
    give3(step.q1, 7, i, n, 0, R3{x.x + h * v.x, x.y + h * v.y, x.z + h * v.z});
    const double half = 0.5 * h;
    give3(step.q_mid, 7, i, n, 0, R3{x.x + half * v.x, x.y + half * v.y, x.z + half * v.z});
    const R3 w{half * Om.x, half * Om.y, half * Om.z};
    R w2;
    dot(w, w, w2);
    R s = 1.0 + w2;
    square_root<W>(s);
    const R i_s = 1.0 / (s * (s + 1.0)), c = (s + 1.0) * i_s;  // 1/s
    // Q0 (0, w): vector part `by`, scalar part -`along`
    R3 turned;
    cross(Q, w, turned);
    const R3 by{Qw * w.x + turned.x, Qw * w.y + turned.y, Qw * w.z + turned.z};
    R along;
    dot(Q, w, along);
    // Q1 = Q0 + (1/s - 1) Q0 + Q0 (0, w)/s, plus the norm correction (1 - |Q0|^2)/2 Q0
    R size;
    dot(Q, Q, size);
    const R less = 0.5 * (1.0 - (Qw * Qw + size)) - w2 * i_s;
    give(step.q1, 7, i, n, 3, Qw + (less * Qw - c * along));
    give3(step.q1, 7, i, n, 4,
          R3{Q.x + (less * Q.x + c * by.x), Q.y + (less * Q.y + c * by.y),
             Q.z + (less * Q.z + c * by.z)});
    R k = 0.5 * i_s;
    square_root<W>(k);
    const R one = (s + 1.0) * k;
    give(step.q_mid, 7, i, n, 3, one * Qw - k * along);
    give3(step.q_mid, 7, i, n, 4,
          R3{one * Q.x + k * by.x, one * Q.y + k * by.y, one * Q.z + k * by.z});
  }

  static SALTUS_INLINE bool advance(const Columns& c, const Step& step) {
    const double h = step.h;
    const std::ptrdiff_t n = c.bodies;
    bool good = true;
    for (std::ptrdiff_t i = 0; i < n; i += W) {
      R3 v0, W0, f, T, r, g, D;
      take3(step.v0, 6, i, n, 0, v0);
      take3(step.v0, 6, i, n, 3, W0);
      take3(step.load, 6, i, n, 0, f);
      take3(step.load, 6, i, n, 3, T);
      take3(step.r, 6, i, n, 0, r);
      take3(step.r, 6, i, n, 3, g);
      g.x += h * T.x;
      g.y += h * T.y;
      g.z += h * T.z;
      bool pushed = false;
      for (int l = 0; l < W; ++l)
        pushed = pushed || !(g.x[l] == 0.0 && g.y[l] == 0.0 && g.z[l] == 0.0);
      const bool found =
          pushed ? newton<true>(c, i, h, W0, g, D) : newton<false>(c, i, h, W0, g, D);
      good = good && found;
      const R3 dv{at<W>(c[Columns::m_x] + i).v * (h * f.x + r.x),
                  at<W>(c[Columns::m_y] + i).v * (h * f.y + r.y),
                  at<W>(c[Columns::m_z] + i).v * (h * f.z + r.z)};
      give3(step.v1, 6, i, n, 0, R3{v0.x + dv.x, v0.y + dv.y, v0.z + dv.z});
      give3(step.v1, 6, i, n, 3, R3{W0.x + D.x, W0.y + D.y, W0.z + D.z});
      place(step, i, n, R3{v0.x + 0.5 * dv.x, v0.y + 0.5 * dv.y, v0.z + 0.5 * dv.z},
            R3{W0.x + 0.5 * D.x, W0.y + 0.5 * D.y, W0.z + 0.5 * D.z});
    }
    return good;
  }
};

bool advance_1(const Columns& c, const Step& step) { return Pack<1>::advance(c, step); }
bool advance_2(const Columns& c, const Step& step) { return Pack<2>::advance(c, step); }
#if SALTUS_CLONES
// for three-operand instructions
SALTUS_TARGET_avx2 bool advance_1_avx2(const Columns& c, const Step& step) {
  return Pack<1>::advance(c, step);
}
SALTUS_TARGET_avx2 bool advance_4(const Columns& c, const Step& step) {
  return Pack<4>::advance(c, step);
}
SALTUS_TARGET_avx512f bool advance_8(const Columns& c, const Step& step) {
  return Pack<8>::advance(c, step);
}
#endif

}  // namespace

Columns::Columns(const RigidData& data)
    : bodies(static_cast<std::ptrdiff_t>(data.mass.size())), stride((bodies + 7) / 8 * 8) {
  value.resize(static_cast<std::size_t>(stride * entries));
  for (std::ptrdiff_t i = 0; i < stride; ++i) {
    const auto k = static_cast<std::size_t>(std::min(i, bodies - 1));
    const Matrix3 &J = data.inertia[k], &inverse = data.inertia_inverse[k];
    const Vector3& m = data.mass_inverse[k];
    const auto free = [&](int a) { return inverse(a, a) > 0.0 ? 1.0 : 0.0; };
    const double column[entries] = {J(0, 0),
                                    J(1, 1),
                                    J(2, 2),
                                    J(0, 1),
                                    J(0, 2),
                                    J(1, 2),
                                    m[0],
                                    m[1],
                                    m[2],
                                    free(0),
                                    free(1),
                                    free(2),
                                    J.norm() * inverse.norm()};
    for (int e = 0; e < entries; ++e) value[static_cast<std::size_t>(e * stride + i)] = column[e];
  }
}

bool advance(const Columns& bodies, const Step& step, int width) {
  switch (width) {
    case 1:
      return advance_1(bodies, step);
#if SALTUS_CLONES
    case 4:
      return advance_4(bodies, step);
    case 8:
      return advance_8(bodies, step);
#endif
    default:
      return advance_2(bodies, step);
  }
}

bool advance(const Columns& bodies, const Step& step) {
  static const int widest = simd::register_width();
#if SALTUS_CLONES
  if (bodies.bodies == 1 && widest >= 4) return advance_1_avx2(bodies, step);
#endif
  if (bodies.bodies == 1) return advance_1(bodies, step);
  return advance(bodies, step, widest);
}

void place(const Columns& bodies, const Step& step) {
  using L = Pack<1>;
  const std::ptrdiff_t n = bodies.bodies;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    Three<1> v0, v1, W0, W1;
    L::take3(step.v0, 6, i, n, 0, v0);
    L::take3(step.v0, 6, i, n, 3, W0);
    L::take3(step.v1, 6, i, n, 0, v1);
    L::take3(step.v1, 6, i, n, 3, W1);
    L::place(step, i, n,
             {v0.x + 0.5 * (v1.x - v0.x), v0.y + 0.5 * (v1.y - v0.y), v0.z + 0.5 * (v1.z - v0.z)},
             {W0.x + 0.5 * (W1.x - W0.x), W0.y + 0.5 * (W1.y - W0.y), W0.z + 0.5 * (W1.z - W0.z)});
  }
}

}  // namespace saltus::rig_mid
