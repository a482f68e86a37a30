// The discrete gradient scheme (discrete_gradient.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_discrete_gradient(const DiscreteGradientOptions& options);
}
