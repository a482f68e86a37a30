// A mesh that moves with the degrees of freedom of craig_bampton(); any point of the mesh can be in
// contact.
#pragma once
#include <memory>

#include "saltus/bodies/linear.h"
#include "saltus/fem/reduction.h"
#include "saltus/mesh/mesh.h"

namespace saltus {

/// q = (u of the kept degrees of freedom, then one per mode), as in CraigBampton::system. Points
/// have all three directions of space, so that contacts may have friction. At kept nodes the
/// response to static forces is exact, elsewhere it is that of the modes.
class ReducedMesh final : public Dynamics {
 public:
  /// mesh: the undeformed mesh that was reduced about u = 0. Throws UsageError if the basis does
  /// not have three rows per node.
  ReducedMesh(CraigBampton reduced, Mesh mesh);
  const Mesh& mesh() const { return mesh_; }
  const Linear& linear() const { return linear_; }
  const Matrix& basis() const { return basis_; }

  int positions() const override { return linear_.positions(); }
  int velocities() const override { return linear_.velocities(); }
  /// Traits of Linear.
  unsigned traits() const override { return linear_.traits(); }

  void force(double t, View q, View v, Out f) const override { linear_.force(t, q, v, f); }
  void potential_force(double t, View q, Out f) const override { linear_.potential_force(t, q, f); }
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override {
    linear_.multiply(s, t, q, v, x, y);
  }
  void factorise(Combination s, double t, View q, View v, Factor& A) const override {
    linear_.factorise(s, t, q, v, A);
  }
  Rayleigh rayleigh() const override { return linear_.rayleigh(); }

  /// PointRef as in Fem: `feature` is a node, or nodes + element with its xi in `local`.
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                    std::span<const Vector3> direction) const override;

  std::span<const Source> sources() const override { return linear_.sources(); }
  Energy energy(double t, View q, View v) const override { return linear_.energy(t, q, v); }
  void power(double t, std::optional<double> held, View q, View v, View w,
             std::span<double> by_source) const override {
    linear_.power(t, held, q, v, w, by_source);
  }

 private:
  /// Undeformed position, and rows of the displacement.
  Vector3 place(const PointRef& at, Eigen::Ref<Matrix> rows) const;

  Mesh mesh_;
  Matrix basis_;
  Linear linear_;
};

}  // namespace saltus
