// Contact laws as the core holds them, and pairs with directions of friction, for models that programs make.
#pragma once
#include <doctest/doctest.h>

#include <initializer_list>
#include <string_view>

#include "one_group.h"

namespace saltus::test {

inline NewtonImpact newton_law(double restitution, double friction = 0.0) {
  NewtonImpact law;
  law.restitution = restitution;
  law.friction = friction;
  return law;
}

inline Relay relay_law(double bound) {
  Relay law;
  law.bound = bound;
  return law;
}

/// A spring that pushes with stiffness * penetration^exponent, by the rule of the middle.
inline Compliant spring_law(double stiffness, double exponent) {
  Compliant law;
  law.stiffness = stiffness;
  law.exponent = exponent;
  law.at = Compliant::At::middle;
  return law;
}

/// Point a may touch point b, which is behind it along the normal; friction acts along the tangents.
inline void add_pair(ModelParts& parts, const ContactSide& a, const ContactSide& b,
                     const Vector3& normal, const AnyLaw& law,
                     std::initializer_list<Vector3> tangents = {}) {
  parts.laws.push_back(law);
  ContactPair pair;
  pair.key = parts.pairs.size() + 1;
  pair.a = a;
  pair.b = b;
  pair.normal = normal;
  for (const Vector3& t : tangents) pair.tangent[static_cast<std::size_t>(pair.tangents++)] = t;
  pair.law = static_cast<int>(parts.laws.size()) - 1;
  parts.pairs.push_back(pair);
}

/// A place fixed in the world.
inline ContactSide world(const Vector3& place = Vector3::Zero()) { return {-1, {0, 0, place}}; }

/// Work that an account of the ledger has taken up since the start [J].
inline double account(const Simulation& sim, std::string_view name) {
  const auto names = sim.model().accounts();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return sim.state().ledger[i];
  FAIL("no such account: " << std::string(name));
  return 0.0;
}

/// Impulse (n, t1, t2) of the pair of this key in the last step [N s], zero where it carried none.
inline Vector3 impulse_of(const Simulation& sim, std::uint64_t key) {
  for (const ContactMemory& contact : sim.state().contacts)
    if (contact.key == key) return contact.impulse;
  return Vector3::Zero();
}

}  // namespace saltus::test
