// Contact problems read from the FCLIB format.
#include <doctest/doctest.h>
#include <hdf5.h>

#include "saltus/contact/residual.h"
#include "saltus/exchange/fclib.h"
#include "support/dense.h"
#include "support/fclib_tree.h"
#include "unit/results/support.h"

using namespace saltus;
using namespace saltus_test;
using io_test::Folder;

namespace {

FclibProblem read(const FclibTree& tree, FclibRead what = FclibRead::problem) {
  const Folder folder;
  write_tree(folder / "p.hdf5", tree);
  return read_fclib(folder / "p.hdf5", what);
}

Matrix dense(const FclibProblem& problem) {
  Matrix W(problem.rows(), problem.rows());
  for (int i = 0; i < problem.rows(); ++i)
    for (int j = 0; j < problem.rows(); ++j) W(i, j) = problem.W->entry(i, j);
  return W;
}

const Reals kUnsymmetric{2.0, 0.1, 0.0, 0.0,  //
                         0.2, 3.0, 0.0, 0.5,  //
                         0.0, 0.0, 4.0, 0.0,  //
                         0.0, 0.7, 0.0, 5.0};

/// Two contacts in the plane with the W above, by rows.
FclibTree plane_problem() {
  FclibTree tree;
  tree["fclib_local/spacedim"] = Integers{2};
  put_rows(tree, "fclib_local/W", 4, 4, kUnsymmetric);
  tree["fclib_local/vectors/q"] = Reals{-1.0, 0.5, -2.0, 0.25};
  tree["fclib_local/vectors/mu"] = Reals{0.5, 0.0};
  return tree;
}

Matrix expected() {
  return Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(kUnsymmetric.data());
}

}  // namespace

TEST_CASE("fclib_a local problem has the laws, the rows and the texts of its file") {
  const FclibProblem problem = read(two_contacts());
  CHECK(problem.spacedim == 3);
  CHECK(problem.contacts == 2);
  CHECK(problem.equalities == 0);
  CHECK_FALSE(problem.global);
  CHECK(problem.title == "two contacts");
  CHECK(problem.description == "one body that falls and slides");
  REQUIRE(problem.laws.size() == 2);
  for (const Law& law : problem.laws) {
    CHECK(law.kind == LawKind::coulomb);
    CHECK(law.size == 3);
    CHECK(law.friction == 0.3);
  }
  CHECK(problem.laws[1].first == 3);
  CHECK(problem.ids == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(problem.W->symmetric());
  CHECK(problem.W->entry(0, 2) == 0.25);
  CHECK(problem.b[4] == 0.3);
  REQUIRE(problem.W->blocks() != nullptr);
  CHECK(problem.W->blocks()->contacts() == 2);
  const auto view = problem.view();
  CHECK(residual(view, Vector::Zero(6)) > 0.1);
}

TEST_CASE("fclib_one matrix comes from triplets, from columns and from rows") {
  FclibTree tree = plane_problem();
  CHECK(dense(read(tree)) == expected());

  // by columns: the rows of the transposed matrix
  Reals transposed(16);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) transposed[4 * j + i] = kUnsymmetric[4 * i + j];
  put_rows(tree, "fclib_local/W", 4, 4, transposed);
  tree["fclib_local/W/nz"] = Integers{-1};
  CHECK(dense(read(tree)) == expected());

  put_triplets(tree, "fclib_local/W", 4, 4, kUnsymmetric);
  CHECK(dense(read(tree)) == expected());
  CHECK_FALSE(read(tree).W->symmetric());

  // room for more triplets than there are, one place in two parts
  auto& nz = std::get<Integers>(tree["fclib_local/W/nz"]);
  std::get<Integers>(tree["fclib_local/W/i"])
      .insert(std::get<Integers>(tree["fclib_local/W/i"]).end(), {2, 77});
  std::get<Integers>(tree["fclib_local/W/p"])
      .insert(std::get<Integers>(tree["fclib_local/W/p"]).end(), {2, -5});
  std::get<Reals>(tree["fclib_local/W/x"])
      .insert(std::get<Reals>(tree["fclib_local/W/x"]).end(), {0.125, 9.0});
  nz[0] += 1;
  tree["fclib_local/W/nzmax"] = Integers{nz[0] + 1};
  Matrix sum = expected();
  sum(2, 2) += 0.125;
  CHECK(dense(read(tree)) == sum);
}

TEST_CASE("fclib_rows in p or in i: the shape of H decides for all triplets of a file") {
  FclibTree tree = global_problem(false);
  const FclibProblem by_i = read(tree);
  const Reals M{2.0, 0.5,   0.0, 0.0,  //
                0.5, 3.0,   0.0, 0.1,  //
                0.0, 0.0,   1.0, 0.0,  //
                0.0, 0.125, 0.0, 4.0};
  put_triplets(tree, "fclib_global/M", 4, 4, M, true);
  put_triplets(tree, "fclib_global/G", 4, 1, {0.0, 1.0, 0.0, -1.0}, true);
  put_triplets(tree, "fclib_global/H", 4, 3,
               {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, -0.5, 0.0, 1.0, 0.0, 0.0, 2.0}, true);
  const FclibProblem by_p = read(tree);
  CHECK(dense(by_p) == dense(by_i));
  CHECK_FALSE(by_p.W->symmetric());

  // H of 4 x 3 with entries in the upper 3 x 3 only: its indices allow both, but a column of it is never empty
  tree = global_problem(false, false);
  const Reals H{1.0, 0.5, 0.25, 0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  put_triplets(tree, "fclib_global/H", 4, 3, H);
  const Matrix W = dense(read(tree));
  put_triplets(tree, "fclib_global/M", 4, 4, M, true);
  put_triplets(tree, "fclib_global/H", 4, 3, H, true);
  CHECK(dense(read(tree)) == W);
}

TEST_CASE("fclib_a global problem is condensed to W = H^T M^-1 H and b = H^T M^-1 f + w") {
  for (const bool symmetric : {true, false}) {
    CAPTURE(symmetric);
    const FclibProblem problem = read(global_problem(symmetric));
    CHECK(problem.global);
    CHECK(problem.contacts == 1);
    REQUIRE(problem.equalities == 1);
    REQUIRE(problem.laws.size() == 2);
    CHECK(problem.laws[1].kind == LawKind::equality);
    CHECK(problem.laws[1].first == 3);
    CHECK(problem.laws[1].size == 1);
    Matrix M(4, 4), H(4, 4);  // H and G side by side
    M << 2.0, 0.5, 0.0, 0.0, 0.5, 3.0, 0.0, 0.1, 0.0, 0.0, 1.0, 0.0, 0.0, symmetric ? 0.1 : 0.125,
        0.0, 4.0;
    H << 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, -0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, -1.0;
    const Vector f{{-1.0, 0.5, 0.25, 0.0}}, w{{-0.5, 0.0, 0.125, 0.75}};
    const Matrix W = H.transpose() * test::inverse_of(M) * H;
    const Vector b = H.transpose() * test::inverse_of(M) * f + w;
    CHECK((dense(problem) - W).cwiseAbs().maxCoeff() <= 1e-15 * 4.0);
    CHECK((problem.b - b).cwiseAbs().maxCoeff() <= 1e-15 * 4.0);
    CHECK(problem.W->symmetric() == symmetric);
    if (symmetric) CHECK(dense(problem) == dense(problem).transpose());
  }
}

TEST_CASE("fclib_a mass of which the file holds one triangle is symmetric") {
  FclibTree tree = global_problem();
  const Matrix W = dense(read(tree));
  CHECK(read(tree).notes.empty());
  put_triplets(tree, "fclib_global/M", 4, 4,
               {2.0, 0.5, 0.0, 0.0, 0.0, 3.0, 0.0, 0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 4.0});
  const FclibProblem half = read(tree);
  CHECK(dense(half) == W);
  REQUIRE(half.notes.size() == 1);
  CHECK(half.notes[0].find("/fclib_global/M") == 0);
}

TEST_CASE("fclib_equalities of a local problem are rows after the contacts") {
  FclibTree tree = two_contacts();
  put_rows(tree, "fclib_local/V", 6, 2,
           {0.1, 0.0, 0.0, 0.0, 0.0, 0.2, 0.3, 0.0, 0.0, 0.0, 0.0, 0.4});
  put_rows(tree, "fclib_local/R", 2, 2, {1.0, 0.25, 0.25, 2.0});
  tree["fclib_local/vectors/s"] = Reals{0.5, -0.5};
  const FclibProblem problem = read(tree);
  REQUIRE(problem.rows() == 8);
  CHECK(problem.equalities == 2);
  CHECK(problem.laws[2].kind == LawKind::equality);
  CHECK(problem.laws[3].first == 7);
  CHECK(problem.W->entry(3, 6) == 0.3);
  CHECK(problem.W->entry(6, 3) == 0.3);
  CHECK(problem.W->entry(7, 6) == 0.25);
  CHECK(problem.b[7] == -0.5);
  CHECK(problem.W->symmetric());
}

TEST_CASE("fclib_rolling contacts have five rows in space and three in the plane") {
  for (const int size : {5, 3}) {
    FclibTree tree;
    Reals W(static_cast<std::size_t>(size * size));
    for (int i = 0; i < size; ++i) W[static_cast<std::size_t>(i * size + i)] = 1.0 + i;
    tree["fclib_local_rolling/spacedim"] = Integers{size};
    put_rows(tree, "fclib_local_rolling/W", size, size, W);
    tree["fclib_local_rolling/vectors/q"] = Reals(static_cast<std::size_t>(size), -1.0);
    tree["fclib_local_rolling/vectors/mu"] = Reals{0.5};
    tree["fclib_local_rolling/vectors/mu_r"] = Reals{0.01};
    const FclibProblem problem = read(tree);
    CHECK(problem.rolling);
    REQUIRE(problem.laws.size() == 1);
    CHECK(problem.laws[0].kind == LawKind::rolling);
    CHECK(problem.laws[0].size == size);
    CHECK(problem.laws[0].friction == 0.5);
    CHECK(problem.laws[0].rolling == 0.01);
  }
}

TEST_CASE("fclib_W counts as symmetric up to 1e-12 of its largest entry") {
  for (const auto& [change, symmetric] : {std::pair{1e-13, true}, {1e-10, false}}) {
    FclibTree tree = two_contacts();
    std::get<Reals>(tree["fclib_local/W/x"])[1] += change;
    CHECK(read(tree).W->symmetric() == symmetric);
  }
}

TEST_CASE("fclib_solutions and guesses are read when they are asked for") {
  FclibTree tree = two_contacts();
  tree["solution/r"] = Reals{1.0, 0.0, 0.0, 2.0, 0.0, 0.0};
  tree["solution/u"] = Reals{0.0, 0.1, 0.0, 0.0, 0.2, 0.0};
  tree["guesses/number_of_guesses"] = Integers{2};
  tree["guesses/1/r"] = Reals(6, 0.5);
  tree["guesses/2/r"] = Reals(6, 0.25);
  CHECK_FALSE(read(tree).solution.has_value());
  const FclibProblem problem = read(tree, FclibRead::solutions);
  REQUIRE(problem.solution.has_value());
  CHECK(problem.solution->r[3] == 2.0);
  CHECK(problem.solution->u[4] == 0.2);
  CHECK(problem.solution->l.size() == 0);
  REQUIRE(problem.guesses.size() == 2);
  CHECK(problem.guesses[1].r[0] == 0.25);
}

TEST_CASE("fclib_a solution that was declared and never written is zero") {
  const Folder folder;
  write_tree(folder / "p.hdf5", two_contacts());
  const hid_t file = H5Fopen((folder / "p.hdf5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t group = H5Gcreate2(file, "solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t six = 6;
  const hid_t space = H5Screate_simple(1, &six, nullptr);
  H5Dclose(H5Dcreate2(group, "r", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  H5Gclose(group);
  H5Fclose(file);
  const FclibProblem problem = read_fclib(folder / "p.hdf5", FclibRead::solutions);
  REQUIRE(problem.solution.has_value());
  CHECK(problem.solution->r == Vector::Zero(6));
}

TEST_CASE("fclib_wide integers and short reals are read, texts in any alphabet too") {
  const Folder folder;
  FclibTree tree = two_contacts();
  tree.erase("fclib_local/spacedim");
  tree.erase("fclib_local/vectors/mu");
  tree.erase("fclib_local/info/title");
  write_tree(folder / "p.hdf5", tree);
  const hid_t file = H5Fopen((folder / "p.hdf5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const auto add = [&](const char* name, hid_t stored, hid_t type, hsize_t count,
                       const void* data) {
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t set = H5Dcreate2(file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
  };
  const std::int64_t three = 3;
  const float mu[]{0.25F, 0.5F};
  const hid_t latin = H5Tcopy(H5T_C_S1);
  H5Tset_size(latin, 4);
  add("fclib_local/spacedim", H5T_STD_I64BE, H5T_NATIVE_INT64, 1, &three);
  add("fclib_local/vectors/mu", H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, 2, mu);
  add("fclib_local/info/title", latin, latin, 1, "caf\xe9");
  H5Tclose(latin);
  H5Fclose(file);
  const FclibProblem problem = read_fclib(folder / "p.hdf5");
  CHECK(problem.spacedim == 3);
  CHECK(problem.laws[1].friction == 0.5);
  CHECK(problem.title == "caf\xe9");
}
