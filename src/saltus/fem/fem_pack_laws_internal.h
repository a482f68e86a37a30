// Material laws at a point of eight elements: stress, energy, tangent.
#pragma once
#include "saltus/fem/fem_internal.h"
#include "saltus/fem/fem_octet_internal.h"

namespace saltus::fem {

/// dP = dF S + B dF + lambda (Phi : dF) Phi + mu Phi dF^T Phi + (E ax(dF Phi^T))^ Phi,
/// ax(N) = (N_21 - N_12, ...); all laws but mooney_rivlin have this form:
///     linear       Phi = I,      S = mu I                              lambda, mu
///     St Venant    Phi = F,      S = S(E),  B = mu F F^T               lambda, mu
///     neo-Hooke    Phi = F^-T,   S = mu I                              lambda, mu - lambda ln J
///     corotated    Phi = R,      S = mu I,                             lambda, mu
///                  E = mu I + (lambda tr(U - I) - 2 mu)(tr(V) I - V)^-1,  V = F R^T
///     viscous      Phi = F,                 B = mu F F^T               lambda, mu (times eta)
/// Without E the tangent of `corotated` is the warped one.
template <int W>
struct Slope {
  Nine<W> Phi, S{}, B{}, E{};
  Octet<W> lambda, mu, diagonal;  ///< S = diagonal I where it is not full
  bool full = false, has_S = true, has_B = false, has_E = false;
};

template <int W>
struct PackLaws {
  using O = Octet<W>;
  using M = Nine<W>;

  static SALTUS_INLINE M identity() {
    M A;
    SALTUS_EACH A.m[i][j] = octet<W>(i == j ? 1.0 : 0.0);
    return A;
  }
  static SALTUS_INLINE void add_identity(M& A, const O& a) {
    A.m[0][0] += a;
    A.m[1][1] += a;
    A.m[2][2] += a;
  }
  static SALTUS_INLINE M scaled(const O& a, const M& A) {
    M B;
    SALTUS_EACH B.m[i][j] = a * A.m[i][j];
    return B;
  }
  static SALTUS_INLINE void add(M& A, const M& B) { SALTUS_EACH A.m[i][j] += B.m[i][j]; }

  static SALTUS_INLINE M moved(const M& H) {  // F
    M F = H;
    add_identity(F, octet<W>(1.0));
    return F;
  }
  /// (H + H^T + H^T H)/2
  static SALTUS_INLINE M green(const M& H) {
    M E = transposed_times(H, H);
    SALTUS_EACH E.m[i][j] += H.m[i][j] + H.m[j][i];
    return scaled(octet<W>(0.5), E);
  }
  /// (H + H^T)/2
  static SALTUS_INLINE M small(const M& H) {
    M e;
    SALTUS_EACH e.m[i][j] = 0.5 * (H.m[i][j] + H.m[j][i]);
    return e;
  }
  /// J - 1 - tr H
  static SALTUS_INLINE O volume_rest(const M& H) {
    M C;
    const O det = cofactors(H, C);
    return C.m[0][0] + C.m[1][1] + C.m[2][2] + det;
  }
  /// U - I of F = R U, R = rotation(F): 2 E (U + I)^-1 where H is small, which is as exact as H;
  /// otherwise R^T F - I.
  static SALTUS_INLINE M stretch(const M& H, const M& R) {
    const M RF = transposed_times(R, moved(H));
    M U, C;
    SALTUS_EACH U.m[i][j] = 0.5 * (RF.m[i][j] + RF.m[j][i]);
    M e = U;
    add_identity(e, octet<W>(-1.0));
    add_identity(U, octet<W>(1.0));
    const O one = octet<W>(1.0) / cofactors(U, C);
    const M product = times(scaled(one, C), green(H));
    double size[8], direct[9][8], exact[9][8];
    store<W>(size, inner(H, H));
    put<W>(e, direct);
    SALTUS_EACH e.m[i][j] = product.m[i][j] + product.m[j][i];
    put<W>(e, exact);
    for (int l = 0; l < 8; ++l)
      if (!(size[l] < kSmallGradient))
        for (int k = 0; k < 9; ++k) exact[k][l] = direct[k][l];
    return take<W>(exact);
  }
  /// 2 mu E + lambda tr(E) I
  static SALTUS_INLINE M hooke(double lambda, double mu, const M& E) {
    M S = scaled(octet<W>(2.0 * mu), E);
    add_identity(S, lambda * trace(E));
    return S;
  }

  /// Newton's iteration X <- (X + X^-T)/2 from F, until all slots change by less than 1e-8 of |R|;
  /// the next change would be round-off. Packs with an F that is nearly singular, inverted or far
  /// from a rotation are left to rotation_of.
  static SALTUS_INLINE M rotation(const M& F) {
    constexpr int kPasses = 12;
    M X = F, C;
    const O det_0 = cofactors(F, C), size = inner(F, F);
    double change[8], det[8], square[8];
    store<W>(det, det_0);
    store<W>(square, size);
    bool good[8], all = false;
    for (int pass = 0; pass < kPasses && !all; ++pass) {
      const O half = octet<W>(0.5) / cofactors(X, C);
      O sum = octet<W>(0.0);
      SALTUS_EACH {
        const O next = 0.5 * X.m[i][j] + half * C.m[i][j];
        const O d = next - X.m[i][j];
        sum += d * d;
        X.m[i][j] = next;
      }
      store<W>(change, sum);
      all = true;
      for (int l = 0; l < 8; ++l) {
        good[l] = change[l] <= 1e-16 && det[l] > 0.0 &&
                  det[l] * det[l] > 1e-8 * square[l] * square[l] * square[l];
        all = all && (change[l] <= 1e-16 || !(det[l] > 0.0));
      }
    }
    for (int l = 0; l < 8; ++l)
      if (!good[l]) [[unlikely]] {
        double slot[9][8], turned[9][8];
        put<W>(F, slot);
        put<W>(X, turned);
        for (int k = l; k < 8; ++k)
          if (!good[k]) rotation_of_slot(slot, turned, k);
        return take<W>(turned);
      }
    return X;
  }
  /// ln J from J - 1
  static SALTUS_INLINE O logarithm(const O& change) {
    double slot[8];
    store<W>(slot, change);
    for (double& x : slot) x = logarithm_of(x);
    return load<W>(slot);
  }

  // H = F - I
  static SALTUS_INLINE M stress(const PackLaw& law, const M& H) {
    const double mu = law.mu, lambda = law.lambda;
    switch (law.kind) {
      case PackLaw::linear:
        return hooke(lambda, mu, small(H));
      case PackLaw::st_venant_kirchhoff:
        return times(moved(H), hooke(lambda, mu, green(H)));
      case PackLaw::neo_hooke: {  // mu (H + G H^T) + lambda ln J G
        M G;
        const O J = cofactors(moved(H), G), ln = lambda * logarithm(trace(H) + volume_rest(H));
        G = scaled(octet<W>(1.0) / J, G);
        const M turned = times_transposed(G, H);
        M P;
        SALTUS_EACH P.m[i][j] = mu * (H.m[i][j] + turned.m[i][j]) + ln * G.m[i][j];
        return P;
      }
      default: {  // R [2 mu (U - I) + lambda tr(U - I) I]
        const M R = rotation(moved(H));
        return times(R, hooke(lambda, mu, stretch(H, R)));
      }
    }
  }
  static SALTUS_INLINE O energy(const PackLaw& law, const M& H) {
    const double mu = law.mu, lambda = law.lambda;
    const auto quadratic = [=](const M& E) __attribute__((always_inline)) {
      const O t = trace(E);
      return mu * inner(E, E) + (0.5 * lambda) * (t * t);
    };
    switch (law.kind) {
      case PackLaw::linear:
        return quadratic(small(H));
      case PackLaw::st_venant_kirchhoff:
        return quadratic(green(H));
      // mu (|H|^2/2 - (x - tr H) - (ln(1 + x) - x)) + lambda/2 (ln J)^2, x = J - 1
      case PackLaw::neo_hooke: {
        const O rest = volume_rest(H), x = trace(H) + rest, ln = logarithm(x);
        double slot[8];
        store<W>(slot, x);
        for (double& part : slot) part = logarithm_rest(part);
        return mu * (0.5 * inner(H, H) - rest - load<W>(slot)) + (0.5 * lambda) * (ln * ln);
      }
      default:
        return quadratic(stretch(H, rotation(moved(H))));
    }
  }
  /// P = F S_v, S_v = eta (2 mu E' + lambda tr(E') I), E' = sym(F^T F')
  static SALTUS_INLINE M viscous_stress(const PackLaw& law, const M& F, const M& rate) {
    const M A = transposed_times(F, rate);
    M E;
    SALTUS_EACH E.m[i][j] = 0.5 * (A.m[i][j] + A.m[j][i]);
    return times(F, hooke(law.viscosity * law.viscous_lambda, law.viscosity * law.viscous_mu, E));
  }

  /// k dP/dF
  static SALTUS_INLINE void slope(const PackLaw& law, const M& F, double k, Slope<W>& A) {
    const double mu = k * law.mu, lambda = k * law.lambda;
    A.lambda = octet<W>(lambda);
    A.mu = A.diagonal = octet<W>(mu);
    switch (law.kind) {
      case PackLaw::linear:
        A.Phi = identity();
        return;
      case PackLaw::st_venant_kirchhoff: {
        M H = F;
        add_identity(H, octet<W>(-1.0));
        A.Phi = F;
        A.full = A.has_B = true;
        A.S = hooke(lambda, mu, green(H));
        A.B = scaled(octet<W>(mu), times_transposed(F, F));
        return;
      }
      case PackLaw::neo_hooke: {
        M C;
        const O J = cofactors(F, C);
        A.Phi = scaled(octet<W>(1.0) / J, C);
        A.mu = octet<W>(mu) - lambda * logarithm(J - octet<W>(1.0));
        return;
      }
      default: {
        A.Phi = rotation(F);
        if (law.warped) return;
        const M V = times_transposed(F, A.Phi);
        const O t = trace(V);
        M D, C;
        SALTUS_EACH D.m[i][j] = -(0.5 * (V.m[i][j] + V.m[j][i]));
        add_identity(D, t);
        const O det = cofactors(D, C);
        A.has_E = true;
        A.E = scaled((lambda * (t - octet<W>(3.0)) - octet<W>(2.0 * mu)) / det, C);
        add_identity(A.E, octet<W>(mu));
      }
    }
  }
  static SALTUS_INLINE void viscous_slope(const PackLaw& law, const M& F, double c, Slope<W>& A) {
    const double mu = c * law.viscosity * law.viscous_mu;
    A.Phi = F;
    A.lambda = octet<W>(c * law.viscosity * law.viscous_lambda);
    A.mu = octet<W>(mu);
    A.has_S = false;
    A.has_B = true;
    A.B = scaled(octet<W>(mu), times_transposed(F, F));
  }

  static SALTUS_INLINE M apply(const Slope<W>& A, const M& dF) {
    M dP = scaled(A.lambda * inner(A.Phi, dF), A.Phi);
    const M turned = times_transposed(A.Phi, dF);  // Phi dF^T
    add(dP, scaled(A.mu, times(turned, A.Phi)));
    if (A.has_S) add(dP, A.full ? times(dF, A.S) : scaled(A.diagonal, dF));
    if (A.has_B) add(dP, times(A.B, dF));
    if (A.has_E) {
      // N = dF Phi^T = turned^T
      const O a0 = turned.m[1][2] - turned.m[2][1], a1 = turned.m[2][0] - turned.m[0][2],
              a2 = turned.m[0][1] - turned.m[1][0];
      const O w0 = dot(A.E.m[0][0], a0, A.E.m[0][1], a1, A.E.m[0][2], a2),
              w1 = dot(A.E.m[1][0], a0, A.E.m[1][1], a1, A.E.m[1][2], a2),
              w2 = dot(A.E.m[2][0], a0, A.E.m[2][1], a1, A.E.m[2][2], a2);
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) {  // w x column j
        dP.m[0][j] += w1 * A.Phi.m[2][j] - w2 * A.Phi.m[1][j];
        dP.m[1][j] += w2 * A.Phi.m[0][j] - w0 * A.Phi.m[2][j];
        dP.m[2][j] += w0 * A.Phi.m[1][j] - w1 * A.Phi.m[0][j];
      }
    }
    return dP;
  }
};

}  // namespace saltus::fem
