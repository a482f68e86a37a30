// Newmark's method in its nonsmooth form (newmark.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_newmark(const NewmarkOptions& options);
}
