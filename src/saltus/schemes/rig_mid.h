// The implicit midpoint rule of rigid bodies (rig_mid.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_rig_mid(const RigMidOptions& options);
}
