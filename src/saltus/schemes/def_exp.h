// Solfec's explicit leap-frog for deformable bodies (def_exp.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_def_exp(const DefExpOptions& options);
}
