// Central differences (central_difference.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_central_difference(const CentralDifferenceOptions& options);
}
