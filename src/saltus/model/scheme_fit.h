// Which schemes can move which bodies: compares traits with needs and refusals.
#pragma once
#include <functional>
#include <string>

#include "saltus/dynamics/scheme.h"

namespace saltus {

/// True if a scheme can move a group with these traits.
bool fits(const Scheme& scheme, unsigned traits);

/// Names of the schemes (with default options) that fit and that `suits` accepts, "a, b, c".
std::string schemes_for(
    unsigned traits,
    const std::function<bool(const Scheme&)>& suits = [](const Scheme&) { return true; });

/// True if the scheme is stable at any step, for damping ratios from 0 to 1.
bool any_step(const Scheme& scheme);

}  // namespace saltus
