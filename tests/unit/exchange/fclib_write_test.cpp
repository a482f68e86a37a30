// Contact problems written in the FCLIB format.
#include <doctest/doctest.h>
#include <hdf5.h>

#include <random>

#include "saltus/base/error.h"
#include "saltus/exchange/fclib.h"
#include "support/fclib_tree.h"
#include "unit/results/support.h"

using namespace saltus;
using namespace saltus_test;
using io_test::Folder;
using io_test::message;

namespace {

/// Contacts in a chain, with coupling to the next one, and equalities; all numbers are random.
FclibProblem random_problem(int spacedim, bool rolling, int contacts, int equalities,
                            bool symmetric) {
  std::mt19937 random(static_cast<unsigned>(spacedim + 10 * contacts + 100 * equalities));
  const auto draw = [&] { return std::ldexp(static_cast<double>(random()), -32) - 0.5; };
  FclibProblem P;
  P.spacedim = spacedim;
  P.rolling = rolling;
  P.contacts = contacts;
  P.equalities = equalities;
  P.title = "random \xc3\xa9";
  P.math_info = "two\nlines";
  const int m = contacts * spacedim, n = m + equalities;
  for (int c = 0; c < contacts; ++c)
    P.laws.push_back({rolling ? LawKind::rolling : LawKind::coulomb, c * spacedim, spacedim,
                      1.0 + draw(), rolling ? 1.0 + draw() : 0.0});
  for (int k = 0; k < equalities; ++k) P.laws.push_back({LawKind::equality, m + k, 1});
  for (int i = 0; i < n; ++i) P.ids.push_back(i);
  P.b = Vector::NullaryExpr(n, draw);
  std::vector<Entry> W;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const bool near = i >= m || j >= m || std::abs(i / spacedim - j / spacedim) <= 1;
      if (j > i || !near) continue;
      const double value = draw();
      W.push_back({i, j, value});
      // equalities are coupled symmetrically, as the format has it
      if (i != j) W.push_back({j, i, symmetric || i >= m ? value : draw()});
    }
  P.W = std::make_shared<BlockDelassus>(block_matrix(P.laws, W), symmetric);
  return P;
}

void check_same(const FclibProblem& a, const FclibProblem& b) {
  CHECK(a.spacedim == b.spacedim);
  CHECK(a.rolling == b.rolling);
  CHECK(a.contacts == b.contacts);
  CHECK(a.equalities == b.equalities);
  CHECK(a.title == b.title);
  CHECK(a.math_info == b.math_info);
  CHECK(a.b == b.b);
  CHECK(a.ids == b.ids);
  REQUIRE(a.laws.size() == b.laws.size());
  for (std::size_t c = 0; c < a.laws.size(); ++c) {
    CHECK(a.laws[c].kind == b.laws[c].kind);
    CHECK(a.laws[c].first == b.laws[c].first);
    CHECK(a.laws[c].size == b.laws[c].size);
    CHECK(a.laws[c].friction == b.laws[c].friction);
    CHECK(a.laws[c].rolling == b.laws[c].rolling);
  }
  const BlockMatrix &V = *a.W->blocks(), &W = *b.W->blocks();
  CHECK(V.first == W.first);
  CHECK(V.offset == W.offset);
  CHECK(V.column == W.column);
  CHECK(V.value == W.value);
  CHECK(a.W->symmetric() == b.W->symmetric());
}

}  // namespace

TEST_CASE("fclib_what is written comes back bit by bit") {
  const Folder folder;
  int number = 0;
  for (const bool symmetric : {true, false})
    for (const auto& [spacedim, rolling] : {std::pair{2, false}, {3, false}, {5, true}, {3, true}})
      for (const int equalities : {0, 3}) {
        CAPTURE(spacedim);
        CAPTURE(equalities);
        FclibProblem problem = random_problem(spacedim, rolling, 7, equalities, symmetric);
        const std::string path = folder / ("p" + std::to_string(number++) + ".hdf5");
        FclibSolution& solution = problem.solution.emplace();
        solution.r = problem.b.head(7 * spacedim) / 3.0;
        solution.u = problem.b.head(7 * spacedim) / 7.0;
        solution.l = problem.b.tail(equalities) / 11.0;
        write_fclib(path, problem);
        const FclibProblem back = read_fclib(path, FclibRead::solutions);
        check_same(problem, back);
        REQUIRE(back.solution.has_value());
        CHECK(back.solution->r == solution.r);
        CHECK(back.solution->u == solution.u);
        CHECK(back.solution->l == solution.l);
        CHECK(back.guesses.empty());
      }
}

TEST_CASE("fclib_a matrix is written by rows, shuffled and deflated") {
  const Folder folder;
  write_fclib(folder / "p.hdf5", random_problem(3, false, 5, 0, true));
  CHECK_FALSE(io_test::exists(folder / "p.hdf5.part"));
  const hid_t file = H5Fopen((folder / "p.hdf5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(file >= 0);
  std::int32_t nz = 0;
  const hid_t scalar = H5Dopen2(file, "/fclib_local/W/nz", H5P_DEFAULT);
  CHECK(H5Dread(scalar, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, &nz) >= 0);
  CHECK(nz == -2);
  H5Dclose(scalar);
  const hid_t x = H5Dopen2(file, "/fclib_local/W/x", H5P_DEFAULT);
  const hid_t layout = H5Dget_create_plist(x);
  std::vector<int> filters;
  for (int k = 0; k < H5Pget_nfilters(layout); ++k) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    filters.push_back(H5Pget_filter2(layout, static_cast<unsigned>(k), &flags, &values, nullptr, 0,
                                     nullptr, &config));
  }
  CHECK(filters == std::vector<int>{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE});
  CHECK(H5Lexists(file, "/solution", H5P_DEFAULT) == 0);
  H5Pclose(layout);
  H5Dclose(x);
  H5Fclose(file);
}

TEST_CASE("fclib_a condensed problem is a local one from then on") {
  const Folder folder;
  write_tree(folder / "global.hdf5", global_problem());
  const FclibProblem problem = read_fclib(folder / "global.hdf5");
  write_fclib(folder / "local.hdf5", problem);
  const FclibProblem back = read_fclib(folder / "local.hdf5");
  CHECK_FALSE(back.global);
  check_same(problem, back);
}

TEST_CASE("fclib_what the format cannot say is refused and leaves no file") {
  const Folder folder;
  write_tree(folder / "global.hdf5", global_problem(false));
  const FclibProblem unsymmetric = read_fclib(folder / "global.hdf5");
  const std::string path = folder / "p.hdf5";
  CHECK(message<SceneError>([&] {
          write_fclib(path, unsymmetric);
        }).find(path + ": cannot be written") == 0);
  CHECK_FALSE(io_test::exists(path));
  CHECK_FALSE(io_test::exists(path + ".part"));

  FclibProblem mixed = random_problem(3, false, 2, 0, true);
  mixed.laws[1].kind = LawKind::unilateral;
  CHECK_FALSE(message<UsageError>([&] { write_fclib(path, mixed); }).empty());
  CHECK_FALSE(message<SceneError>([&] {
                write_fclib(folder / "no such folder/p.hdf5", random_problem(3, false, 2, 0, true));
              }).empty());
}
