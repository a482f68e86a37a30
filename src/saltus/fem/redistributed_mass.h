// Finite elements whose contact nodes have no mass and meet fixed obstacles: contact without
// impacts.
//
// Mass moves from the contact nodes c to the others i (fem/mass_redistribution.h). The contact
// nodes are in static equilibrium at every instant, and no part of the state:
//
//     K_cc u_c + K_ci u_i = f_c + G^T lambda,   0 <= g(u_c) perp lambda >= 0                    (1)
//     M_ii u_i'' = f_i - K_ii u_i - K_ic u_c(u_i) - C v                                         (2)
//
// (1) has one solution and is the minimum over u_c of the elastic energy: (2) is a group whose
// potential V(u_i) is convex with a continuous gradient, so that every scheme keeps its order and
// its energy. No coefficient of restitution exists.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/fem/fem.h"

namespace saltus {

/// A node may not pass a plane: g = normal . (x - place) >= 0, without friction.
struct NodeStop {
  int node = 0;
  Vector3 place = Vector3::Zero();    ///< [m]
  Vector3 normal = Vector3::UnitZ();  ///< unit, into free space
};

/// q = displacements of the free degrees of freedom of the nodes with mass. C = r_M M + r_K K_S,
/// K_S the tangent of (2): r_K brakes what the body is deformed by, as in Fem. Tangents are those
/// of the rows that are pressed at q.
///
/// Forces of the stops follow those of the prescribed degrees of freedom in reactions(): probes of
/// reactions show them. They do no work, and no account belongs to them. Other contacts may meet a
/// massless node: an impulse on it acts on the nodes that carry it.
class RedistributedMass final : public Dynamics {
 public:
  /// FemSystem::massless is found here: the nodes of the stops. Throws UsageError: what Fem throws;
  /// no stop, a normal that is no unit vector along the dimensions of the mesh, or across all that
  /// is free at its node; laws that are not linear, consistent mass; loads on massless nodes;
  /// massless nodes in elements with prescribed nodes that move; massless nodes that their elements
  /// do not hold, or stops that say the same twice.
  RedistributedMass(FemSystem system, std::vector<NodeStop> stops);
  ~RedistributedMass() override;

  const Fem& fem() const;
  std::span<const NodeStop> stops() const;
  /// Component of q of the degree of freedom 3 node + axis, -1: no part of q.
  int free_index(int dof) const;
  /// Displacements of all nodes at t, 3 a node.
  void full(double t, View q, Out all) const;
  void gaps(View q, Out g) const;         ///< one a stop [m]
  void forces(View q, Out lambda) const;  ///< one a stop [N]

  int positions() const override;
  int velocities() const override { return positions(); }
  unsigned traits() const override;
  void force(double t, View q, View v, Out f) const override;
  void potential_force(double t, View q, Out f) const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  Rayleigh rayleigh() const override;
  /// Those of the mesh, then one a stop.
  int prescribed() const override;
  void reactions(double t, View q, View v, View a, Out forces) const override;
  void point_reactions(double t, View q, std::span<const PointRef> at, View f,
                       Out forces) const override;

  /// Points as in Fem.
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  void point_drift(double t, View q, std::span<const PointRef> at, Out d) const override;
  double fastest_drift(double from, double to, double reach) const override;
  void breaks(Breaks& out) const override;

  std::span<const Source> sources() const override;
  Energy energy(double t, View q, View v) const override;
  void power(double t, std::optional<double> held, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  struct Partition;
  std::unique_ptr<Partition> partition_;
};

}  // namespace saltus
