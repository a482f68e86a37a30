// Warning of `check` and `run` about the effect of a scheme on the pitch of a sounding body.
#pragma once
#include <optional>
#include <string>

#include "saltus/dynamics/scheme.h"

namespace saltus {

/// Frequencies [rad/s] of modes of `modes` without contact, as integrated by the scheme with steps
/// of h [s]; 0 if it gives no oscillation.
Vector frequencies_of(const ModalData& modes, const Scheme& scheme, double h);

/// Reports if one of the twenty lowest audible and weakly damped modes (damping ratio below 1/20)
/// is more than 3 cents flat or sharp at this step.
std::optional<std::string> detune_advice(const ModalData& modes, const Scheme& scheme, double h,
                                         const std::string& body);

}  // namespace saltus
