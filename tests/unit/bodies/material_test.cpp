#include "saltus/bodies/material.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "saltus/base/error.h"

using namespace saltus;

namespace {

constexpr double kYoung = 1e6, kPoisson = 0.25;

/// All laws with the same moduli at small strain.
std::vector<Material> laws() {
  std::vector<Material> all;
  for (const MaterialLaw law : {MaterialLaw::linear, MaterialLaw::st_venant_kirchhoff,
                                MaterialLaw::neo_hooke, MaterialLaw::corotated}) {
    Material m;
    m.law = law;
    m.young = kYoung;
    m.poisson = kPoisson;
    m.density = 1000.0;
    all.push_back(m);
  }
  Material rubber = all.front();
  rubber.law = MaterialLaw::mooney_rivlin;
  rubber.c10 = 0.35 * all[0].mu();
  rubber.c01 = 0.15 * all[0].mu();
  rubber.bulk = all[0].lambda() + 2.0 / 3.0 * all[0].mu();
  all.push_back(rubber);
  return all;
}

bool objective(const Material& m) { return m.law != MaterialLaw::linear; }

Matrix3 turn(const Vector3& w) { return exp_rotation(w).toRotationMatrix(); }

class Random {
 public:
  double number() { return uniform_(engine_); }
  Vector3 vector() { return {number(), number(), number()}; }
  Matrix3 matrix() {
    Matrix3 A;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) A(i, j) = number();
    return A;
  }
  /// A turn of up to three radians, principal stretches from 0.5 to 1.9.
  Matrix3 deformation() {
    const Matrix3 N = turn(2.0 * vector());
    const Vector3 stretch = Vector3::Constant(1.2) + 0.7 * vector();
    return turn(1.7 * vector()) * N * stretch.asDiagonal() * N.transpose();
  }

 private:
  std::mt19937_64 engine_{20260411};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

/// f'(0) by central differences, extrapolated twice: of order six.
template <class F>
auto slope(F&& f, double step) {
  const auto difference = [&](double e) -> decltype(f(e)) { return (f(e) - f(-e)) / (2.0 * e); };
  const auto once = [&](double e) {
    const decltype(f(e)) fine = difference(0.5 * e), coarse = difference(e);
    return decltype(f(e))((4.0 * fine - coarse) / 3.0);
  };
  const decltype(f(step)) fine = once(0.5 * step), coarse = once(step);
  return decltype(f(step))((16.0 * fine - coarse) / 15.0);
}

Matrix9 tangent(const Material& m, const Matrix3& F) {
  Matrix9 A;
  stress_tangent(m, F, A);
  return A;
}

Matrix3 times(const Matrix9& A, const Matrix3& D) {
  Matrix3 P = Matrix3::Zero();
  for (int row = 0; row < 9; ++row)
    for (int column = 0; column < 9; ++column)
      P(row / 3, row % 3) += A(row, column) * D(column / 3, column % 3);
  return P;
}

/// |A| of the largest response to a unit change of F.
double stiffness(const Matrix9& A) { return A.cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE(
    "the stress of every law is the slope of its energy, its tangent the slope of its stress") {
  Random random;
  double worst_P = 0.0, worst_A = 0.0;
  for (const Material& m : laws()) {
    CAPTURE(name_of(m.law));
    for (int k = 0; k < 100; ++k) {
      const Matrix3 F = random.deformation(), D = random.matrix();
      const Matrix3 P = first_piola(m, F);
      const Matrix9 A = tangent(m, F);
      const double step = 4e-3;
      const double dW = slope([&](double e) { return stored_energy(m, F + e * D); }, step);
      const Matrix3 dP = slope([&](double e) { return Matrix3(first_piola(m, F + e * D)); }, step);
      // noise of dW goes with W, so it counts where P is small
      const double off_P = std::abs(dW - P.cwiseProduct(D).sum()) /
                           (P.norm() * D.norm() + stored_energy(m, F)),
                   off_A = (dP - times(A, D)).norm() / (stiffness(A) * D.norm());
      CHECK(off_P <= 1e-10);
      CHECK(off_A <= 1e-10);
      CHECK(A == A.transpose());
      worst_P = std::max(worst_P, off_P);
      worst_A = std::max(worst_A, off_A);
    }
  }
  MESSAGE(fmt::format("P {:.1e}, tangent {:.1e} relative", worst_P, worst_A));
}

TEST_CASE("a turn after the deformation leaves the energy and turns the stress, but for `linear`") {
  Random random;
  double worst = 0.0;
  for (const Material& m : laws()) {
    CAPTURE(name_of(m.law));
    for (int k = 0; k < 200; ++k) {
      const Matrix3 F = random.deformation(), Q = turn(3.0 * random.vector());
      const Matrix3 P = first_piola(m, F), P_turned = first_piola(m, Q * F);
      const double W = stored_energy(m, F), W_turned = stored_energy(m, Q * F);
      const Matrix3 sigma = cauchy(P, F), sigma_turned = cauchy(P_turned, Q * F);
      if (!objective(m)) {
        CHECK((P_turned - Q * P).norm() > 1e-3 * P.norm());
        continue;
      }
      // energies are differences of numbers of the size of the moduli
      const double off = std::max(
          {std::abs(W_turned - W) / (W + kYoung), (P_turned - Q * P).norm() / (P.norm() + kYoung),
           (sigma_turned - Q * sigma * Q.transpose()).norm() / (sigma.norm() + kYoung)});
      CHECK(off <= 1e-12);
      CHECK(std::abs(von_mises(sigma_turned) - von_mises(sigma)) <=
            1e-12 * (von_mises(sigma) + kYoung));
      worst = std::max(worst, off);
    }
  }
  MESSAGE(fmt::format("objectivity {:.1e}", worst));
}

TEST_CASE("every law is isotropic: a turn before the deformation leaves the energy") {
  Random random;
  for (const Material& m : laws()) {
    if (!objective(m)) continue;
    CAPTURE(name_of(m.law));
    for (int k = 0; k < 50; ++k) {
      const Matrix3 F = random.deformation(), Q = turn(3.0 * random.vector());
      const double W = stored_energy(m, F);
      CHECK(std::abs(stored_energy(m, F * Q) - W) <= 1e-12 * (W + kYoung));
    }
  }
}

TEST_CASE("a turn alone costs no energy and makes no stress") {
  Random random;
  for (const Material& m : laws()) {
    if (!objective(m)) continue;
    CAPTURE(name_of(m.law));
    for (int k = 0; k < 50; ++k) {
      const Matrix3 Q = turn(3.0 * random.vector());
      CHECK(std::abs(stored_energy(m, Q)) <= 1e-14 * kYoung);
      CHECK(first_piola(m, Q).norm() <= 1e-14 * kYoung);
    }
  }
}

TEST_CASE("in the undeformed state all laws have the tangent of Hooke's law") {
  const std::vector<Material> all = laws();
  const double mu = all[0].mu(), lambda = all[0].lambda();
  CHECK(mu == doctest::Approx(4e5).epsilon(1e-15));
  CHECK(lambda == doctest::Approx(4e5).epsilon(1e-15));
  Matrix9 hooke = Matrix9::Zero();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      hooke(4 * i, 4 * j) += lambda;
      hooke(3 * i + j, 3 * i + j) += mu;
      hooke(3 * i + j, 3 * j + i) += mu;
    }
  for (const Material& m : all) {
    CAPTURE(name_of(m.law));
    CHECK((tangent(m, Matrix3::Identity()) - hooke).cwiseAbs().maxCoeff() <= 1e-14 * kYoung);
    CHECK(m.lambda() == doctest::Approx(lambda).epsilon(1e-14));
    CHECK(m.mu() == doctest::Approx(mu).epsilon(1e-14));
    CHECK(m.wave_speed() == doctest::Approx(std::sqrt(1.2e6 / 1000.0)).epsilon(1e-14));
  }
}

TEST_CASE("laws differ from Hooke's by the square of the strain") {
  Random random;
  const Matrix3 D = random.matrix(), e = 0.5 * (D + D.transpose());
  for (const Material& m : laws()) {
    CAPTURE(name_of(m.law));
    const Matrix3 sigma = 2.0 * m.mu() * e + m.lambda() * e.trace() * Matrix3::Identity();
    const auto off = [&](double size) {
      return (first_piola(m, Matrix3::Identity() + size * D) - size * sigma).norm();
    };
    if (m.law == MaterialLaw::linear) {
      CHECK(off(1e-2) <= 1e-14 * kYoung);
    } else {
      CHECK(off(1e-2) / off(1e-3) == doctest::Approx(100.0).epsilon(0.1));
    }
  }
}

TEST_CASE("a turned and stretched St Venant-Kirchhoff body has the Cauchy stress of hand") {
  Material m = laws()[1];
  const Matrix3 F = turn({0.0, 0.0, 0.5}) * Vector3(1.1, 1.0, 0.9).asDiagonal();
  const Matrix3 sigma = cauchy(first_piola(m, F), F);
  CHECK(std::abs(sigma(0, 0) - 83762.717) <= 5e-4);
  CHECK(std::abs(sigma(1, 1) - 27833.242) <= 5e-4);
  CHECK(std::abs(sigma(2, 2) + 58909.091) <= 5e-4);
  CHECK(std::abs(sigma(0, 1) - 43552.498) <= 5e-4);
  CHECK(sigma(1, 0) == doctest::Approx(sigma(0, 1)).epsilon(1e-14));
  CHECK(std::abs(sigma(0, 2)) + std::abs(sigma(1, 2)) <= 1e-10);
}

TEST_CASE("von Mises stress: that of tension is the tension, that of shear sqrt(3) times it") {
  Matrix3 sigma = Matrix3::Zero();
  sigma(1, 1) = -7.0;
  CHECK(von_mises(sigma) == doctest::Approx(7.0).epsilon(1e-15));
  sigma.setZero();
  sigma(0, 1) = sigma(1, 0) = 2.0;
  CHECK(von_mises(sigma) == doctest::Approx(2.0 * std::sqrt(3.0)).epsilon(1e-15));
  CHECK(von_mises(5.0 * Matrix3::Identity()) <= 1e-15);
}

TEST_CASE("the rotation of F is the nearest one, for nearly flat and inverted F too") {
  Random random;
  for (int k = 0; k < 200; ++k) {
    const Matrix3 N = turn(2.0 * random.vector()), Q = turn(1.7 * random.vector());
    Vector3 s = Vector3(1.5, 1.0, 0.6) + 0.3 * random.vector();
    if (k % 4 == 1) s[2] *= 1e-7;
    if (k % 4 == 2) s[2] *= -0.5;
    if (k % 4 == 3) s *= 1e-150;
    const Matrix3 F = Q * N * s.asDiagonal() * N.transpose();
    CHECK((rotation_of(F) - Q).norm() <= 1e-14);
  }
}

TEST_CASE("the tangent of the corotated law grows with 1/(s2 + s3) where the rotation gets lost") {
  const Material m = laws()[3];
  const auto at = [&](double gap) {
    const Matrix3 F = Vector3(1.0, 0.3, -0.3 + gap).asDiagonal();
    return stiffness(tangent(m, F));
  };
  CHECK(at(1e-4) / at(1e-3) == doctest::Approx(10.0).epsilon(0.05));
  CHECK(at(1e-6) / at(1e-5) == doctest::Approx(10.0).epsilon(0.05));
  // the energy has an edge there and stays finite
  const Matrix3 flat = Vector3(1.0, 0.3, -0.3).asDiagonal();
  CHECK(std::isfinite(stored_energy(m, flat)));
}

TEST_CASE("material turned inside out: laws with ln J are not finite, corotated pushes back") {
  const Matrix3 F = Vector3(1.0, 1.0, -0.2).asDiagonal();
  for (const Material& m : laws()) {
    CAPTURE(name_of(m.law));
    const bool ends = m.law == MaterialLaw::neo_hooke || m.law == MaterialLaw::mooney_rivlin;
    CHECK(std::isfinite(stored_energy(m, F)) == !ends);
    CHECK(first_piola(m, F).allFinite() == !ends);
    CHECK(tangent(m, F).allFinite() == !ends);
  }
  // the force is -P: one opens the body again, the other drives it on to its mirror image
  CHECK(first_piola(laws()[3], F)(2, 2) < 0.0);
  CHECK(first_piola(laws()[1], F)(2, 2) > 0.0);
}

TEST_CASE("faults of a material name the number that is wrong") {
  const auto says = [](Material m) { return fault(m); };
  Material m;
  CHECK(says(m) == "");
  CHECK_NOTHROW(check(m));
  m.poisson = 0.5;
  CHECK(says(m).rfind("poisson = 0.5: ", 0) == 0);
  CHECK_THROWS_AS(check(m), UsageError);
  m.poisson = -1.0;
  CHECK(says(m).rfind("poisson = -1", 0) == 0);
  m.poisson = std::numeric_limits<double>::quiet_NaN();
  CHECK(says(m).rfind("poisson = nan", 0) == 0);
  m = Material{};
  m.young = 0.0;
  CHECK(says(m).rfind("young = 0", 0) == 0);
  m = Material{};
  m.density = -3.0;
  CHECK(says(m).rfind("density = -3", 0) == 0);
  m = laws().back();
  CHECK(says(m) == "");
  m.poisson = 7.0;  // not read
  CHECK(says(m) == "");
  m.c01 = -m.c10;
  CHECK(says(m).rfind("c10 = ", 0) == 0);
  m = laws().back();
  m.bulk = 0.0;
  CHECK(says(m).rfind("bulk = 0", 0) == 0);
}
