// The families the contract tests run over: bodies of every kind, schemes of every row of the registry.
#pragma once
#include <string>
#include <vector>

#include "../tables/scheme_orders.h"
#include "saltus/contact/laws/laws.h"
#include "saltus/sim/simulation.h"
#include "small_kinds.h"

namespace saltus::contract {

/// A body in motion, v0 and F0 both non-zero, with a point that approaches along -normal.
struct Body {
  std::string name;
  std::shared_ptr<const Dynamics> dynamics;
  GroupState state;  ///< physical
  PointRef tip;
  Vector3 normal;
  bool constant_rows = true;   ///< point rows do not depend on q
  bool exact_tangents = true;  ///< C and K are the slopes of F, nothing is left out
  bool curved() const { return !has(dynamics->traits(), Trait::affine); }
  bool constant_mass() const { return has(dynamics->traits(), Trait::constant_mass) || !curved(); }
};
// kinds of the registry
Body modal_bar(Units units = {}, bool loaded = true);
/// Three coupled masses, one end on the ground, Rayleigh damping, dashpots, a harmonic load. gyroscopic: C unsymmetric and
/// the ground shakes (a prescribed degree of freedom).
Body linear_system(Units units = {}, bool gyroscopic = false);
/// Two particles on springs, with drag and a load.
Body particles(Units units = {}, bool damped = true);
/// A bob on a spring, M constant, Rayleigh damping on the tangent of its potential.
Body spring_pendulum(Units units = {});
/// Two bobs on rods: M(q).
Body double_pendulum(Units units = {});
/// A rigid body of full inertia in gravity, with drag and loads that depend on time and turn with it.
Body top(Units units = {}, bool braked = true);
/// A block that turns, stretches and shears. convected: strain-rate damping and a force that turns with it, C and K
/// unsymmetric; else Solfec's damping.
Body pseudo_rigid(Units units = {}, bool convected = false);
/// Two elements in plane stress on a pin, consistent mass, large strains.
Body triangles(Units units = {});
/// Two elements on a pin, bent and stretched.
Body elastic_beam(Units units = {});
// small kinds of these tests
Body pendulum(Units units = {}, double dashpot = 0.0);
Body bead(Units units = {}, bool fixed_points = true);
Body rigid(Units units = {}, Rigid::Tangent tangent = Rigid::Tangent::exact);
std::vector<Body> bodies(Units units = {});

/// A form of a scheme, with the order it must show on damped smooth motion; 0: exact at the nodes.
struct SchemeCase {
  std::string name;
  std::shared_ptr<const Scheme> scheme;
  double order = 0.0;
  bool one_solve = false;  ///< linearised once about the start of the step
};
std::shared_ptr<const Scheme> moreau_jean(double theta);
std::shared_ptr<const Scheme> modal_exact();
/// The forms of tests/tables/scheme_orders.h: every row of the registry, then its options.
std::vector<SchemeCase> scheme_cases();
SchemeCase scheme_case(const std::string& name);

struct Pair {
  Body body;
  SchemeCase scheme;
  std::string name() const { return scheme.name + " on " + body.name; }
  /// The state of the scheme is a function of the physical q and v, to round-off.
  bool starts_exactly() const;
  /// Several contact problems a step: positions are corrected apart from velocities.
  bool decoupled() const { return scheme.scheme->stages().size() > 1; }
};
bool legal(const Scheme& scheme, const Dynamics& body);
std::vector<Pair> legal_pairs(Units units = {});  ///< those whose traits suffice
std::vector<Pair> illegal_pairs();

// -- models
NewtonImpact newton_impact(double restitution);
SignoriniPosition signorini();
Equality equality();
ModelParts parts(const Body& body, std::shared_ptr<const Scheme> scheme, double h);
void add_group(ModelParts& parts, const Body& body, std::shared_ptr<const Scheme> scheme);
/// The point of group `group` may not go below the plane through `place`.
void add_plane(ModelParts& parts, int group, const PointRef& point, const Vector3& place,
               const Vector3& normal, const AnyLaw& law);
/// Two points of two groups, the normal from b to a.
void add_pair(ModelParts& parts, ContactSide a, ContactSide b, const Vector3& normal,
              const AnyLaw& law);
/// The body with its tip `height` above a plane.
ModelParts above_plane(const Pair& pair, const AnyLaw& law, double h, double height = 0.0);

// -- measures
Vector3 point_at(const Dynamics& body, View q, const PointRef& point, double t = 0.0);
/// n . J(q, axes) v of one point [m/s].
double rate_of(const Dynamics& body, View q, View v, const PointRef& point, const Vector3& normal);
/// w with b = a (+) w, to first order in w where the body turns.
Vector increment(const Dynamics& body, View a, View b);
Vector multiply(const Dynamics& body, Combination s, View q, View v, View x, double t = 0.0);
double energy_scale(const State& state);  ///< kinetic + |potential| [J]
/// Every number of two states is the same, bit for bit.
bool identical(const State& a, const State& b);

/// One step driven by hand, with a given impulse r in its last stage.
struct Driven {
  GroupState start, end;  ///< as the scheme holds them
  /// Work data of the step: a factor may lean on the other data of its trial.
  std::unique_ptr<Prepared> prepared;
  std::unique_ptr<Trial> trial;
  const Factor& A() const { return trial->A; }
  double gain = 0.0;
  int passes = 0;
  double contraction =
      0.0;  ///< largest ratio of two successive outstanding changes above round-off
};
Driven drive(const Dynamics& body, const Scheme& scheme, const GroupState& physical, double h,
             View r);

}  // namespace saltus::contract
