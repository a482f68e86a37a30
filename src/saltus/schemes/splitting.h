// Compositions of force-free motion and kicks (splitting.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_splitting(const SplittingOptions& options);
}
