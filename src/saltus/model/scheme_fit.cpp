#include "saltus/model/scheme_fit.h"

#include <cmath>

#include "saltus/schemes/registry.h"

namespace saltus {

bool fits(const Scheme& scheme, unsigned traits) {
  return (scheme.needs() & ~traits) == 0 && (scheme.refuses() & traits) == 0;
}

std::string schemes_for(unsigned traits, const std::function<bool(const Scheme&)>& suits) {
  std::string names;
  for (const SchemeRow& row : schemes()) {
    const std::unique_ptr<Scheme> scheme = row.make_default();
    if (fits(*scheme, traits) && suits(*scheme))
      names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names;
}

bool any_step(const Scheme& scheme) {
  for (double xi : {0.0, 0.01, 0.1, 1.0})
    if (!std::isinf(scheme.stability_limit(xi))) return false;
  return true;
}

}  // namespace saltus
