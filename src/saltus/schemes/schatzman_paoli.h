// The two-step scheme of Schatzman and Paoli (schatzman_paoli.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_schatzman_paoli(const SchatzmanPaoliOptions& options);
}
