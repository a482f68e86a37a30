// Backward Euler and the implicit midpoint rule (euler_implicit.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_euler_implicit(const EulerImplicitOptions& options);
}
