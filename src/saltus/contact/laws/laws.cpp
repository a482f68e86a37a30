#include "saltus/contact/laws/laws.h"

namespace saltus {
namespace {

template <class... Options>
std::string laws_of(const std::variant<Options...>&,
                    const std::function<bool(const ContactLaw&)>& fits) {
  std::string names;
  const auto add = [&](const ContactLaw& law) {
    if (fits(law)) names += (names.empty() ? "" : ", ") + std::string(law.name());
  };
  (add(*Options{}.law({})), ...);
  return names;
}

}  // namespace

std::string laws_that(const std::function<bool(const ContactLaw&)>& fits) {
  return laws_of(LawChoice{}, fits);
}

}  // namespace saltus
