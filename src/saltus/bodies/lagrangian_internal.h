// Private data of Lagrangian: its setup, and its evaluation at one configuration.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/base/work_pool.h"
#include "saltus/bodies/lagrangian.h"

namespace saltus {

// All coordinates are (f, p): free, prescribed.
//
//     M_ff a = F_f - M_fp u'',     F = -dV/dq + Q - c + loads - (rM M + rK V'') v
//         at q = (q_f, u), v = (v_f, u')
//
// Values for one (q, v) are cached until the arguments change, so that results depend only on the
// arguments.
struct Lagrangian::Definition {
  std::shared_ptr<const LagrangianModel> model;
  LagrangianOptions options;
  int n = 0;
  bool constant_mass = false;
  bool moving = false;                // a prescribed coordinate varies in time
  bool rows_move = false;             // rows of points depend on such a coordinate
  std::vector<int> free_dofs, index;  // coordinate of each component of q; its inverse
  std::vector<Source> sources;
  int inertial = -1, damping = -1, applied = -1, load = -1, prescribed = -1;

  WorkPool<Evaluation> evaluations;

  Definition(std::shared_ptr<const LagrangianModel> made, LagrangianOptions given);

  int free() const { return static_cast<int>(free_dofs.size()); }
  bool all_free() const { return options.prescribed.empty(); }
  const Rayleigh& rayleigh() const { return options.rayleigh; }
  bool has_rayleigh() const { return rayleigh().mass != 0.0 || rayleigh().stiffness != 0.0; }

  void scatter(View part, Vector& all) const {
    for (int i = 0; i < free(); ++i) all[free_dofs[static_cast<std::size_t>(i)]] = part[i];
  }
  void gather(const Vector& all, Out part) const {
    for (int i = 0; i < free(); ++i) part[i] = all[free_dofs[static_cast<std::size_t>(i)]];
  }
  double dot(View all, View w) const {
    double sum = 0.0;
    for (int i = 0; i < free(); ++i) sum += all[free_dofs[static_cast<std::size_t>(i)]] * w[i];
    return sum;
  }
  void part(const Matrix& all, Matrix& of_free) const {
    of_free.resize(free(), free());
    for (int i = 0; i < free(); ++i)
      for (int j = 0; j < free(); ++j)
        of_free(i, j) =
            all(free_dofs[static_cast<std::size_t>(i)], free_dofs[static_cast<std::size_t>(j)]);
  }
  void check();

  /// The coordinate point, or null for a point of the model. UsageError if there is no such point.
  const CoordinatePoint* coordinate_point(const PointRef& at) const {
    const int i = at.feature - model->points();
    if (at.feature < 0 || i >= static_cast<int>(options.more_points.size())) [[unlikely]]
      expects(false, "point " + std::to_string(at.feature) +
                         " does not exist; number of points of the model: " +
                         std::to_string(model->points()));
    return i < 0 ? nullptr : &options.more_points[static_cast<std::size_t>(i)];
  }
  Vector3 point(const PointRef& at, const Vector& q) const {
    if (const CoordinatePoint* own = coordinate_point(at))
      return own->at([&](int dof) { return q[dof]; });
    return model->point(at.feature, q);
  }
  void point_jacobian(const PointRef& at, const Vector& q, Matrix& J) const {
    const CoordinatePoint* own = coordinate_point(at);
    if (!own) return model->point_jacobian(at.feature, q, J);
    J.setZero();
    for (const CoordinatePoint::Term& term : own->terms) J.col(term.dof) += term.direction;
  }
};

/// Scratch of one call: all coordinates, and values that belong to them.
struct Lagrangian::Evaluation {
  const Definition& d;
  Vector q, v, f, g, x, y, up, down;
  Matrix J;
  // Cached for the q, v at which they were computed. `_f`: of the free coordinates, empty if all
  // are.
  Matrix M, M_f, M_shifted, V2, K, C, K_f, C_f, A;
  double tangents_t = 0.0;
  Vector mass_at, potential_at, tangents_q, tangents_v;

  explicit Evaluation(const Definition& data);

  const Matrix& mass() const { return d.all_free() ? M : M_f; }
  const Matrix& stiffness() const { return d.all_free() ? K : K_f; }
  const Matrix& damping_matrix() const { return d.all_free() ? C : C_f; }
  void place(double t, View q_free) {
    d.scatter(q_free, q);
    for (const Prescribed& p : d.options.prescribed) q[p.dof] = p.signal.value(t);
  }
  void place(double t, View q_free, View v_free) {
    place(t, q_free);
    d.scatter(v_free, v);
    for (const Prescribed& p : d.options.prescribed) v[p.dof] = p.signal.rate(t);
  }

  // M(q), dV2/dq2, K and C (Rayleigh included) at the current (q, v)
  void need_mass();
  /// A += weight d(M x)/dq on the free coordinates.
  void add_mass_tangent(double weight, View part);
  void need_potential_tangent();
  void need_tangents(double t);
  void smooth_force(double t, Vector& out);  // -dV/dq + Q - c
  void rayleigh_force(const Vector& velocity, Vector& out);
  void all_forces(double t, Vector& out);
  void difference_tangents(double t);
  /// True if rows of points depend on a moving coordinate. UsageError if M_ff does.
  bool check_prescribed();
};

}  // namespace saltus
