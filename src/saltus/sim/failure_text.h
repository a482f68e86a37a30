// What happened in a step that failed, in words.
#pragma once
#include <string>

#include "saltus/model/model.h"
#include "saltus/state/state.h"

namespace saltus {

/// "step 3 (t = 0.003 s): the contacts of 'ball' were not solved: ...; use a shorter step, ..." of
/// the report of a failed step, `number` counted from 1: what, where, and what helps.
std::string failure_text(const Model& model, const StepReport& report, std::uint64_t number);

}  // namespace saltus
