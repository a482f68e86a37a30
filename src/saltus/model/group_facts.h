// Mass, nodes and elements of a group, for `check`, and a check that it has what its traits claim.
#pragma once
#include <string>

#include "saltus/dynamics/dynamics.h"

namespace saltus {

struct BodySpec;
class Model;

struct GroupFacts {
  double mass = 0.0;  ///< of all its bodies, including prescribed parts [kg]; 0: unknown
  int nodes = 0, elements = 0;
  std::string kinds;  ///< of elements: "hex8, wedge6"
};
GroupFacts group_facts(const Dynamics& group);

/// "mass 7.85 kg, 81 nodes, 32 elements (hex8)", "" if nothing is known.
std::string facts_text(const GroupFacts& facts);

/// Checks the data of modal() and rigid() that schemes use without checks: "has the trait modal,
/// but modal() returns nothing"; "" if nothing is missing.
std::string claims_fault(const Dynamics& group);

/// Index of the group that contains an entry of `bodies` (its first copy), -1: it does not move.
int group_of(const Model& model, const BodySpec& body);

}  // namespace saltus
