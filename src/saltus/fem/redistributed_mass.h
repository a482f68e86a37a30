// Finite elements with mass redistribution and fixed obstacles: contact without impacts.
//
// The masses of the contact nodes c are moved to the other nodes i (fem/mass_redistribution.h). The
// contact nodes are in static equilibrium at every instant and are not part of the state:
//
//     K_cc u_c + K_ci u_i = f_c + G^T lambda,   0 <= g(u_c) perp lambda >= 0                    (1)
//     M_ii u_i'' = f_i - K_ii u_i - K_ic u_c(u_i) - C v                                         (2)
//
// (1) has a unique solution, the minimum of the elastic energy over u_c: (2) is a group whose
// potential V(u_i) is convex with a continuous gradient, so that every scheme keeps its order and
// its energy behaviour. There is no coefficient of restitution.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/fem/fem.h"

namespace saltus {

/// Keeps a node on one side of a plane, without friction: g = normal . (x - place) >= 0.
struct NodeStop {
  int node = 0;
  Vector3 place = Vector3::Zero();    ///< [m]
  Vector3 normal = Vector3::UnitZ();  ///< unit vector, pointing into free space
};

/// q = displacements of the free degrees of freedom of the nodes with mass. C = r_M M + r_K K_S,
/// where K_S is the tangent of (2): r_K damps the rate of deformation, as in Fem. Tangents use the
/// rows that are active at q.
///
/// In reactions(), the forces of the stops follow those of the prescribed degrees of freedom, so
/// that reaction probes report them. They do no work and have no energy account. A massless node
/// may also have other contacts: an impulse on it acts on the nodes that carry it.
class RedistributedMass final : public Dynamics {
 public:
  /// The constructor sets FemSystem::massless to the nodes of the stops. Throws UsageError:
  /// whatever Fem throws; no stop; a normal that is not a unit vector within the dimensions of the
  /// mesh, or that has no component along a free direction of its node; nonlinear laws; consistent
  /// mass; loads on massless nodes; massless nodes in elements with prescribed nodes that move;
  /// massless nodes that are not restrained by their elements; redundant stops.
  RedistributedMass(FemSystem system, std::vector<NodeStop> stops);
  ~RedistributedMass() override;

  const Fem& fem() const;
  std::span<const NodeStop> stops() const;
  /// Component of q for the degree of freedom 3 node + axis, or -1 if it is not part of q.
  int free_index(int dof) const;
  /// Displacements of all nodes at t, 3 per node.
  void full(double t, View q, Out all) const;
  void gaps(View q, Out g) const;         ///< one per stop [m]
  void forces(View q, Out lambda) const;  ///< one per stop [N]

  int positions() const override;
  int velocities() const override { return positions(); }
  unsigned traits() const override;
  void force(double t, View q, View v, Out f) const override;
  void potential_force(double t, View q, Out f) const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  Rayleigh rayleigh() const override;
  /// The prescribed degrees of freedom of the mesh, followed by one per stop.
  int prescribed() const override;
  void reactions(double t, View q, View v, View a, Out forces) const override;
  void point_reactions(double t, View q, std::span<const PointRef> at, View f,
                       Out forces) const override;

  /// Points are defined as in Fem.
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
