// The rotation schemes of Solfec (rigid_leapfrog.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_rig_pos(const RigPosOptions& options);
std::unique_ptr<Scheme> make_rig_neg(const RigNegOptions& options);
std::unique_ptr<Scheme> make_rig_imp(const RigImpOptions& options);
}  // namespace saltus
