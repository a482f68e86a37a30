// Explicit Runge-Kutta methods (runge_kutta.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_runge_kutta(const RungeKuttaOptions& options);
}
