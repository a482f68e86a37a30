// Nonsmooth generalised-alpha (generalized_alpha.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_generalized_alpha(const GeneralizedAlphaOptions& options);
}
