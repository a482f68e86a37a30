#include "saltus/event_driven/work_terms.h"

#include <algorithm>

namespace saltus {

int work_term(const Model& model, std::string_view name) {
  const auto accounts = model.accounts();
  const auto found = std::find(accounts.begin(), accounts.end(), name);
  return found == accounts.end() ? -1 : static_cast<int>(found - accounts.begin());
}

WorkTerms::WorkTerms(const Model& model)
    : impact(static_cast<int>(model.accounts().size()) - 3),
      scheme(impact + 1),
      friction(work_term(model, "friction")),
      prescribed(work_term(model, "prescribed")),
      damping(work_term(model, "damping")),
      joints(work_term(model, "joints")),
      actuators(work_term(model, "actuators")) {
  if (friction < 0) friction = impact;
  if (prescribed < 0) prescribed = impact;
}

}  // namespace saltus
