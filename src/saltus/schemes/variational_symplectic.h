// The variational symplectic integrators (variational_symplectic.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_variational_symplectic(const VariationalSymplecticOptions& options);
}
