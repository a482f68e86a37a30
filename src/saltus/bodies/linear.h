// Linear systems  M q'' + C q' + K q = F(t),  C = given damping + rM M + rK K, dense or sparse; C
// and K may be unsymmetric. Without K the system is of first order in v:  M v' + C v = F(t).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "saltus/bodies/coordinate_point.h"
#include "saltus/bodies/signal.h"
#include "saltus/dynamics/dynamics.h"
#include "saltus/linear_algebra/sparse.h"

namespace saltus {

/// Position of a degree of freedom in space: x = place + q_dof direction. Contacts act on it there.
struct DofPoint {
  Vector3 place = Vector3::Zero();       ///< [m]
  Vector3 direction = Vector3::UnitZ();  ///< unit
};

/// Definition of a linear system; all matrices are n x n, empty ones (size 0) are zero.
struct LinearSystem {
  SparseMatrix mass;       ///< symmetric positive definite [kg]
  SparseMatrix damping;    ///< dashpots, without Rayleigh damping [N s/m]
  SparseMatrix stiffness;  ///< [N/m]
  Rayleigh rayleigh;
  Vector load;  ///< constant [N], empty: none
  std::vector<Load> loads;
  std::vector<Prescribed> prescribed;
  std::vector<DofPoint> points;  ///< one per degree of freedom; empty: along z from the origin
  std::vector<CoordinatePoint> more_points;
};

class Linear final : public Dynamics {
 public:
  /// Throws UsageError if sizes disagree, M is not symmetric or not positive definite (the message
  /// names the first bad pivot), an entry is not finite, a degree of freedom is prescribed twice or
  /// does not exist, or all of them are prescribed.
  explicit Linear(LinearSystem system);
  ~Linear() override;

  int positions() const override;
  int velocities() const override { return positions(); }
  /// tangents, affine, constant_mass, fixed_points; symmetric if C and K are; potential if K is
  /// symmetric; second_order if there is a K.
  unsigned traits() const override;
  /// Degree of freedom of each component of q, and the inverse map (-1: prescribed).
  std::span<const int> free_dofs() const;
  int free_index(int dof) const;
  /// All n components of the system at t, prescribed ones from their signals.
  void full(double t, View q, Out all) const;
  void full_rate(double t, View v, Out all) const;  ///< their rates

  void force(double t, View q, View v, Out f) const override;
  void potential_force(double t, View q, Out f) const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  Rayleigh rayleigh() const override;
  int prescribed() const override;
  void reactions(double t, View q, View v, View a, Out forces) const override;
  void point_reactions(double t, View q, std::span<const PointRef> at, View f,
                       Out forces) const override;
  void prescribed_columns(Combination s, double t, View q, View v,
                          Eigen::Ref<Matrix> columns) const override;

  /// PointRef::feature is the degree of freedom of the system or, from n on, the index of one of
  /// `more_points`; local is not used.
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  void point_drift(double t, View q, std::span<const PointRef> at, Out d) const override;
  void breaks(Breaks& out) const override;
  /// Null if one of the points has prescribed motion.
  std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                    std::span<const Vector3> direction) const override;

  /// "elastic" (potential), "damping", "load", "prescribed", "circulatory" (the skew part of K):
  /// those that exist.
  std::span<const Source> sources() const override;
  /// v.Mv/2 and q.Kq/2 of the free degrees of freedom, with the symmetric part of K; see
  /// docs/theory/linear.md for the meaning with prescribed motion.
  Energy energy(double t, View q, View v) const override;
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  struct Matrices;
  std::unique_ptr<PointTable> coordinate_table(std::span<const PointRef> at,
                                               std::span<const Vector3> direction) const;
  std::unique_ptr<const Matrices> matrices_;
};

/// m q'' + c q' + k q.
LinearSystem oscillator(double mass, double stiffness, double damping = 0.0);

enum class ChainEnds { free_free, fixed_free, fixed_fixed };
/// n equal masses on a line; springs and dashpots join neighbours, and one more of each joins the
/// chain to a fixed end. Dof i moves along `axis` from the position i spacing axis (fixed first
/// end: (i + 1) spacing axis).
LinearSystem chain(int n, double mass, double stiffness, double damping, ChainEnds ends,
                   double spacing = 1.0, Vector3 axis = Vector3::UnitX());

/// A straight elastic bar of equal linear elements that stretches along `axis`; nodes are numbered
/// from end to end, dof i is node i (fixed nodes are not part of the system).
struct BarMesh {
  int elements = 1;
  double length = 1.0, young = 1.0, density = 1.0, area = 1.0;  ///< [m], [Pa], [kg/m^3], [m^2]
  ChainEnds ends = ChainEnds::free_free;  ///< fixed_free: the node at 0 is fixed
  bool lumped = false;
  Vector3 origin = Vector3::Zero(), axis = Vector3::UnitX();
};
LinearSystem bar(const BarMesh& mesh);

}  // namespace saltus
