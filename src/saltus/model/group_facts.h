// What a group is made of, for `check`, and whether it has what its traits claim.
#pragma once
#include <string>

#include "saltus/dynamics/dynamics.h"

namespace saltus {

struct BodySpec;
class Model;

struct GroupFacts {
  double mass = 0.0;  ///< of all its bodies, what is prescribed included [kg]; 0: it is not told
  int nodes = 0, elements = 0;
  std::string kinds;  ///< of elements: "hex8, wedge6"
};
GroupFacts group_facts(const Dynamics& group);

/// "mass 7.85 kg, 81 nodes, 32 elements (hex8)", "" where nothing is told.
std::string facts_text(const GroupFacts& facts);

/// What schemes take from modal() and rigid() without looking: "has the trait modal, and modal()
/// gives nothing"; "" where all is there.
std::string claims_fault(const Dynamics& group);

/// Index of the group that holds an entry of `bodies` (its first copy), -1: it stands still.
int group_of(const Model& model, const BodySpec& body);

}  // namespace saltus
