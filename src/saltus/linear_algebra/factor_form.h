// Refills a Factor: its contents are reused if they have the requested form.
#pragma once
#include <memory>
#include <utility>

#include "saltus/linear_algebra/factor.h"

namespace saltus {

/// 1/A_jj of a diagonal A.
inline Vector& diagonal_in(Factor& A) {
  if (!std::holds_alternative<Diagonal>(A.form)) A.form = Diagonal{};
  return std::get<Diagonal>(A.form).inverse;
}

/// The operator of A if it has this class and keep(operator) is true, else a new one constructed
/// from the arguments.
template <class Kind, class Keep, class... Arguments>
Kind& operator_in_if(Factor& A, const Keep& keep, Arguments&&... arguments) {
  auto* some = std::get_if<std::unique_ptr<Operator>>(&A.form);
  if (auto* kind = some ? dynamic_cast<Kind*>(some->get()) : nullptr; kind && keep(*kind))
    return *kind;
  auto made = std::make_unique<Kind>(std::forward<Arguments>(arguments)...);
  Kind& kind = *made;
  A.form = std::move(made);
  return kind;
}
template <class Kind, class... Arguments>
Kind& operator_in(Factor& A, Arguments&&... arguments) {
  return operator_in_if<Kind>(
      A, [](const Kind&) { return true; }, std::forward<Arguments>(arguments)...);
}

}  // namespace saltus
