// A solver that wraps another one and has its name.
#pragma once
#include <memory>
#include <utility>

#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Name, laws and requirements are those of the inner solver.
class SolverAround : public ContactSolver {
 public:
  explicit SolverAround(std::unique_ptr<ContactSolver> inner) : inner_(std::move(inner)) {}
  std::string_view name() const override { return inner_->name(); }
  bool handles(LawKind kind) const override { return inner_->handles(kind); }
  bool needs_symmetric() const override { return inner_->needs_symmetric(); }

 protected:
  std::unique_ptr<ContactSolver> inner_;
};

}  // namespace saltus
