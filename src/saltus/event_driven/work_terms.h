// The entries of the energy balance that event-driven integration writes.
#pragma once
#include <string_view>

#include "saltus/model/model.h"

namespace saltus {

/// The index of an entry of Model::accounts(); -1: the model has none of this name.
int work_term(const Model& model, std::string_view name);

/// Indices of entries; friction and prescribed motion count as impact if the model has no entry for
/// them. -1: no entry.
struct WorkTerms {
  explicit WorkTerms(const Model& model);
  int impact, scheme, friction, prescribed, damping, joints, actuators;
};

}  // namespace saltus
