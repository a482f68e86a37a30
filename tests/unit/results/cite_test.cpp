// Every work that a registry names can be cited.
#include "saltus/results/cite.h"

#include <doctest/doctest.h>

#include <sstream>

#include "saltus/base/error.h"
#include "saltus/contact/laws/laws.h"
#include "saltus/schemes/registry.h"
#include "saltus/solvers/registry.h"

using namespace saltus;

namespace {

void check_keys(std::string_view list) {
  CHECK(!list.empty());
  std::istringstream words{std::string(list)};
  for (std::string key; words >> key;) {
    const std::string text = bibtex(std::array{key});
    CHECK_MESSAGE(text.find("{" + key + ",") != std::string::npos, key);
    CHECK_MESSAGE(text.ends_with("}\n"), key);
  }
}

template <typename... Laws>
void check_laws(const std::variant<Laws...>*) {
  (check_keys(Laws::reference), ...);
}

}  // namespace

TEST_CASE("the works named by schemes, solvers and laws are in the bibliography") {
  for (const SchemeRow& row : schemes()) check_keys(row.reference);
  for (const SolverRow& row : solvers()) check_keys(row.reference);
  check_laws(static_cast<const LawChoice*>(nullptr));
}

TEST_CASE("a key that is in no bibliography is an error, not an empty entry") {
  CHECK_THROWS_AS(bibtex(std::array<std::string, 1>{"Nobody1900"}), UsageError);
  CHECK_THROWS_AS(bibtex(std::array<std::string, 1>{"Bilbao"}), UsageError);
}
