#include "saltus/bodies/free_dofs.h"

#include <fmt/format.h>

#include <cmath>

#include "saltus/base/error.h"

namespace saltus {

void add_loads(std::span<const Load> loads, double t, Vector& out) {
  for (const Load& load : loads) {
    const double value = load.signal.value(t);
    for (const auto& [dof, weight] : load.pattern) out[dof] += weight * value;
  }
}

int add_account(std::vector<Source>& sources, bool there, const char* name, bool potential) {
  if (!there) return -1;
  sources.push_back({name, potential});
  return static_cast<int>(sources.size()) - 1;
}

FreeDofs::FreeDofs(int count, std::span<const Prescribed> prescribed, std::span<const Load> loads,
                   DofWords words, int axes)
    : component_(static_cast<std::size_t>(count), 0),
      held_(prescribed.begin(), prescribed.end()),
      words_(std::move(words)) {
  if (axes < 3)
    for (int dof = 0; dof < count; ++dof)
      if (dof % 3 >= axes) component_[static_cast<std::size_t>(dof)] = kNone;
  const auto expect_there = [&](int dof, const char* what) {
    if (dof < 0 || dof >= count || !there(dof)) [[unlikely]]
      refuse(dof, what);
  };
  for (const Load& load : loads)
    for (const auto& [dof, weight] : load.pattern) {
      expect_there(dof, "a load acts on the nonexistent ");
      expects(std::isfinite(weight), words_.body + "weights of loads must be finite");
    }
  for (int j = 0; j < this->prescribed(); ++j) {
    const Prescribed& p = held_[static_cast<std::size_t>(j)];
    expect_there(p.dof, "motion is prescribed for the nonexistent ");
    if (held(p.dof) >= 0) [[unlikely]]
      expects(false, fmt::format("{}{} is prescribed twice", words_.body, words_.name(p.dof)));
    component_[static_cast<std::size_t>(p.dof)] = ~j;
    moving_ = moving_ || !p.signal.is_constant();
  }
  for (int dof = 0; dof < count; ++dof)
    if (component_[static_cast<std::size_t>(dof)] == 0) {
      component_[static_cast<std::size_t>(dof)] = free();
      dofs_.push_back(dof);
    }
  expects(free() > 0, words_.body + "at least one degree of freedom must be free");
}

int FreeDofs::component(int dof) const {
  if (dof < 0 || dof >= all()) [[unlikely]]
    refuse(dof, "there is no ");
  return (*this)[dof];
}

void FreeDofs::refuse(int dof, const char* what) const {
  expects(false,
          fmt::format("{}{}degree of freedom {} ({})", words_.body, what, dof, words_.range));
}

}  // namespace saltus
