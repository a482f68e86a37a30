#include "saltus/bodies/pseudo_rigid.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/bodies/body_loads.h"
#include "saltus/bodies/free_dofs.h"
#include "saltus/bodies/row_table.h"
#include "saltus/linear_algebra/factor_form.h"
#include "saltus/math/dense.h"

namespace saltus {
namespace {

using Rows3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Block9 = Eigen::Matrix<double, 9, 1>;

/// F or F' of body b, and its position or velocity.
Matrix3 matrix_of(View q, int b) { return Eigen::Map<const Rows3>(q.data() + 12 * b); }
Vector3 place_of(View q, int b) { return q.segment<3>(12 * b + 9); }
/// Adds G to the entries of F in f.
void add_matrix(const Matrix3& G, int b, Out f) { Eigen::Map<Rows3>(f.data() + 12 * b) += G; }

Matrix3 product(const Matrix9& A, const Matrix3& X) {
  const Rows3 rows = X;
  Rows3 y;
  Eigen::Map<Block9>(y.data()).noalias() = A * Eigen::Map<const Block9>(rows.data());
  return y;
}

/// A += kron(I, G): G acts on every row of F.
void add_to_rows(const Matrix3& G, Matrix9& A) {
  for (int i = 0; i < 3; ++i) A.block<3, 3>(3 * i, 3 * i) += G;
}

// The block of a body in m M + c C + k K:  [ A_F, 0; kron(I, g^T), a I ].  The second row couples x
// to F under convected loads.
//     A x = b:  F part first,  x_i = (b_i - g . row i of F)/a
// For M only, A_F = kron(I, m E0). A_F is stored as an LU factorisation: at h omega = 1000, where
// A_F has condition number 1e6, def-lim lost 1e-10 of the energy with its inverse, 1e-12 with the
// LU.
class PseudoRigidFactor final : public Operator {
 public:
  bool mass_alone = false, is_symmetric = true;
  std::vector<Matrix3> rows;                     // (m E0)^-1
  std::vector<Eigen::PartialPivLU<Matrix9>> lu;  // of A_F
  std::vector<Matrix9> F_block;                  // A_F
  std::vector<Vector3> g;
  std::vector<double> a_inverse;

  void resize(int bodies) {
    a_inverse.resize(index(bodies));
    if (mass_alone) {
      rows.resize(index(bodies));
    } else {
      lu.resize(index(bodies));
      F_block.resize(index(bodies));
      g.resize(index(bodies));
    }
  }
  bool symmetric() const override { return is_symmetric; }
  bool blocks(DiagonalBlocks& D, bool& whole) const override {
    whole = true;
    for (std::size_t b = 0; b < a_inverse.size(); ++b) {
      Eigen::Map<Eigen::Matrix<double, 12, 12, Eigen::RowMajor>> A(D.add(12));
      if (mass_alone) {
        const Matrix3 E = rows[b].inverse();
        for (int i = 0; i < 3; ++i) A.block<3, 3>(3 * i, 3 * i) = E;
      } else {
        A.topLeftCorner<9, 9>() = F_block[b];
        for (int i = 0; i < 3; ++i) A.block<1, 3>(9 + i, 3 * i) = g[b].transpose();
      }
      A.diagonal().tail<3>().setConstant(1.0 / a_inverse[b]);
    }
    return true;
  }
  void solve(Eigen::Ref<Matrix> X) const override {
    for (Eigen::Index j = 0; j < X.cols(); ++j)
      for (std::size_t b = 0; b < a_inverse.size(); ++b) {
        double* const at = &X(12 * static_cast<Eigen::Index>(b), j);
        Eigen::Map<Vector3> place(at + 9);
        if (mass_alone) {
          Eigen::Map<Rows3> F(at);
          F = (F * rows[b]).eval();
        } else {
          Eigen::Map<Block9> F(at);
          F = lu[b].solve(F).eval();
          place -= Eigen::Map<const Rows3>(at) * g[b];
        }
        place *= a_inverse[b];
      }
  }
};

}  // namespace

struct PseudoRigid::Bodies {
  PseudoRigidSystem system;
  std::vector<Matrix3> euler_inverse;
  std::vector<int> first_load;  // loads of body b: first_load[b] .. first_load[b + 1] - 1, sorted
  std::vector<Source> sources;
  int gravity = -1, damping = -1, load = -1;
  unsigned traits = 0;

  explicit Bodies(PseudoRigidSystem given);
  int bodies() const { return static_cast<int>(system.bodies.size()); }
  const PseudoRigidBody& body(int b) const { return system.bodies[index(b)]; }
  std::span<const PseudoRigidLoad> loads_of(int b) const {
    const int begin = first_load[index(b)];
    return std::span(system.loads).subspan(index(begin), index(first_load[index(b) + 1] - begin));
  }
  void expect_body(int b) const {
    if (b < 0 || b >= bodies()) [[unlikely]]
      expects(false, fmt::format("body {} does not exist; there are {}", b, bodies()));
  }

  void check() const;
  Matrix3 elastic(int b, const Matrix3& F) const;                     // V P
  Matrix3 viscous(int b, const Matrix3& F, const Matrix3& F_) const;  // V P_v
  Matrix9 block(Combination s, double t, int b, const Matrix3& F, const Matrix3& F_,
                Vector3& g) const;
  bool mass_alone(Combination s) const;
};

void PseudoRigid::Bodies::check() const {
  expects(bodies() > 0, "at least one body is required");
  for (int b = 0; b < bodies(); ++b) {
    const auto says = [&](bool condition, const std::string& text) {
      if (!condition) [[unlikely]]
        expects(false, fmt::format("body {}: {}", b, text));
    };
    const PseudoRigidBody& one = body(b);
    says(one.mass > 0.0 && std::isfinite(one.mass), "the mass must be positive and finite");
    says(one.volume > 0.0 && std::isfinite(one.volume), "the volume must be positive and finite");
    const std::string text = fault(one.material);
    says(text.empty(), text);
    const Matrix3& E = one.euler;
    says(E.allFinite(), "the Euler tensor must be finite");
    says((E - E.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * E.cwiseAbs().maxCoeff(),
         "the Euler tensor must be symmetric");
    const Vector3 principal = symmetric_values(E);
    says(principal[0] > 1e-14 * principal[2],
         "the Euler tensor int rho X X^T dV must be positive definite (the body must extend in all "
         "three directions)");
  }
  expects(system.gravity.allFinite(), "gravity must be finite");
  expects(system.eta >= 0.0 && std::isfinite(system.eta), "eta must be finite and not negative");
  check_body_loads(system.loads, bodies());
}

PseudoRigid::Bodies::Bodies(PseudoRigidSystem given) : system(std::move(given)) {
  check();
  bool linear = true;
  for (PseudoRigidBody& one : system.bodies) {
    one.euler = (0.5 * (one.euler + one.euler.transpose())).eval();
    const Matrix3 inverse = one.euler.inverse();
    euler_inverse.push_back(0.5 * (inverse + inverse.transpose()));
    linear = linear && one.material.law == MaterialLaw::linear;
  }
  std::stable_sort(
      system.loads.begin(), system.loads.end(),
      [](const PseudoRigidLoad& a, const PseudoRigidLoad& b) { return a.body < b.body; });
  first_load.assign(index(bodies()) + 1, 0);
  bool convected = false;
  for (const PseudoRigidLoad& l : system.loads) {
    ++first_load[index(l.body) + 1];
    convected = convected || l.convected;
  }
  for (int b = 0; b < bodies(); ++b) first_load[index(b) + 1] += first_load[index(b)];

  add_account(sources, true, "elastic", true);
  gravity = add_account(sources, !system.gravity.isZero(0.0), "gravity", true);
  damping = add_account(sources, system.eta > 0.0, "damping", false);
  load = add_account(sources, !system.loads.empty(), "load", false);

  traits = Trait::tangents | Trait::second_order | Trait::constant_mass | Trait::potential;
  traits = traits | Trait::fixed_points;
  if (damping < 0) traits = traits | Trait::separable;
  if (!convected && (system.eta == 0.0 || system.viscosity == Viscosity::current_tangent)) {
    traits = traits | Trait::symmetric;
    if (linear) traits = traits | Trait::affine;
  }
}

Matrix3 PseudoRigid::Bodies::elastic(int b, const Matrix3& F) const {
  return body(b).volume * first_piola(body(b).material, F);
}

// P_v = eta A F',  or F S_v
Matrix3 PseudoRigid::Bodies::viscous(int b, const Matrix3& F, const Matrix3& F_) const {
  const PseudoRigidBody& one = body(b);
  const double scale = system.eta * one.volume;
  if (system.viscosity == Viscosity::current_tangent) {
    Matrix9 A;
    stress_tangent(one.material, F, A);
    return scale * product(A, F_);
  }
  const Matrix3 G = F.transpose() * F_, E_ = 0.5 * (G + G.transpose());
  return scale * F *
         (2.0 * one.material.mu() * E_ + one.material.lambda() * E_.trace() * Matrix3::Identity());
}

bool PseudoRigid::Bodies::mass_alone(Combination s) const {
  return s.k == 0.0 && (s.c == 0.0 || system.eta == 0.0);
}

// m kron(I, E0) + k V A + damping + convected loads.  For P_v = F S_v, with B = F F^T:
//     C_iJkL/(eta V) = mu (B_ik delta_JL + F_iL F_kJ) + lambda F_iJ F_kL
//     K_iJkL/(eta V) = delta_ik S_v,JL/eta + mu ((F F'^T)_ik delta_JL + F_iL F'_kJ)
//                      + lambda F_iJ F'_kL
// For a convected load f = F f0 at X:  K_F = -kron(I, X f0^T),  g = -f0.
Matrix9 PseudoRigid::Bodies::block(Combination s, double t, int b, const Matrix3& F,
                                   const Matrix3& F_, Vector3& g) const {
  const PseudoRigidBody& one = body(b);
  const bool by_tangent = system.viscosity == Viscosity::current_tangent;
  const double V = one.volume, eta = system.eta;
  const double of_tangent = V * (s.k + (by_tangent ? eta * s.c : 0.0));
  Matrix9 A;
  if (of_tangent != 0.0) {
    stress_tangent(one.material, F, A);
    A *= of_tangent;
  } else {
    A.setZero();
  }
  add_to_rows(s.m * one.euler, A);
  if (eta > 0.0 && !by_tangent) {
    const double mu = eta * V * one.material.mu(), lambda = eta * V * one.material.lambda();
    const Matrix3 H = s.c * F + s.k * F_;  // C and K differ in this factor
    const Matrix3 FH = F * H.transpose(), G = F.transpose() * F_;
    for (int i = 0; i < 3; ++i)
      for (int J = 0; J < 3; ++J)
        for (int k = 0; k < 3; ++k) {
          for (int L = 0; L < 3; ++L)
            A(3 * i + J, 3 * k + L) += mu * F(i, L) * H(k, J) + lambda * F(i, J) * H(k, L);
          A(3 * i + J, 3 * k + J) += mu * FH(i, k);
        }
    add_to_rows(s.k * (mu * (G + G.transpose()) + lambda * G.trace() * Matrix3::Identity()), A);
  }
  g.setZero();
  if (s.k != 0.0)
    for (const PseudoRigidLoad& l : loads_of(b)) {
      if (!l.convected) continue;
      const Vector3 f0 = s.k * l.signal.value(t) * l.direction;
      add_to_rows(-l.at * f0.transpose(), A);
      g -= f0;
    }
  return A;
}

PseudoRigidBody pseudo_rigid_body(const SolidMoments& solid, const Material& material) {
  return {material.density * solid.volume, solid.volume, material.density * solid.euler(),
          material};
}

PseudoRigid::PseudoRigid(PseudoRigidSystem system)
    : bodies_(std::make_unique<const Bodies>(std::move(system))) {}
PseudoRigid::~PseudoRigid() = default;

const PseudoRigidSystem& PseudoRigid::system() const { return bodies_->system; }
int PseudoRigid::bodies() const { return bodies_->bodies(); }
unsigned PseudoRigid::traits() const { return bodies_->traits; }
std::span<const Source> PseudoRigid::sources() const { return bodies_->sources; }

Rayleigh PseudoRigid::rayleigh() const {
  return {0.0, bodies_->system.viscosity == Viscosity::current_tangent ? bodies_->system.eta : 0.0};
}

void PseudoRigid::force(double t, View q, View v, Out f) const {
  const Bodies& d = *bodies_;
  potential_force(t, q, f);
  for (int b = 0; b < bodies(); ++b) {
    if (d.damping < 0 && d.load < 0) break;
    const Matrix3 F = matrix_of(q, b);
    if (d.damping >= 0) add_matrix(-d.viscous(b, F, matrix_of(v, b)), b, f);
    for (const PseudoRigidLoad& l : d.loads_of(b)) {
      const Vector3 f0 = l.signal.value(t) * l.direction, f_x = l.convected ? Vector3(F * f0) : f0;
      add_matrix(f_x * l.at.transpose(), b, f);
      f.segment<3>(12 * b + 9) += f_x;
    }
  }
}

void PseudoRigid::potential_force(double, View q, Out f) const {
  const Bodies& d = *bodies_;
  f.setZero();
  for (int b = 0; b < bodies(); ++b) {
    add_matrix(-d.elastic(b, matrix_of(q, b)), b, f);
    f.segment<3>(12 * b + 9) = d.body(b).mass * d.system.gravity;
  }
}

void PseudoRigid::multiply(Combination s, double t, View q, View v, View x, Out y) const {
  const Bodies& d = *bodies_;
  y.setZero();
  const bool mass_alone = d.mass_alone(s);
  for (int b = 0; b < bodies(); ++b) {
    const Matrix3 X = matrix_of(x, b);
    Vector3 g = Vector3::Zero();
    if (mass_alone)
      add_matrix(s.m * X * d.body(b).euler, b, y);
    else
      add_matrix(product(d.block(s, t, b, matrix_of(q, b), matrix_of(v, b), g), X), b, y);
    y.segment<3>(12 * b + 9) = s.m * d.body(b).mass * place_of(x, b) + X * g;
  }
}

void PseudoRigid::factorise(Combination s, double t, View q, View v, Factor& A) const {
  const Bodies& d = *bodies_;
  PseudoRigidFactor& factor = operator_in<PseudoRigidFactor>(A);
  factor.mass_alone = d.mass_alone(s);
  factor.is_symmetric = s.k == 0.0 || has(d.traits, Trait::symmetric);
  factor.resize(bodies());
  for (int b = 0; b < bodies(); ++b) {
    factor.a_inverse[index(b)] = 1.0 / (s.m * d.body(b).mass);
    if (factor.mass_alone) {
      factor.rows[index(b)] = d.euler_inverse[index(b)] / s.m;
      continue;
    }
    Matrix9& A_F = factor.F_block[index(b)];
    A_F = d.block(s, t, b, matrix_of(q, b), matrix_of(v, b), factor.g[index(b)]);
    factor.lu[index(b)].compute(A_F);
  }
}

void PseudoRigid::points(double, View q, std::span<const PointRef> at, Out x) const {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const int b = at[i].body;
    bodies_->expect_body(b);
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = place_of(q, b) + matrix_of(q, b) * at[i].local;
  }
}

// Row i of a point:  (X - X0)^T in the columns of row i of F, 1 at x_i
void PseudoRigid::point_rows(View, View, std::span<const PointRef> at, PointRows& J) const {
  J.width = 12;
  J.offset.resize(at.size() + 1);
  J.column.resize(at.size());
  J.value.assign(36 * at.size(), 0.0);
  J.offset[0] = 0;
  for (std::size_t k = 0; k < at.size(); ++k) {
    bodies_->expect_body(at[k].body);
    Eigen::Map<Eigen::Matrix<double, 3, 12, Eigen::RowMajor>> rows(&J.value[36 * k]);
    for (int i = 0; i < 3; ++i) {
      rows.block<1, 3>(i, 3 * i) = at[k].local.transpose();
      rows(i, 9 + i) = 1.0;
    }
    J.column[k] = 12 * at[k].body;
    J.offset[k + 1] = static_cast<int>(k) + 1;
  }
}

std::unique_ptr<PointTable> PseudoRigid::table(std::span<const PointRef> at,
                                               std::span<const Vector3> direction) const {
  PointRows J;
  const Vector q;  // not read
  point_rows(q, q, at, J);
  return row_table(velocities(), J, direction, Vector::Zero(static_cast<Eigen::Index>(at.size())));
}

Matrix3 PseudoRigid::deformation(View q, int body) const {
  bodies_->expect_body(body);
  return matrix_of(q, body);
}

Matrix3 PseudoRigid::stress(View q, int body) const {
  const Matrix3 F = deformation(q, body);
  return cauchy(first_piola(bodies_->body(body).material, F), F);
}

// int (F X) x (F' X) rho dV: the axial part of F' E0 F^T
Vector3 PseudoRigid::angular_momentum(View q, View v, int body) const {
  bodies_->expect_body(body);
  const Matrix3 L = matrix_of(v, body) * bodies_->body(body).euler * matrix_of(q, body).transpose();
  return {L(2, 1) - L(1, 2), L(0, 2) - L(2, 0), L(1, 0) - L(0, 1)};
}

void PseudoRigid::breaks(Breaks& out) const { breaks_of_loads(bodies_->system.loads, out); }

// T = tr(F' E0 F'^T)/2 + m |x'|^2/2,   U = V W(F) - m g . x
Energy PseudoRigid::energy_of_body(int b, double, View q, View v) const {
  const Bodies& d = *bodies_;
  const PseudoRigidBody& one = d.body(b);
  const Matrix3 F_ = matrix_of(v, b);
  Energy E;
  E.kinetic =
      0.5 * ((F_ * one.euler).cwiseProduct(F_).sum() + one.mass * place_of(v, b).squaredNorm());
  E.potential = one.volume * stored_energy(one.material, matrix_of(q, b));
  if (d.gravity >= 0) E.potential -= one.mass * d.system.gravity.dot(place_of(q, b));
  return E;
}

Energy PseudoRigid::energy(double t, View q, View v) const {
  Energy E;
  for (int b = 0; b < bodies(); ++b) {
    const Energy one = energy_of_body(b, t, q, v);
    E.kinetic += one.kinetic;
    E.potential += one.potential;
  }
  return E;
}

void PseudoRigid::power(double t, std::optional<double>, View q, View v, View w,
                        std::span<double> by_source) const {
  const Bodies& d = *bodies_;
  std::fill(by_source.begin(), by_source.end(), 0.0);
  for (int b = 0; b < bodies(); ++b) {
    const Matrix3 F = matrix_of(q, b), along = matrix_of(w, b);
    const Vector3 moved = place_of(w, b);
    by_source[0] -= d.elastic(b, F).cwiseProduct(along).sum();
    if (d.gravity >= 0) by_source[index(d.gravity)] += d.body(b).mass * d.system.gravity.dot(moved);
    if (d.damping >= 0)
      by_source[index(d.damping)] -= d.viscous(b, F, matrix_of(v, b)).cwiseProduct(along).sum();
    for (const PseudoRigidLoad& l : d.loads_of(b)) {
      const Vector3 f0 = l.signal.value(t) * l.direction, f_x = l.convected ? Vector3(F * f0) : f0;
      by_source[index(d.load)] += f_x.dot(moved + along * l.at);
    }
  }
}

}  // namespace saltus
