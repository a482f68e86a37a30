// Error messages for steps that failed.
#pragma once
#include <string>

#include "saltus/model/model.h"
#include "saltus/state/state.h"

namespace saltus {

/// Message for the report of a failed step, with `number` counted from 1: what, where, and a
/// remedy, such as "step 3 (t = 0.003 s): the contacts of 'ball' were not solved: ...; use a
/// shorter step, ...".
std::string failure_text(const Model& model, const StepReport& report, std::uint64_t number);

}  // namespace saltus
