#include "saltus/bodies/mechanisms.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {
namespace {

void expects_positive(std::initializer_list<double> numbers, const char* text) {
  for (double x : numbers) expects(x > 0.0 && std::isfinite(x), text);
}
void expects_not_negative(std::initializer_list<double> numbers, const char* text) {
  for (double x : numbers) expects(x >= 0.0 && std::isfinite(x), text);
}
void expects_finite(std::initializer_list<double> numbers, const char* text) {
  for (double x : numbers) expects(std::isfinite(x), text);
}

// Forces from the potential only, unless a mechanism overrides this.
class Mechanism : public LagrangianModel {
 public:
  bool has_tangents() const override { return true; }
  void applied(double, View, View, Out f) const override { f.setZero(); }
  void inertial(View, View, Out f) const override { f.setZero(); }
  void tangents(double, View q, View, Matrix& K, Matrix& C) const override {
    potential_tangent(q, K);
    C.setZero();
  }
  int points() const override { return 1; }
};

// ---- pendulum: m l^2 q'' = -m g l sin q - c q',  V = m g l (1 - cos q)
class Pendulum final : public Mechanism {
 public:
  explicit Pendulum(const PendulumData& data) : d_(data) {
    expects_positive({d_.mass, d_.length}, "mass and length must be positive");
    expects_not_negative({d_.dashpot}, "a dashpot must not be negative");
    expects_finite({d_.gravity, d_.pivot.sum()}, "gravity and pivot must be finite");
  }
  int size() const override { return 1; }
  bool constant_mass() const override { return true; }
  bool symmetric() const override { return true; }
  void mass(View, Matrix& M) const override { M(0, 0) = d_.mass * d_.length * d_.length; }
  double potential(View q) const override { return moment() * (1.0 - std::cos(q[0])); }
  void potential_force(View q, Out f) const override { f[0] = -moment() * std::sin(q[0]); }
  void potential_tangent(View q, Matrix& K) const override { K(0, 0) = moment() * std::cos(q[0]); }
  void applied(double, View, View v, Out f) const override { f[0] = -d_.dashpot * v[0]; }
  void tangents(double, View q, View, Matrix& K, Matrix& C) const override {
    potential_tangent(q, K);
    C(0, 0) = d_.dashpot;
  }
  std::string point_name(int) const override { return "bob"; }
  Vector3 point(int, View q) const override {
    return d_.pivot + d_.length * Vector3(std::sin(q[0]), 0.0, -std::cos(q[0]));
  }
  void point_jacobian(int, View q, Matrix& J) const override {
    J.col(0) = d_.length * Vector3(std::cos(q[0]), 0.0, std::sin(q[0]));
  }

 private:
  double moment() const { return d_.mass * d_.gravity * d_.length; }
  PendulumData d_;
};

// ---- n pendulums, mu_k = m_k + m_(k+1) + ... :
//
//     M_ij = mu_max(i,j) l_i l_j cos(q_i - q_j),
//         c_i = sum_j mu_max(i,j) l_i l_j sin(q_i - q_j) v_j^2
//     V = sum_i mu_i g l_i (1 - cos q_i)
class NPendulum final : public Mechanism {
 public:
  explicit NPendulum(NPendulumData data) : d_(std::move(data)) {
    expects(d_.mass.size() == d_.length.size() && !d_.mass.empty() && d_.mass.size() <= kMost,
            "give one mass and one length per bob, for 1 to 256 bobs");
    for (double m : d_.mass) expects_positive({m}, "masses must be positive");
    for (double l : d_.length) expects_positive({l}, "lengths must be positive");
    expects_finite({d_.gravity, d_.pivot.sum()}, "gravity and pivot must be finite");
    const auto n = static_cast<Eigen::Index>(d_.mass.size());
    length_ = Eigen::Map<const Vector>(d_.length.data(), n);
    hanging_.resize(n);
    double sum = 0.0;
    for (Eigen::Index i = n; i-- > 0;) hanging_[i] = sum += d_.mass[static_cast<std::size_t>(i)];
  }
  int size() const override { return static_cast<int>(length_.size()); }
  void mass(View q, Matrix& M) const override {
    const Arms a(q, length_);
    for (int j = 0; j < size(); ++j)
      for (int i = 0; i <= j; ++i)
        M(i, j) = M(j, i) = hanging_[j] * (a.x[i] * a.x[j] + a.z[i] * a.z[j]);
  }
  double potential(View q) const override {
    double V = 0.0;
    for (int i = 0; i < size(); ++i) V += moment(i) * (1.0 - std::cos(q[i]));
    return V;
  }
  void potential_force(View q, Out f) const override {
    for (int i = 0; i < size(); ++i) f[i] = -moment(i) * std::sin(q[i]);
  }
  void potential_tangent(View q, Matrix& K) const override {
    K.setZero();
    for (int i = 0; i < size(); ++i) K(i, i) = moment(i) * std::cos(q[i]);
  }
  // l_i l_j sin(q_i - q_j) = z_i x_j - x_i z_j, summed over j < i, then over j > i
  void inertial(View q, View v, Out c) const override {
    const Arms a(q, length_);
    double x = 0.0, z = 0.0;  // sum of x_j v_j^2, z_j v_j^2
    for (int i = 0; i < size(); ++i) {
      c[i] = hanging_[i] * (a.z[i] * x - a.x[i] * z);
      x += a.x[i] * v[i] * v[i];
      z += a.z[i] * v[i] * v[i];
    }
    x = z = 0.0;  // with mu_j
    for (int i = size(); i-- > 0;) {
      c[i] += a.z[i] * x - a.x[i] * z;
      x += hanging_[i] * a.x[i] * v[i] * v[i];
      z += hanging_[i] * a.z[i] * v[i] * v[i];
    }
  }
  void tangents(double, View q, View v, Matrix& K, Matrix& C) const override {
    const Arms a(q, length_);
    potential_tangent(q, K);
    for (int j = 0; j < size(); ++j) {
      C(j, j) = 0.0;
      for (int i = 0; i < j; ++i) {
        const double cos = hanging_[j] * (a.x[i] * a.x[j] + a.z[i] * a.z[j]);
        const double sin = hanging_[j] * (a.z[i] * a.x[j] - a.x[i] * a.z[j]);
        C(i, j) = 2.0 * sin * v[j];
        C(j, i) = -2.0 * sin * v[i];
        K(i, j) = -cos * v[j] * v[j];
        K(j, i) = -cos * v[i] * v[i];
        K(i, i) -= K(i, j);
        K(j, j) -= K(j, i);
      }
    }
  }
  int points() const override { return size(); }
  std::string point_name(int i) const override { return "bob_" + std::to_string(i); }
  Vector3 point(int i, View q) const override {
    Vector3 x = d_.pivot;
    for (int j = 0; j <= i; ++j) x += length_[j] * Vector3(std::sin(q[j]), 0.0, -std::cos(q[j]));
    return x;
  }
  void point_jacobian(int i, View q, Matrix& J) const override {
    J.setZero();
    for (int j = 0; j <= i; ++j)
      J.col(j) = length_[j] * Vector3(std::cos(q[j]), 0.0, std::sin(q[j]));
  }

 private:
  static constexpr int kMost = 256;
  using Bounded = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;  // on the stack
  // l_i (cos q_i, sin q_i): the derivative of the position of bob i with respect to its angle
  struct Arms {
    Arms(View q, const Vector& length)
        : x(length.array() * q.array().cos()), z(length.array() * q.array().sin()) {}
    Bounded x, z;
  };
  double moment(int i) const { return hanging_[i] * d_.gravity * length_[i]; }
  NPendulumData d_;
  Vector length_, hanging_;  // hanging_[k]: mu_k
};

// ---- Duffing: V = k q^2/2 + k3 q^4/4
class Duffing final : public Mechanism {
 public:
  explicit Duffing(const DuffingData& data) : d_(data) {
    expects_positive({d_.mass}, "the mass must be positive");
    expects_not_negative({d_.dashpot}, "a dashpot must not be negative");
    expects_finite({d_.stiffness, d_.cubic}, "stiffnesses must be finite");
  }
  int size() const override { return 1; }
  bool constant_mass() const override { return true; }
  bool symmetric() const override { return true; }
  void mass(View, Matrix& M) const override { M(0, 0) = d_.mass; }
  double potential(View q) const override {
    const double s = q[0] * q[0];
    return 0.5 * d_.stiffness * s + 0.25 * d_.cubic * s * s;
  }
  void potential_force(View q, Out f) const override {
    f[0] = -(d_.stiffness + d_.cubic * q[0] * q[0]) * q[0];
  }
  void potential_tangent(View q, Matrix& K) const override {
    K(0, 0) = d_.stiffness + 3.0 * d_.cubic * q[0] * q[0];
  }
  void applied(double, View, View v, Out f) const override { f[0] = -d_.dashpot * v[0]; }
  void tangents(double, View q, View, Matrix& K, Matrix& C) const override {
    potential_tangent(q, K);
    C(0, 0) = d_.dashpot;
  }
  std::string point_name(int) const override { return "mass"; }
  Vector3 point(int, View q) const override { return {0.0, 0.0, q[0]}; }
  void point_jacobian(int, View, Matrix& J) const override { J.col(0) = Vector3::UnitZ(); }

 private:
  DuffingData d_;
};

// ---- a mass at q = (x, z) from a fixed point, M = m I
class PlaneMass : public Mechanism {
 public:
  PlaneMass(double mass, Vector3 origin, const char* name)
      : mass_(mass), origin_(std::move(origin)), name_(name) {
    expects_positive({mass_}, "the mass must be positive");
    expects_finite({origin_.sum()}, "the pivot must be finite");
  }
  int size() const override { return 2; }
  bool constant_mass() const override { return true; }
  bool symmetric() const override { return true; }
  void mass(View, Matrix& M) const override { M = mass_ * Eigen::Matrix2d::Identity(); }
  std::string point_name(int) const override { return name_; }
  Vector3 point(int, View q) const override { return origin_ + Vector3(q[0], 0.0, q[1]); }
  void point_jacobian(int, View, Matrix& J) const override {
    J.col(0) = Vector3::UnitX();
    J.col(1) = Vector3::UnitZ();
  }

 protected:
  double mass_;

 private:
  Vector3 origin_;
  const char* name_;
};

// V = k (r - l)^2/2 + m g z,   V'' = k [(1 - l/r) I + l/r n n^T],  r = |q|, n = q/r
class SpringPendulum final : public PlaneMass {
 public:
  explicit SpringPendulum(const SpringPendulumData& data)
      : PlaneMass(data.mass, data.pivot, "bob"), d_(data) {
    expects_not_negative({d_.stiffness, d_.length}, "stiffness and length must not be negative");
    expects_finite({d_.gravity}, "gravity must be finite");
  }
  double potential(View q) const override {
    const double stretch = q.norm() - d_.length;
    return 0.5 * d_.stiffness * stretch * stretch + mass_ * d_.gravity * q[1];
  }
  void potential_force(View q, Out f) const override {
    f = -d_.stiffness * (1.0 - ratio(q)) * q;
    f[1] -= mass_ * d_.gravity;
  }
  void potential_tangent(View q, Matrix& K) const override {
    const double part = ratio(q);
    K = d_.stiffness * (1.0 - part) * Eigen::Matrix2d::Identity();
    if (const double square = q.squaredNorm(); square > 0.0)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) K(i, j) += d_.stiffness * part * q[i] * q[j] / square;
  }

 private:
  // l/r; at the pivot the spring has no direction, and its force is taken as zero
  double ratio(View q) const {
    if (d_.length == 0.0) return 0.0;
    const double r = q.norm();
    return r > 0.0 ? d_.length / r : 1.0;
  }
  SpringPendulumData d_;
};

// V = -mu m/r,   V'' = mu m/r^3 (I - 3 n n^T)
class Planet final : public PlaneMass {
 public:
  explicit Planet(const PlanetData& data)
      : PlaneMass(data.mass, Vector3::Zero(), "planet"), d_(data) {
    expects_finite({d_.mu}, "mu must be finite");
  }
  double potential(View q) const override { return -d_.mu * mass_ / q.norm(); }
  void potential_force(View q, Out f) const override { f = -cube(q) * q; }
  void potential_tangent(View q, Matrix& K) const override {
    const double square = q.squaredNorm(), scale = cube(q);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        K(i, j) = scale * ((i == j ? 1.0 : 0.0) - 3.0 * q[i] * q[j] / square);
  }

 private:
  double cube(View q) const {
    const double r = q.norm();
    return d_.mu * mass_ / (r * r * r);
  }
  PlanetData d_;
};

// ---- rod: q = (x, z, angle), M = diag(m, m, J), V = m g z;  end s: x + s l/2 (cos, sin)
class PlanarRod final : public Mechanism {
 public:
  explicit PlanarRod(const PlanarRodData& data) : d_(data) {
    expects_positive({d_.mass, d_.length}, "mass and length must be positive");
    expects_not_negative({d_.inertia}, "the moment of inertia must not be negative");
    expects_finite({d_.gravity}, "gravity must be finite");
    if (d_.inertia == 0.0) d_.inertia = d_.mass * d_.length * d_.length / 12.0;
  }
  int size() const override { return 3; }
  bool constant_mass() const override { return true; }
  bool symmetric() const override { return true; }
  void mass(View, Matrix& M) const override {
    M = Vector3(d_.mass, d_.mass, d_.inertia).asDiagonal();
  }
  double potential(View q) const override { return d_.mass * d_.gravity * q[1]; }
  void potential_force(View, Out f) const override { f = Vector3(0.0, -d_.mass * d_.gravity, 0.0); }
  void potential_tangent(View, Matrix& K) const override { K.setZero(); }
  int points() const override { return 3; }
  std::string point_name(int i) const override {
    return i == 0 ? "rear" : i == 1 ? "front" : "centre";
  }
  Vector3 point(int i, View q) const override {
    return Vector3(q[0], 0.0, q[1]) + arm(i) * Vector3(std::cos(q[2]), 0.0, std::sin(q[2]));
  }
  void point_jacobian(int i, View q, Matrix& J) const override {
    J.col(0) = Vector3::UnitX();
    J.col(1) = Vector3::UnitZ();
    J.col(2) = arm(i) * Vector3(-std::sin(q[2]), 0.0, std::cos(q[2]));
  }

 private:
  double arm(int i) const { return i == 2 ? 0.0 : (i == 0 ? -0.5 : 0.5) * d_.length; }
  PlanarRodData d_;
};

// ---- slider-crank: q = (a1, a2, a3), centres of crank and rod at midpoints, slider at the pin
//
//     M = [m1 b, 0; b m2, 0; 0 0 m3],  b = B cos(a1 - a2),
//         c = (B sin(a1 - a2) v2^2, -B sin(a1 - a2) v1^2, 0)
//     m1 = J1 + (M1/4 + M2 + M3) l1^2,  m2 = J2 + (M2/4 + M3) l2^2,  m3 = J3,
//         B = (M2/2 + M3) l1 l2
//     V = g (G1 sin a1 + G2 sin a2),  G1 = (M1/2 + M2 + M3) l1,  G2 = (M2/2 + M3) l2
class SliderCrank final : public Mechanism {
 public:
  explicit SliderCrank(const SliderCrankData& data) : d_(data) {
    expects_positive({d_.crank_length, d_.rod_length, d_.slider_length, d_.slider_height},
                     "lengths must be positive");
    expects_positive({d_.crank_mass, d_.rod_mass, d_.slider_mass}, "masses must be positive");
    expects_positive({d_.crank_inertia, d_.rod_inertia, d_.slider_inertia},
                     "moments of inertia must be positive");
    expects_finite({d_.gravity, d_.torque}, "gravity and torque must be finite");
    const double l1 = d_.crank_length, l2 = d_.rod_length;
    const double carried = 0.5 * d_.rod_mass + d_.slider_mass;
    m1_ = d_.crank_inertia + (0.25 * d_.crank_mass + d_.rod_mass + d_.slider_mass) * l1 * l1;
    m2_ = d_.rod_inertia + (0.25 * d_.rod_mass + d_.slider_mass) * l2 * l2;
    B_ = carried * l1 * l2;
    G1_ = d_.gravity * (0.5 * d_.crank_mass + d_.rod_mass + d_.slider_mass) * l1;
    G2_ = d_.gravity * carried * l2;
  }
  int size() const override { return 3; }
  void mass(View q, Matrix& M) const override {
    M.setZero();
    M(0, 0) = m1_;
    M(1, 1) = m2_;
    M(2, 2) = d_.slider_inertia;
    M(0, 1) = M(1, 0) = B_ * std::cos(q[0] - q[1]);
  }
  double potential(View q) const override { return G1_ * std::sin(q[0]) + G2_ * std::sin(q[1]); }
  void potential_force(View q, Out f) const override {
    f = Vector3(-G1_ * std::cos(q[0]), -G2_ * std::cos(q[1]), 0.0);
  }
  void potential_tangent(View q, Matrix& K) const override {
    K = Vector3(-G1_ * std::sin(q[0]), -G2_ * std::sin(q[1]), 0.0).asDiagonal();
  }
  void applied(double, View, View, Out f) const override { f = Vector3(d_.torque, 0.0, 0.0); }
  void inertial(View q, View v, Out c) const override {
    const double s = B_ * std::sin(q[0] - q[1]);
    c = Vector3(s * v[1] * v[1], -s * v[0] * v[0], 0.0);
  }
  void tangents(double, View q, View v, Matrix& K, Matrix& C) const override {
    const double s = B_ * std::sin(q[0] - q[1]), b = B_ * std::cos(q[0] - q[1]);
    potential_tangent(q, K);
    K(0, 0) += b * v[1] * v[1];
    K(0, 1) -= b * v[1] * v[1];
    K(1, 0) -= b * v[0] * v[0];
    K(1, 1) += b * v[0] * v[0];
    C.setZero();
    C(0, 1) = 2.0 * s * v[1];
    C(1, 0) = -2.0 * s * v[0];
  }
  int points() const override { return 4; }
  std::string point_name(int i) const override {
    static constexpr std::array kNames{"rear_lower", "front_lower", "rear_upper", "front_upper"};
    return kNames[static_cast<std::size_t>(i)];
  }
  Vector3 point(int i, View q) const override {
    return along(d_.crank_length, q[0]) + along(d_.rod_length, q[1]) + along(length(i), q[2]) +
           across(height(i), q[2]);
  }
  void point_jacobian(int i, View q, Matrix& J) const override {
    J.col(0) = across(d_.crank_length, q[0]);
    J.col(1) = across(d_.rod_length, q[1]);
    J.col(2) = across(length(i), q[2]) - along(height(i), q[2]);
  }

 private:
  static Vector3 along(double l, double a) { return {l * std::cos(a), 0.0, l * std::sin(a)}; }
  static Vector3 across(double l, double a) { return {-l * std::sin(a), 0.0, l * std::cos(a)}; }
  double length(int i) const { return (i % 2 == 0 ? -0.5 : 0.5) * d_.slider_length; }
  double height(int i) const { return (i < 2 ? -0.5 : 0.5) * d_.slider_height; }
  SliderCrankData d_;
  double m1_, m2_, B_, G1_, G2_;
};

// ---- St Venant-Kirchhoff bar of equal elements of length le:
//
//     F = 1 + (u2 - u1)/le,  G = (F^2 - 1)/2,  V = sum E A le G^2/2,  N = E A G F,
//         dN/d(u2 - u1) = E A (F^2 + G)/le
class StvkBar final : public Mechanism {
 public:
  explicit StvkBar(const StvkBarData& data) : d_(data), le_(d_.length / d_.elements) {
    expects(d_.elements > 0, "a bar must have at least one element");
    expects_positive({d_.length, d_.young, d_.density, d_.area},
                     "length, modulus, density and area must be positive");
  }
  int size() const override { return d_.elements; }
  bool constant_mass() const override { return true; }
  bool symmetric() const override { return true; }
  void mass(View, Matrix& M) const override {
    const double part = d_.density * d_.area * le_ / 6.0;
    M.setZero();
    for (int e = 0; e < size(); ++e) add(e, 2.0 * part, part, M);
  }
  double potential(View q) const override {
    double sum = 0.0;
    for (int e = 0; e < size(); ++e) {
      const double G = strain(stretch(e, q));
      sum += 0.5 * G * G;
    }
    return d_.young * d_.area * le_ * sum;
  }
  void potential_force(View q, Out f) const override {
    f.setZero();
    for (int e = 0; e < size(); ++e) {
      const double F = stretch(e, q), N = d_.young * d_.area * strain(F) * F;
      f[e] -= N;
      if (e > 0) f[e - 1] += N;
    }
  }
  void potential_tangent(View q, Matrix& K) const override {
    K.setZero();
    for (int e = 0; e < size(); ++e) {
      const double F = stretch(e, q), k = d_.young * d_.area * (F * F + strain(F)) / le_;
      add(e, k, -k, K);
    }
  }
  int points() const override { return size(); }
  std::string point_name(int i) const override { return "node_" + std::to_string(i + 1); }
  Vector3 point(int i, View q) const override { return {(i + 1) * le_ + q[i], 0.0, 0.0}; }
  void point_jacobian(int i, View, Matrix& J) const override {
    J.setZero();
    J(0, i) = 1.0;
  }

 private:
  // element e joins nodes e and e + 1; node 0 is fixed, node i has q[i - 1]
  double stretch(int e, View q) const { return 1.0 + (q[e] - (e > 0 ? q[e - 1] : 0.0)) / le_; }
  static double strain(double F) { return 0.5 * (F * F - 1.0); }
  static void add(int e, double diagonal, double beside, Matrix& A) {
    A(e, e) += diagonal;
    if (e == 0) return;
    A(e - 1, e - 1) += diagonal;
    A(e - 1, e) += beside;
    A(e, e - 1) += beside;
  }
  StvkBarData d_;
  double le_;
};

}  // namespace

std::shared_ptr<const LagrangianModel> pendulum(const PendulumData& data) {
  return std::make_shared<Pendulum>(data);
}
std::shared_ptr<const LagrangianModel> n_pendulum(const NPendulumData& data) {
  return std::make_shared<NPendulum>(data);
}
std::shared_ptr<const LagrangianModel> duffing(const DuffingData& data) {
  return std::make_shared<Duffing>(data);
}
std::shared_ptr<const LagrangianModel> spring_pendulum(const SpringPendulumData& data) {
  return std::make_shared<SpringPendulum>(data);
}
std::shared_ptr<const LagrangianModel> planet(const PlanetData& data) {
  return std::make_shared<Planet>(data);
}
std::shared_ptr<const LagrangianModel> planar_rod(const PlanarRodData& data) {
  return std::make_shared<PlanarRod>(data);
}
std::shared_ptr<const LagrangianModel> slider_crank(const SliderCrankData& data) {
  return std::make_shared<SliderCrank>(data);
}
std::shared_ptr<const LagrangianModel> stvk_bar(const StvkBarData& data) {
  return std::make_shared<StvkBar>(data);
}

}  // namespace saltus
