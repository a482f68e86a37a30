// The families the contract tests run over: bodies of every kind, schemes of every row of the registry.
#pragma once
#include <string>
#include <vector>

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
  bool constant_rows = true;  ///< point rows do not depend on q
  bool curved() const { return !has(dynamics->traits(), Trait::affine); }
};
Body modal_bar(Units units = {}, bool loaded = true);
Body pendulum(Units units = {}, double dashpot = 0.0);
Body bead(Units units = {}, bool fixed_points = true);
Body rigid(Units units = {}, Rigid::Tangent tangent = Rigid::Tangent::exact);
std::vector<Body> bodies(Units units = {});

/// A scheme with the order it must show on smooth motion; 0: exact at the nodes.
struct SchemeCase {
  std::string name;
  std::shared_ptr<const Scheme> scheme;
  double order = 0.0;
};
std::shared_ptr<const Scheme> moreau_jean(double theta);
std::shared_ptr<const Scheme> modal_exact();
/// The rows of the registry with default options, then the theta family.
std::vector<SchemeCase> scheme_cases();

struct Pair {
  Body body;
  SchemeCase scheme;
  std::string name() const { return scheme.name + " on " + body.name; }
};
std::vector<Pair> legal_pairs(Units units = {});  ///< those whose traits suffice
std::vector<Pair> illegal_pairs();

// -- models
ContactLaw newton_impact(double restitution);
ContactLaw signorini();
ContactLaw equality();
ModelParts parts(const Body& body, std::shared_ptr<const Scheme> scheme, double h);
void add_group(ModelParts& parts, const Body& body, std::shared_ptr<const Scheme> scheme);
/// The point of group `group` may not go below the plane through `place`.
void add_plane(ModelParts& parts, int group, const PointRef& point, const Vector3& place,
               const Vector3& normal, ContactLaw law);
/// Two points of two groups, the normal from b to a.
void add_pair(ModelParts& parts, ContactSide a, ContactSide b, const Vector3& normal,
              ContactLaw law);
/// The body with its tip `height` above a plane.
ModelParts above_plane(const Pair& pair, ContactLaw law, double h, double height = 0.0);

// -- measures
Vector3 point_at(const Dynamics& body, View q, const PointRef& point, double t = 0.0);
/// n . J(q, axes) v of one point [m/s].
double rate_of(const Dynamics& body, View q, View v, const PointRef& point, const Vector3& normal);
/// w with b = a (+) w, to first order in w where the body turns.
Vector increment(const Dynamics& body, View a, View b);
Vector multiply(const Dynamics& body, Combination s, View q, View v, View x);
double energy_scale(const State& state);  ///< kinetic + |potential| [J]
/// Every number of two states is the same, bit for bit.
bool identical(const State& a, const State& b);

/// One step driven by hand, with a given impulse r.
struct Driven {
  GroupState start, end;  ///< as the scheme holds them
  Factor A;
  double gain = 0.0;
  int passes = 0;
  double contraction =
      0.0;  ///< largest ratio of two successive outstanding changes above round-off
};
Driven drive(const Dynamics& body, const Scheme& scheme, const GroupState& physical, double h,
             View r);

}  // namespace saltus::contract
