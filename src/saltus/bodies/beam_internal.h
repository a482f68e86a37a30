// The parts of ElasticBeam: Hermite shape functions, degrees of freedom, loops over elements.
#pragma once
#include <array>
#include <cmath>
#include <vector>

#include "saltus/base/work_pool.h"
#include "saltus/bodies/beam.h"
#include "saltus/linear_algebra/sparse.h"

namespace saltus::beam {

inline constexpr int kDofs = 12;  ///< degrees of freedom of an element
using Hermite = std::array<double, 4>;
using Local = Eigen::Matrix<double, 3, 4>;  ///< columns e_k
using Block = Eigen::Matrix<double, kDofs, kDofs>;

inline Hermite values(double xi, double l) {
  const double x2 = xi * xi, x3 = x2 * xi;
  return {1.0 - 3.0 * x2 + 2.0 * x3, l * (xi - 2.0 * x2 + x3), 3.0 * x2 - 2.0 * x3, l * (x3 - x2)};
}
inline Hermite slopes(double xi, double l) {  // d/dx
  const double x2 = xi * xi;
  return {6.0 * (x2 - xi) / l, 1.0 - 4.0 * xi + 3.0 * x2, 6.0 * (xi - x2) / l, 3.0 * x2 - 2.0 * xi};
}
inline Hermite bends(double xi, double l) {  // d^2/dx^2
  return {(12.0 * xi - 6.0) / (l * l), (6.0 * xi - 4.0) / l, (6.0 - 12.0 * xi) / (l * l),
          (6.0 * xi - 2.0) / l};
}

inline Vector3 sum(const Local& e, const Hermite& N) {
  return e.col(0) * N[0] + e.col(1) * N[1] + e.col(2) * N[2] + e.col(3) * N[3];
}

/// From the displacements e:  a = a0 + u', b = u'', with a0 the axis, and
/// s - 1 = u' . (2 a0 + u')/(s + 1). Strains are then as accurate as displacements, however small.
struct Point {
  Vector3 a, b;
  double A, B, D, s, stretch;  ///< stretch = s - 1
  Point(const Local& e, double xi, double l) : b(sum(e, bends(xi, l))) {
    const Vector3 slope = sum(e, slopes(xi, l));
    a = Vector3::UnitX() + slope;
    A = a.squaredNorm();
    B = b.squaredNorm();
    D = a.dot(b);
    s = std::sqrt(A);
    stretch = slope.dot(Vector3::UnitX() + a) / (s + 1.0);
  }
};

}  // namespace saltus::beam

namespace saltus {

struct ElasticBeam::Elements {
  BeamSystem system;
  int nodes = 0;
  double l = 0.0;                       ///< length of an element
  Matrix3 frame = Matrix3::Identity();  ///< frame of the beam in space
  std::vector<int> free_dofs, index_of;
  std::vector<Source> sources;
  int gravity = -1, damping = -1, load = -1;
  std::array<std::array<double, 4>, 4> mass{};  ///< int rho A N_i N_j dx
  Vector reference, weight;                     ///< of all degrees of freedom; weight = M g
  SparseMatrix pattern;
  /// Index in `pattern` of entry (i, j) of element e, at (e 12 + j) 12 + i; -1: held
  std::vector<int> place;

  /// Scratch of one call: vectors of all degrees of freedom, u the displacements.
  struct Evaluation {
    Vector u, x, y;
    SparseMatrix matrix;
  };
  WorkPool<Evaluation> evaluations{[this] {
    const Vector none = Vector::Zero(dofs());
    return std::make_unique<Evaluation>(Evaluation{none, none, none, pattern});
  }};

  explicit Elements(BeamSystem given);
  // the steps of the constructor, in their order; each throws UsageError
  void check_system() const;
  /// Also checks that loads and held degrees of freedom exist, and are held once
  void number_dofs();
  void find_masses();  ///< mass of an element; reference and weight of all degrees of freedom
  void find_sources();
  void find_pattern();  ///< of the matrix, and the index of each element entry in it
  int dofs() const { return 6 * nodes; }
  int free() const { return static_cast<int>(free_dofs.size()); }
  void scatter(View part, Vector& all) const {
    all.setZero();
    for (int i = 0; i < free(); ++i) all[free_dofs[static_cast<std::size_t>(i)]] = part[i];
  }
  void gather(const Vector& all, Out part) const {
    for (int i = 0; i < free(); ++i) part[i] = all[free_dofs[static_cast<std::size_t>(i)]];
  }
  double dot(const Vector& all, View w) const {
    double product = 0.0;
    for (int i = 0; i < free(); ++i) product += all[free_dofs[static_cast<std::size_t>(i)]] * w[i];
    return product;
  }
  static beam::Local local(const Vector& all, int e) {
    return Eigen::Map<const beam::Local>(all.data() + 6 * e);
  }
  double stored(const Vector& u) const;
  void add_elastic(const Vector& u, double scale, Vector& out) const;
  void element_matrix(const Vector& u, int e, double k, beam::Block& K) const;
  void add_mass(double scale, const Vector& in, Vector& out) const;
  void add_stiffness(const Vector& u, double scale, const Vector& in, Vector& out) const;
  void add_loads(double t, Vector& out) const;
};

}  // namespace saltus
