// What stands in a registry is documented, cited and checked.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "../tables/scheme_orders.h"
#include "saltus/schemes/registry.h"
#include "saltus/solvers/registry.h"

using namespace saltus;

namespace {

const std::filesystem::path kRoot = std::filesystem::path(SALTUS_TEST_DATA).parent_path();

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  REQUIRE_MESSAGE(in.good(), file.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void cited(const std::string& bib, std::string_view keys) {
  std::istringstream words{std::string(keys)};
  int count = 0;
  for (std::string key; words >> key; ++count) {
    CAPTURE(key);
    CHECK(bib.find("{" + key + ",") != std::string::npos);
  }
  CHECK(count > 0);
}

}  // namespace

TEST_CASE(
    "every scheme of the registry has a theory page, a cited source and an order that the tests "
    "know") {
  const std::string bib = text_of(kRoot / "docs" / "references.bib");
  std::set<std::string_view> names, known;
  for (const test::OrderRow& row : test::scheme_orders())
    known.insert(make_scheme(row.scheme)->name());
  for (const SchemeRow& row : schemes()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(row.make_default()->name() == row.name);
    CHECK(known.count(row.name) == 1);
    CHECK(!row.summary.empty());
    CHECK(text_of(kRoot / "docs" / "theory" / (std::string(row.name) + ".md")).size() > 1000);
    cited(bib, row.reference);
  }
}

TEST_CASE("every contact solver of the registry answers to its name and cites its source") {
  const std::string bib = text_of(kRoot / "docs" / "references.bib");
  std::set<std::string_view> names;
  for (const SolverRow& row : solvers()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(row.make()->name() == row.name);
    CHECK(!row.summary.empty());
    cited(bib, row.reference);
  }
}
