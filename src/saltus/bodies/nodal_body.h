// Bodies made of nodes in space, with prescribed motion of some of their axes: particles and finite
// elements.
//
//     M_ff v' = F_f - M_fp u_p'',   F = elastic + M g + damping + loads            (1)
//     reactions = M_pf v' + M_pp u_p'' - F_p                                       (2)
//
// f: free, p: prescribed degrees of freedom.
#pragma once
#include <memory>

#include "saltus/bodies/signal.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// q = the degrees of freedom 3 node + axis that are not prescribed, in ascending order:
/// displacements or positions.
class NodalBody : public Dynamics {
 public:
  ~NodalBody() override;
  int positions() const override;
  int velocities() const override { return positions(); }
  /// Component of q of the degree of freedom 3 node + axis; -1: prescribed, or an axis beyond the
  /// dimension.
  int free_index(int dof) const;
  void full(double t, View q, Out all) const;       ///< values of all nodes at t, 3 per node
  void full_rate(double t, View v, Out all) const;  ///< their rates

  void force(double t, View q, View v, Out f) const override;
  void potential_force(double t, View q, Out f) const override;
  int prescribed() const override;
  void reactions(double t, View q, View v, View a, Out forces) const override;
  void point_reactions(double t, View q, std::span<const PointRef> at, View f,
                       Out forces) const override;

  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  void point_drift(double t, View q, std::span<const PointRef> at, Out d) const override;
  double fastest_drift(double from, double to, double reach) const override;
  void breaks(Breaks& out) const override;
  std::unique_ptr<PointTable> table(
      std::span<const PointRef> at,
      std::span<const Vector3> direction) const override;  ///< null if one has prescribed motion

  /// "elastic", "gravity" (both with a potential), "damping", "load", "prescribed": those that
  /// exist.
  std::span<const Source> sources() const override;
  /// Kinetic energy of the free degrees of freedom, and V with the prescribed ones at t; all forces
  /// due to their motion belong to the source "prescribed". The potential of gravity is 0 at q = 0
  /// and leaves out prescribed degrees of freedom.
  Energy energy(double t, View q, View v) const override;
  void power(double t, std::optional<double> held, View q, View v, View w,
             std::span<double> by_source) const override;

 protected:
  struct Nodes;
  explicit NodalBody(std::unique_ptr<Nodes> parts);
  std::unique_ptr<Nodes> nodes_;
};

}  // namespace saltus
