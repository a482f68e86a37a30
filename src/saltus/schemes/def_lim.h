// Solfec's linearly implicit leap-frog for deformable bodies (def_lim.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_def_lim(const DefLimOptions& options);
}
