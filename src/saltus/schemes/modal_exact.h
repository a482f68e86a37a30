// The exact modal scheme (modal_exact.cpp).
#pragma once
#include <memory>

#include "saltus/dynamics/scheme.h"
#include "saltus/schemes/options.h"

namespace saltus {
std::unique_ptr<Scheme> make_modal_exact(const ModalExactOptions& options);
}
