// Decoupled nonsmooth generalised-alpha (generalized_alpha_decoupled.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_generalized_alpha_decoupled(
    const GeneralizedAlphaDecoupledOptions& options);
}
