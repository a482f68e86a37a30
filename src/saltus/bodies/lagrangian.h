// Systems in generalised coordinates  M(q) v' = F(t, q, v): mechanisms and nonlinear structures of
// moderate size.
//
// The kinetic energy is v.M(q)v/2, the potential V(q); F = -dV/dq + Q(t, q, v) - c(q, v) includes
// the inertial forces c = M' v - d(v.Mv/2)/dq of M(q).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "saltus/bodies/coordinate_point.h"
#include "saltus/bodies/signal.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// The user-defined part of a Lagrangian system. Write tangents() by hand, use AutoModel
/// (auto_model.h), or let Lagrangian compute finite differences. Output matrices and vectors have
/// the right size on entry and arbitrary content.
class LagrangianModel {
 public:
  virtual ~LagrangianModel() = default;
  virtual int size() const = 0;  ///< of q and of v
  virtual bool constant_mass() const { return false; }
  /// True: C and K are symmetric (a constant M, forces from a potential and symmetric dashpots).
  virtual bool symmetric() const { return false; }
  virtual void mass(View q, Matrix& M) const = 0;
  virtual double potential(View q) const = 0;
  virtual void potential_force(View q, Out f) const = 0;  ///< -dV/dq
  /// Q(t, q, v): applied forces without a potential; set to zero if there are none.
  virtual void applied(double t, View q, View v, Out f) const = 0;
  /// c(q, v); set to zero if M is constant.
  virtual void inertial(View q, View v, Out f) const = 0;
  /// True if tangents() and potential_tangent() are implemented.
  virtual bool has_tangents() const { return false; }
  /// K = -dF/dq, C = -dF/dv of F = -dV/dq + Q - c.
  virtual void tangents(double t, View q, View v, Matrix& K, Matrix& C) const;
  /// d2V/dq2 only, for Rayleigh damping.
  virtual void potential_tangent(View q, Matrix& K) const;

  /// Points for contacts and output: names, positions [m], and dx/dq (3 x size).
  virtual int points() const { return 0; }
  virtual std::string point_name(int i) const;
  virtual Vector3 point(int i, View q) const;
  virtual void point_jacobian(int i, View q, Matrix& J) const;
};

/// Which tangents the schemes use.
enum class Tangents {
  given,        ///< the model's own; UsageError if it has none
  differences,  ///< central differences of the forces, steps of cbrt(epsilon) times max(1, |q_j|)
};

struct LagrangianOptions {
  Tangents tangents = Tangents::given;
  Rayleigh rayleigh;  ///< C += rM M + rK K(q), K the tangent of the potential only
  std::vector<Load> loads;
  std::vector<Prescribed> prescribed;
  std::vector<CoordinatePoint> more_points;
};

/// Prescribed coordinates: schemes evaluate point rows without a time. Therefore M of the free
/// coordinates must not depend on a coordinate with prescribed motion (UsageError on construction),
/// nor may the rows of points in contact (UsageError when evaluated).
class Lagrangian final : public Dynamics {
 public:
  /// Throws UsageError if there is no model or none of its coordinates is free, a coordinate does
  /// not exist or is prescribed twice, a number is not finite, a constant M is not symmetric
  /// positive definite, or the chosen tangents are not implemented.
  explicit Lagrangian(std::shared_ptr<const LagrangianModel> model, LagrangianOptions options = {});
  ~Lagrangian() override;

  int positions() const override;
  int velocities() const override { return positions(); }
  /// tangents, second_order, potential; constant_mass and symmetric as defined by the model.
  unsigned traits() const override;
  const LagrangianModel& model() const;
  int free_index(int dof) const;               ///< component of q, -1: prescribed
  void full(double t, View q, Out all) const;  ///< all coordinates of the model at t

  void force(double t, View q, View v, Out f) const override;
  void potential_force(double t, View q, Out f) const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  /// d(M x)/dq by central differences of M.
  void factorise_exact(Combination s, double weight, View x, double t, View q, View v,
                       Factor& A) const override;
  Rayleigh rayleigh() const override;
  int prescribed() const override;
  void reactions(double t, View q, View v, View a, Out forces) const override;
  void point_reactions(double t, View q, std::span<const PointRef> at, View f,
                       Out forces) const override;
  void prescribed_columns(Combination s, double t, View q, View v,
                          Eigen::Ref<Matrix> columns) const override;

  /// PointRef::feature is the index of a point of the model, followed by those of `more_points`;
  /// local is not used.
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  void point_drift(double t, View q, std::span<const PointRef> at, Out d) const override;
  void breaks(Breaks& out) const override;

  /// "potential", "inertial" (both with a potential), "damping" (Rayleigh), "applied", "load",
  /// "prescribed": those that exist.
  std::span<const Source> sources() const override;
  /// v.Mv/2 of the free coordinates, and V with the prescribed coordinates at t; all forces due to
  /// their motion belong to the source "prescribed" (docs/theory/lagrangian.md).
  Energy energy(double t, View q, View v) const override;
  void power(double t, std::optional<double> held, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  struct Definition;
  struct Evaluation;
  std::unique_ptr<Definition> definition_;
};

}  // namespace saltus
