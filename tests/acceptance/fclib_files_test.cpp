// Published contact problems in the FCLIB format, read in place.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "../support/skip.h"
#include "saltus/contact/residual.h"
#include "saltus/exchange/fclib.h"

using namespace saltus;

namespace {

std::filesystem::path published(const std::string& folder) {
  return std::filesystem::path(SALTUS_SHARED) / "data" / "fclib" / folder;
}

std::vector<std::string> files(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(published(folder)))
    if (entry.path().extension() == ".hdf5") found.push_back(entry.path().string());
  std::ranges::sort(found);
  return found;
}

}  // namespace

TEST_CASE("published local problems are read, and the solutions beside them solve them") {
  if (!std::filesystem::exists(published("local"))) SALTUS_SKIP("no problems (data/fclib/local)");
  int plane = 0, space = 0;
  for (const std::string& file : files("local")) {
    CAPTURE(file);
    const FclibProblem problem = read_fclib(file, FclibRead::solutions);
    CHECK(problem.notes.empty());
    ++(problem.spacedim == 2 ? plane : space);
    if (problem.spacedim == 2) continue;  // published without solutions
    REQUIRE(problem.solution.has_value());
    const auto view = problem.view();
    CHECK(residual(view, problem.solution->r) <= 1e-10);
    Vector u(problem.rows());
    problem.W->apply(problem.solution->r, u);
    u += problem.b;
    CHECK((u - problem.solution->u).norm() <= 1e-12 * problem.b.norm());
  }
  CHECK(plane == 7);
  CHECK(space == 24);
}

TEST_CASE("published problems survive a round trip bit by bit") {
  if (!std::filesystem::exists(published("local"))) SALTUS_SKIP("no problems (data/fclib/local)");
  const std::string copy =
      (std::filesystem::temp_directory_path() / fmt::format("saltus_fclib_{}.hdf5", ::getpid()))
          .string();
  for (const char* folder : {"local", "original"})
    for (const std::string& file : files(folder)) {
      CAPTURE(file);
      const FclibProblem problem = read_fclib(file, FclibRead::solutions);
      write_fclib(copy, problem);
      const FclibProblem back = read_fclib(copy, FclibRead::solutions);
      CHECK(back.b == problem.b);
      CHECK(back.W->blocks()->column == problem.W->blocks()->column);
      CHECK(back.W->blocks()->value == problem.W->blocks()->value);
      CHECK(back.W->symmetric() == problem.W->symmetric());
      CHECK(back.title == problem.title);
      REQUIRE(back.solution.has_value() == problem.solution.has_value());
      if (back.solution) CHECK(back.solution->r == problem.solution->r);
    }
  std::filesystem::remove(copy);
}

TEST_CASE("published global problems are condensed as their publishers condensed them") {
  if (!std::filesystem::exists(published("original")))
    SALTUS_SKIP("no problems (data/fclib/original)");
  // The others hold one triangle of M: condensed without the other triangle, they became other problems.
  for (const char* name :
       {"Box_Stacks-i0122-82-5.hdf5", "spheres-in-a-box-98-i10000-256-10.hdf5"}) {
    CAPTURE(name);
    const FclibProblem here = read_fclib((published("original") / name).string()),
                       there = read_fclib((published("local") / name).string());
    REQUIRE(here.rows() == there.rows());
    CHECK(here.W->symmetric());
    CHECK((here.b - there.b).norm() <= 1e-14 * there.b.norm());
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < here.rows(); ++i)
      for (int j = 0; j < here.rows(); ++j) {
        largest = std::max(largest, std::abs(there.W->entry(i, j)));
        difference = std::max(difference, std::abs(here.W->entry(i, j) - there.W->entry(i, j)));
      }
    CHECK(difference <= 1e-13 * largest);
  }
  for (const char* name : {"CubeH8.hdf5", "LMGC_GlobalFrictionContactProblem00046.hdf5"}) {
    const FclibProblem half = read_fclib((published("original") / name).string());
    CHECK(half.notes.size() == 1);
    CHECK(half.W->symmetric());
  }
  const FclibProblem chute =
      read_fclib((published("original") / "Chute-ndof-768-nc-4-3.hdf5").string());
  CHECK(chute.rolling);
  CHECK(chute.contacts == 4);
  CHECK(chute.laws[3].size == 5);
  CHECK(chute.laws[3].rolling == 0.1);
}
