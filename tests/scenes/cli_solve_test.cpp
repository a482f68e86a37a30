// `saltus solve`: contact problems in files.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "command.h"
#include "saltus/contact/residual.h"
#include "saltus/exchange/fclib.h"
#include "support/fclib_tree.h"

using namespace saltus_test;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A folder with the problem of two contacts, of which one opens when `lifted`.
void put_problem(const Folder& folder, const std::string& name, bool lifted = false) {
  FclibTree tree = two_contacts();
  if (lifted) std::get<Reals>(tree["fclib_local/vectors/q"])[0] = 2.0;
  write_tree(folder / name, tree);
}

}  // namespace

TEST_CASE("solve writes the problem with impulses and velocities that solve it") {
  const Folder folder;
  put_problem(folder, "p.hdf5");
  const Outcome outcome =
      saltus_command(folder, {"solve", "p.hdf5", "-o", "s.hdf5", "--tolerance", "1e-12"});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  for (const char* word :
       {"two contacts", "contacts", "solver          auto", "iterations", "residual",
        "within 1e-12", "by the measure of Siconos", "penetration", "cone", "angle", "duality gap",
        "sliding", "processor time", "written         s.hdf5"})
    CHECK_MESSAGE(holds(outcome.out, word), word);
  CHECK(folder.names() == std::vector<std::string>{"p.hdf5", "s.hdf5"});

  using namespace saltus;
  const FclibProblem problem = read_fclib(folder / "p.hdf5"),
                     solved = read_fclib(folder / "s.hdf5", FclibRead::solutions);
  REQUIRE(solved.solution.has_value());
  const auto view = problem.view();
  CHECK(residual(view, solved.solution->r) <= 1e-12);
  Vector u(6);
  problem.W->apply(solved.solution->r, u);
  u += problem.b;
  CHECK((u - solved.solution->u).cwiseAbs().maxCoeff() <= 1e-15);
  CHECK(solved.title == "two contacts");
  CHECK(solved.W->blocks()->value == problem.W->blocks()->value);
}

TEST_CASE("solve tells as JSON what it measured") {
  const Folder folder;
  put_problem(folder, "p.hdf5", true);
  const Outcome outcome = saltus_command(folder, {"solve", "p.hdf5", "--json"});
  REQUIRE(outcome.code == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["tolerance"] == 1e-8);
  CHECK(json["solved"] == 1);
  CHECK(json["files"].empty());
  const auto& problem = json["problems"][0];
  CHECK(problem["contacts"] == 2);
  CHECK(problem["unknowns"] == 6);
  CHECK(problem["symmetric"] == true);
  CHECK(problem["stored_residual"].is_null());
  REQUIRE(problem["solves"].size() == 1);
  const auto& solve = problem["solves"][0];
  CHECK(solve["converged"] == true);
  CHECK(solve["residual"].get<double>() <= 1e-8);
  CHECK(solve["cpu_time"].get<double>() > 0.0);
  CHECK(solve["repeats"].get<int>() >= 1);
  CHECK(solve["open"] == 1);
  CHECK(solve["open"].get<int>() + solve["sticking"].get<int>() + solve["sliding"].get<int>() == 2);
  CHECK(solve["penetration"].get<double>() <= 1e-7);
}

TEST_CASE("solve that misses the tolerance ends with 1 and keeps what it has") {
  const Folder folder;
  put_problem(folder, "p.hdf5");
  const Outcome outcome =
      saltus_command(folder, {"solve", "p.hdf5", "-o", "s.hdf5", "--solver", "gauss-seidel",
                              "--iterations", "1", "--tolerance", "1e-15"});
  CAPTURE(outcome.out);
  CHECK(outcome.code == 1);
  CHECK(outcome.err == "saltus: not solved to 1e-15: p.hdf5\n");
  CHECK(holds(outcome.out, "NOT CONVERGED to 1e-15"));
  const auto solved = saltus::read_fclib(folder / "s.hdf5", saltus::FclibRead::solutions);
  REQUIRE(solved.solution.has_value());
  CHECK(solved.solution->r.norm() > 0.0);

  // that solution is told, and not used
  const Outcome again = saltus_command(folder, {"solve", "s.hdf5"});
  CHECK(again.code == 0);
  CHECK(holds(again.out, "stored solution residual"));
}

TEST_CASE("solve compares all solvers that handle the problems, with a performance profile") {
  const Folder folder;
  put_problem(folder, "a.hdf5");
  put_problem(folder, "b.hdf5", true);
  const Outcome outcome = saltus_command(
      folder, {"solve", "a.hdf5", "b.hdf5", "--all", "--profile", "t.csv", "--plot", "t.svg"});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.out, "gauss-seidel"));
  CHECK_FALSE(holds(outcome.out, "lemke"));  // has no friction
  CHECK(holds(outcome.out, "2 of 2 problems solved to 1e-08"));
  const std::string csv = folder.read("t.csv");
  CHECK(csv.starts_with("tau,auto,"));
  CHECK(csv.find("\n1,") != std::string::npos);
  CHECK_FALSE(holds(csv, "lemke"));
  const std::string svg = folder.read("t.svg");
  CHECK(svg.starts_with("<?xml"));
  CHECK(holds(svg, "xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  const auto json =
      nlohmann::json::parse(saltus_command(folder, {"solve", "a.hdf5", "--all", "--json"}).out);
  CHECK(json["problems"][0]["solves"].size() >= 2);
}

TEST_CASE("solve refuses with one line and exit code 2 what it cannot do") {
  const Folder folder;
  put_problem(folder, "p.hdf5");
  put_problem(folder, "q.hdf5");
  FclibTree negative = two_contacts();
  negative["fclib_local/vectors/mu"] = Reals{0.3, -0.3};
  write_tree(folder / "negative.hdf5", negative);
  folder.write("text.hdf5", "no problem\n");
  struct Row {
    std::vector<std::string> arguments;
    std::string says;
  };
  const Row table[] = {
      {{"none.hdf5"}, "saltus: none.hdf5: cannot be read: no such file"},
      {{"text.hdf5"}, "saltus: text.hdf5: is not a complete HDF5 file"},
      {{"negative.hdf5"}, "negative.hdf5: /fclib_local/vectors/mu: element 1 is -0.3 (>= 0)"},
      {{"p.hdf5", "negative.hdf5"}, "negative.hdf5: /fclib_local/vectors/mu"},
      {{"p.hdf5", "--solver", "gaus-seidel"}, "there is no solver 'gaus-seidel'"},
      {{"p.hdf5", "--solver", "lemke"}, "solver lemke does not handle this problem; allowed: auto"},
      {{"p.hdf5", "--tolerance", "0"}, "--tolerance"},
      {{"p.hdf5", "--tolerance", "inf"}, "--tolerance"},
      {{"p.hdf5", "--iterations", "0"}, "--iterations"},
      {{"p.hdf5", "-o", "./p.hdf5"}, "-o: './p.hdf5' is the file of the problem itself"},
      {{"p.hdf5", "-o", "s.hdf5", "--plot", "s.hdf5"}, "--plot: 's.hdf5' is also the file of -o"},
      {{"p.hdf5", "-o", "no/s.hdf5"}, "no/s.hdf5"},
      {{"p.hdf5", "q.hdf5", "-o", "s.hdf5"}, "-o: applies to one problem only"},
      {{"p.hdf5", "--all", "-o", "s.hdf5"}, "excludes"},
      {{"p.hdf5", "--all", "--solver", "auto"}, "excludes"},
      {{}, "problem"},
  };
  const std::vector<std::string> before = folder.names();
  for (const Row& row : table) {
    std::vector<std::string> arguments{"solve"};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    const Outcome outcome = saltus_command(folder, arguments);
    CAPTURE(outcome.err);
    CAPTURE(row.says);
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
    CHECK(holds(outcome.err, row.says));
    CHECK(outcome.out.empty());
    CHECK(folder.names() == before);
  }
}

TEST_CASE("solve --help names every option") {
  const Folder folder;
  const Outcome outcome = saltus_command(folder, {"solve", "--help"});
  CHECK(outcome.code == 0);
  for (const char* word : {"--output", "--solver", "--tolerance", "--iterations", "--all",
                           "--profile", "--plot", "--json"})
    CHECK_MESSAGE(holds(outcome.out, word), word);
}
