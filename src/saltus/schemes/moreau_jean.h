// The theta scheme of Moreau and Jean (moreau_jean.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_moreau_jean(const MoreauJeanOptions& options);
}
