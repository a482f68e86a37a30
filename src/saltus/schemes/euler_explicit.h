// Explicit Euler, symplectic or standard (euler_explicit.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_euler_explicit(const EulerExplicitOptions& options);
}
