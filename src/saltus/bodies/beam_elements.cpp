// With a = r', b = r'', A = a.a, B = b.b, D = a.b, s = sqrt(A):
//
//     w   = EA/2 (s - 1)^2 + EI/2 (B/A - D^2/A^2)
//     w_a = EA (s - 1) a/s + EI [ (2 D^2/A^3 - B/A^2) a - D/A^2 b ],     w_b = EI [ b/A - D/A^2 a ]
//     w_aa = EA [ (1 - 1/s) I + a a^T/s^3 ]
//            + EI [ (2 D^2/A^3 - B/A^2) I + (4 B/A^3 - 12 D^2/A^4) a a^T - b b^T/A^2
//                   + 4 D/A^3 (a b^T + b a^T) ]
//     w_ab = EI [ 4 D/A^3 a a^T - 2/A^2 a b^T - b a^T/A^2 - D/A^2 I ]
//     w_bb = EI [ I/A - a a^T/A^2 ]
//
// u = sum_k N_k(xi) e_k with e = (u_1, u'_1, u_2, u'_2) and Hermite's N, all in the frame of the
// beam; r' = a0 + u', r'' = u''.
#include <cmath>

#include "saltus/base/index_internal.h"

#include "saltus/bodies/beam_internal.h"

namespace saltus {
namespace {

using namespace beam;

/// A quadrature point with its weight in each part of V: Lobatto for stretching, Gauss for bending.
struct RulePoint {
  double xi, stretching, bending;
};
const RulePoint kRule[] = {{0.0, 1.0 / 6.0, 0.0},
                           {0.5 - std::sqrt(1.0 / 12.0), 0.0, 0.5},
                           {0.5, 4.0 / 6.0, 0.0},
                           {0.5 + std::sqrt(1.0 / 12.0), 0.0, 0.5},
                           {1.0, 1.0 / 6.0, 0.0}};

}  // namespace

double ElasticBeam::Elements::stored(const Vector& u) const {
  double energy = 0.0;
  for (int e = 0; e < system.elements; ++e)
    for (const RulePoint& g : kRule) {
      const Point p(local(u, e), g.xi, l);
      const double bend = p.B / p.A - (p.D / p.A) * (p.D / p.A);
      energy += 0.5 * l *
                (g.stretching * system.section.axial * p.stretch * p.stretch +
                 g.bending * system.section.bending * bend);
    }
  return energy;
}

void ElasticBeam::Elements::add_elastic(const Vector& u, double scale, Vector& out) const {
  for (int e = 0; e < system.elements; ++e) {
    Local f = Local::Zero();
    for (const RulePoint& g : kRule) {
      const double EA = scale * l * g.stretching * system.section.axial,
                   EI = scale * l * g.bending * system.section.bending;
      const Point p(local(u, e), g.xi, l);
      const double A2 = p.A * p.A, of_a = 2.0 * p.D * p.D / (A2 * p.A) - p.B / A2;
      const Vector3 w_a = (EA * p.stretch / p.s + EI * of_a) * p.a - EI * p.D / A2 * p.b;
      const Vector3 w_b = EI * (p.b / p.A - p.D / A2 * p.a);
      const Hermite dN = slopes(g.xi, l), ddN = bends(g.xi, l);
      for (int k = 0; k < 4; ++k) f.col(k) += dN[index(k)] * w_a + ddN[index(k)] * w_b;
    }
    Eigen::Map<Local>(out.data() + 6 * e) += f;
  }
}

// Bitwise symmetric: the part above the diagonal is copied from the part below.
void ElasticBeam::Elements::element_matrix(const Vector& u, int e, double k, Block& K) const {
  K.setZero();
  for (const RulePoint& g : kRule) {
    const double EA = k * l * g.stretching * system.section.axial,
                 EI = k * l * g.bending * system.section.bending;
    const Point p(local(u, e), g.xi, l);
    const double A2 = p.A * p.A, A3 = A2 * p.A, D2 = p.D * p.D;
    const Matrix3 I = Matrix3::Identity(), aa = p.a * p.a.transpose(), ab = p.a * p.b.transpose();
    const Matrix3 w_aa =
        EA * (p.stretch / p.s * I + aa / (p.A * p.s)) +
        EI * ((2.0 * D2 / A3 - p.B / A2) * I + (4.0 * p.B / A3 - 12.0 * D2 / (A3 * p.A)) * aa -
              p.b * p.b.transpose() / A2 + 4.0 * p.D / A3 * (ab + ab.transpose()));
    const Matrix3 w_ab =
        EI * (4.0 * p.D / A3 * aa - 2.0 / A2 * ab - ab.transpose() / A2 - p.D / A2 * I);
    const Matrix3 w_bb = EI * (I / p.A - aa / A2);
    const Hermite dN = slopes(g.xi, l), ddN = bends(g.xi, l);
    for (int n = 0; n < 4; ++n)
      for (int m = n; m < 4; ++m) {
        const auto i = index(m), j = index(n);
        K.block<3, 3>(3 * m, 3 * n) += dN[i] * dN[j] * w_aa + dN[i] * ddN[j] * w_ab +
                                       ddN[i] * dN[j] * w_ab.transpose() + ddN[i] * ddN[j] * w_bb;
      }
  }
  for (int j = 0; j < kDofs; ++j)
    for (int i = 0; i < j; ++i) K(i, j) = K(j, i);
}

void ElasticBeam::Elements::add_mass(double scale, const Vector& in, Vector& out) const {
  for (int e = 0; e < system.elements; ++e) {
    const Local moved = local(in, e);
    Eigen::Map<Local> to(out.data() + 6 * e);
    for (int i = 0; i < 4; ++i) to.col(i) += scale * sum(moved, mass[index(i)]);
  }
}

void ElasticBeam::Elements::add_stiffness(const Vector& u, double scale, const Vector& in,
                                          Vector& out) const {
  Block K;
  for (int e = 0; e < system.elements; ++e) {
    element_matrix(u, e, scale, K);
    out.segment<kDofs>(6 * e) += K * in.segment<kDofs>(6 * e);
  }
}

}  // namespace saltus
