#include "saltus/linear_algebra/block_ldlt.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "saltus/math/dense.h"
#include "support/dense.h"

using namespace saltus;
namespace {

constexpr int kWorld = -1;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Joints between bodies of `dofs` velocities and unit mass: S = G G^T, a node a joint.
struct Mechanism {
  struct Joint {
    int a, b;       ///< bodies, or kWorld
    Matrix Ga, Gb;  ///< rows x dofs
    int rows() const { return static_cast<int>(Ga.rows()); }
    const Matrix* on(int body) const {
      return body == kWorld ? nullptr : body == a ? &Ga : body == b ? &Gb : nullptr;
    }
  };
  std::vector<Joint> joints;
  std::mt19937 random;

  explicit Mechanism(unsigned seed = 1) : random(seed) {}
  double number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random); }
  int one_of(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); }
  void add(int a, int b, int rows, int dofs = 6) {
    const auto block = [&] {
      return Matrix(Matrix::NullaryExpr(rows, dofs, [&] { return number(); }));
    };
    const Matrix Ga = block();
    joints.push_back({a, b, Ga, block()});
  }
};

/// The chain, a tree in which a body bears at most two, and the chain with loops closed at random.
Mechanism chain(int n, int most, unsigned seed) {
  Mechanism m(seed);
  for (int i = 0; i < n; ++i) m.add(i - 1, i, 1 + m.one_of(most));
  return m;
}
Mechanism tree(int n, int most, unsigned seed) {
  Mechanism m(seed);
  for (int i = 0; i < n; ++i) m.add((i + 1) / 2 - 1, i, 1 + m.one_of(most));
  return m;
}
Mechanism wild_tree(int n, int most, unsigned seed) {
  Mechanism m(seed);
  for (int i = 0; i < n; ++i) m.add(m.one_of(i + 1) - 1, i, 1 + m.one_of(most));
  return m;
}
Mechanism loops(int n, int most, unsigned seed) {
  Mechanism m = chain(n, most, seed);
  for (int k = 0; k < n / 5; ++k) {
    const int a = m.one_of(n), b = m.one_of(n);
    if (a != b) m.add(a, b, 1);
  }
  return m;
}

/// Blocks of S as BlockLdlt wants them.
struct Blocks {
  std::vector<int> size, first{0}, offset{0}, column;
  std::vector<std::size_t> start;
  std::vector<double> value;

  explicit Blocks(const Mechanism& m) {
    const auto& joints = m.joints;
    std::vector<std::vector<int>> on;
    for (int i = 0; i < static_cast<int>(joints.size()); ++i)
      for (const int body : {joints[at(i)].a, joints[at(i)].b})
        if (body != kWorld) {
          if (body >= static_cast<int>(on.size())) on.resize(at(body) + 1);
          on[at(body)].push_back(i);
        }
    for (const auto& joint : joints) {
      std::vector<int> near;
      for (const int body : {joint.a, joint.b})
        if (body != kWorld) near.insert(near.end(), on[at(body)].begin(), on[at(body)].end());
      std::sort(near.begin(), near.end());
      near.erase(std::unique(near.begin(), near.end()), near.end());
      for (const int j : near) {
        const auto& other = joints[at(j)];
        Matrix S = Matrix::Zero(joint.rows(), other.rows());
        for (const int body : {joint.a, joint.b})
          if (joint.on(body) && other.on(body)) S += *joint.on(body) * other.on(body)->transpose();
        column.push_back(j);
        start.push_back(value.size());
        for (int a = 0; a < S.rows(); ++a)
          for (int b = 0; b < S.cols(); ++b) value.push_back(S(a, b));
      }
      offset.push_back(static_cast<int>(column.size()));
      size.push_back(joint.rows());
      first.push_back(first.back() + joint.rows());
    }
  }
  int rows() const { return first.back(); }
  BlockLdlt::Blocks of(const BlockPattern& pattern) const {
    return {pattern, size.data(), value.data(), start.data()};
  }
  BlockGraph graph() const {
    return {static_cast<int>(size.size()), offset.data(), column.data(), 0};
  }
  Matrix dense() const {
    Matrix S = Matrix::Zero(rows(), rows());
    for (int i = 0; i < graph().n; ++i)
      for (int k = offset[at(i)]; k < offset[at(i) + 1]; ++k) {
        const int j = column[at(k)];
        for (int a = 0; a < size[at(i)]; ++a)
          for (int b = 0; b < size[at(j)]; ++b)
            S(first[at(i)] + a, first[at(j)] + b) =
                value[start[at(k)] + at(a) * at(size[at(j)]) + at(b)];
      }
    return S;
  }
};

struct Factored {
  Blocks blocks;
  BlockPattern pattern;
  BlockLdlt ldlt;
  bool finite;

  explicit Factored(const Mechanism& m, const Vector& weight = {}, double threshold = 1e-11)
      : blocks(m) {
    pattern.analyse(blocks.graph());
    finite = again(weight.size() ? weight : Vector::Ones(blocks.rows()), threshold);
  }
  /// Other numbers of the same graph, by the choice that was made.
  bool near(const Mechanism& m, const Vector& weight) {
    blocks = Blocks(m);
    return ldlt.factorise_again(blocks.of(pattern), weight);
  }
  bool again(const Vector& weight, double threshold = 1e-11) {
    return ldlt.factorise(blocks.of(pattern), weight, threshold);
  }
  Vector solve(const Vector& b) const {
    Vector x = b;
    ldlt.solve(x);
    return x;
  }
};

Vector random_vector(int n, unsigned seed, double low = -1.0, double high = 1.0) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(low, high);
  return Vector::NullaryExpr(n, [&] { return number(random); });
}

/// The x with S x = b that has the least sum of w_i x_i^2, from the eigenvectors of W^-1/2 S W^-1/2.
Vector least(const Matrix& S, const Vector& b, const Vector& w) {
  const Vector scale = w.cwiseSqrt().cwiseInverse();
  const SymmetricPairs eigen = symmetric_pairs(scale.asDiagonal() * S * scale.asDiagonal());
  const Vector& d = eigen.values;
  const Vector inverse =
      (d.array() > 1e-10 * d.maxCoeff()).select(d.cwiseInverse(), Vector::Zero(d.size()));
  const Matrix& Q = eigen.vectors;
  return scale.asDiagonal() *
         (Q * (inverse.asDiagonal() * (Q.transpose() * (scale.asDiagonal() * b))));
}

/// Bars of a parallelogram in the plane, `bars` cranks that bear one coupler; bodies (x, y, angle).
Mechanism parallelogram(int bars) {
  Mechanism m;
  const auto pin = [](double x, double y) {
    return (Matrix(2, 3) << 1, 0, -y, 0, 1, x).finished();
  };
  const double angle = 0.7, c = std::cos(angle), s = std::sin(angle);
  const int coupler = bars;
  for (int i = 0; i < bars; ++i) {
    const double place = i - 0.5 * (bars - 1);
    m.joints.push_back({kWorld, i, Matrix::Zero(2, 3), pin(-0.5 * c, -0.5 * s)});
    m.joints.push_back({i, coupler, pin(0.5 * c, 0.5 * s), -pin(place, 0.0)});
  }
  return m;
}

/// Loops of four bodies hung from each other, hinged in space with parallel axes: three of the rows of each depend.
Mechanism four_bars(int count) {
  Mechanism m;
  const auto hinge = [](double x, double y) {
    Matrix G = Matrix::Zero(5, 6);  // velocity (3), angular velocity (3); the axis is z
    G.leftCols(3).topRows(3).setIdentity();
    G(0, 5) = -y, G(1, 5) = x, G(2, 3) = y, G(2, 4) = -x, G(3, 3) = G(4, 4) = 1.0;
    return G;
  };
  int bearer = kWorld;
  for (int k = 0; k < count; ++k) {
    const int left = 3 * k, coupler = left + 1, right = left + 2;
    const auto ground = [&](double x) {
      return bearer == kWorld ? Matrix(Matrix::Zero(5, 6)) : Matrix(-hinge(x, 0.0));
    };
    m.joints.push_back({bearer, left, ground(-0.5), hinge(-0.1, 0.5)});
    m.joints.push_back({bearer, right, ground(0.5), hinge(-0.1, 0.5)});
    m.joints.push_back({left, coupler, -hinge(0.1, -0.5), hinge(-0.5, 0.0)});
    m.joints.push_back({right, coupler, -hinge(0.1, -0.5), hinge(0.5, 0.0)});
    bearer = coupler;
  }
  return m;
}

struct Redundant {
  const char* name;
  Mechanism mechanism;
  int dependent;
};
std::vector<Redundant> redundant() {
  Mechanism doubled = loops(12, 3, 5);
  int twice = 0;
  for (const int k : {1, 6, 7}) {
    doubled.joints.push_back(doubled.joints[at(k)]);
    twice += doubled.joints.back().rows();
  }
  Mechanism fixed_twice = chain(10, 3, 6);  // body 4 held by more rows than it has velocities
  fixed_twice.add(kWorld, 4, 6), fixed_twice.add(kWorld, 4, 6);
  return {{"joints there twice", doubled, twice},
          {"a body held twice", fixed_twice, 6},
          {"a parallelogram with three bars", parallelogram(3), 1},
          {"a parallelogram with seven bars", parallelogram(7), 5},
          {"four-bar loops in a chain", four_bars(6), 18}};
}

TEST_CASE("LDL^T by fronts solves what a dense LU solves, for chains, trees and loops of joints") {
  struct Family {
    const char* name;
    Mechanism (*make)(int n, int most, unsigned seed);
    int most;
  };
  for (const auto& [name, make, most] : {Family{"chain", chain, 4},
                                         {"tree", tree, 4},
                                         {"wild tree", wild_tree, 4},
                                         {"loops", loops, 3}})
    for (const int n : {1, 2, 3, 5, 9, 17, 40, 130}) {
      CAPTURE(name);
      CAPTURE(n);
      const Factored f(make(n, most, static_cast<unsigned>(n)));
      REQUIRE(f.finite);
      CHECK(f.ldlt.rows() == f.blocks.rows());
      CHECK(f.ldlt.dependent().empty());
      const Vector b = random_vector(f.blocks.rows(), 2);
      const Vector x = f.solve(b), exact = test::solve_by_lu(f.blocks.dense(), b);
      CHECK((x - exact).norm() <= 1e-12 * exact.norm());
    }
}

TEST_CASE("dense fronts of every width: joints that all share one body") {
  for (const int n : {2, 4, 7, 12, 25, 40}) {
    CAPTURE(n);
    Mechanism m(static_cast<unsigned>(n));
    for (int i = 1; i <= n; ++i) m.add(0, i, 1 + m.one_of(5));
    const Factored f(m);
    REQUIRE(f.finite);
    const Vector b = random_vector(f.blocks.rows(), 3);
    const Vector x = f.solve(b), exact = test::solve_by_cholesky(f.blocks.dense(), b);
    CHECK((x - exact).norm() <= 1e-12 * exact.norm());
  }
}

TEST_CASE("the factor of a chain or of a tree grows as the number of its joints") {
  for (const auto make : {chain, tree}) {
    const auto entries = [&](int n) {
      Mechanism m = make(n, 1, 4);
      return static_cast<double>(Factored(m).ldlt.entries());
    };
    const double few = entries(250);
    for (const int n : {500, 1000, 2000, 4000}) CHECK(entries(n) <= 1.1 * few * n / 250);
    CHECK(few <= 4.0 * 250);
  }
}

TEST_CASE("rows that depend on others are found, and only those") {
  for (const auto& [name, mechanism, dependent] : redundant()) {
    CAPTURE(name);
    const Factored f(mechanism);
    REQUIRE(f.finite);
    const auto found = f.ldlt.dependent();
    CHECK(static_cast<int>(found.size()) == dependent);
    CHECK(std::is_sorted(found.begin(), found.end()));
    // the others do not depend on each other
    const Matrix S = f.blocks.dense();
    std::vector<int> kept;
    for (int i = 0; i < f.blocks.rows(); ++i)
      if (!std::binary_search(found.begin(), found.end(), i)) kept.push_back(i);
    const Vector d = symmetric_values(Matrix(S(kept, kept)));
    CHECK(d[0] > 1e-8 * d[d.size() - 1]);
  }
}

TEST_CASE("of all solutions, the least by the weights: that of a dense pseudo-inverse") {
  for (const auto& [name, mechanism, dependent] : redundant()) {
    CAPTURE(name);
    const int rows = Blocks(mechanism).rows();
    const Vector w = random_vector(rows, 7, 0.2, 5.0);
    const Factored f(mechanism, w);
    REQUIRE(f.finite);
    const Matrix S = f.blocks.dense();
    const Vector b = S * random_vector(rows, 8), x = f.solve(b), exact = least(S, b, w);
    CHECK((S * x - b).norm() <= 1e-12 * b.norm());
    CHECK((x - exact).norm() <= 1e-10 * exact.norm());
  }
}

TEST_CASE("the least solution knows no order of joints nor of their rows") {
  for (const auto& [name, mechanism, dependent] : redundant()) {
    CAPTURE(name);
    const Factored f(mechanism);
    const int rows = f.blocks.rows();
    const Vector w = random_vector(rows, 9, 0.2, 5.0);
    Factored weighted(mechanism, w);
    const Vector b = f.blocks.dense() * random_vector(rows, 10), x = weighted.solve(b);
    for (unsigned seed = 0; seed < 8; ++seed) {
      Mechanism other(seed);
      std::vector<int> order(mechanism.joints.size()), row;
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), other.random);
      for (const int i : order) {
        auto joint = mechanism.joints[at(i)];
        std::vector<int> turn(at(joint.rows()));
        std::iota(turn.begin(), turn.end(), 0);
        std::shuffle(turn.begin(), turn.end(), other.random);
        joint.Ga = Matrix(joint.Ga(turn, Eigen::all)),
        joint.Gb = Matrix(joint.Gb(turn, Eigen::all));
        for (const int a : turn) row.push_back(f.blocks.first[at(i)] + a);
        other.joints.push_back(joint);
      }
      const Factored g(other, w(row));
      REQUIRE(g.finite);
      CHECK(static_cast<int>(g.ldlt.dependent().size()) == dependent);
      CHECK((g.solve(b(row)) - x(row)).norm() <= 1e-10 * x.norm());
    }
  }
}

TEST_CASE("rows in other units, weights with them, give the same least solution") {
  for (const auto& [name, mechanism, dependent] : redundant()) {
    CAPTURE(name);
    Mechanism scaled = mechanism;
    std::vector<double> factors;
    for (std::size_t i = 0; i < scaled.joints.size(); ++i) {
      const double unit = i % 3 == 0 ? 1e6 : i % 3 == 1 ? 1.0 : 1e-3;
      scaled.joints[i].Ga *= unit, scaled.joints[i].Gb *= unit;
      factors.insert(factors.end(), at(scaled.joints[i].rows()), unit);
    }
    const Vector factor =
        Eigen::Map<const Vector>(factors.data(), static_cast<int>(factors.size()));
    const Factored f(mechanism), g(scaled, factor.cwiseAbs2());
    REQUIRE(g.finite);
    CHECK(static_cast<int>(g.ldlt.dependent().size()) == dependent);
    const Vector b = f.blocks.dense() * random_vector(f.blocks.rows(), 11), x = f.solve(b);
    const Vector y = factor.cwiseProduct(g.solve(factor.cwiseProduct(b)));
    CHECK((y - x).norm() <= 1e-10 * x.norm());
  }
}

/// The joints in another order; row: which row of the first each row is.
Mechanism reordered(const Mechanism& mechanism, unsigned seed, std::vector<int>& row) {
  Mechanism other(seed);
  std::vector<int> order(mechanism.joints.size()), first{0};
  for (const auto& joint : mechanism.joints) first.push_back(first.back() + joint.rows());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), other.random);
  row.clear();
  for (const int i : order) {
    other.joints.push_back(mechanism.joints[at(i)]);
    for (int a = 0; a < mechanism.joints[at(i)].rows(); ++a) row.push_back(first[at(i)] + a);
  }
  return other;
}

/// Loops of which `deficit` rows depend on those of one or two other joints, and three nearly do.
Mechanism deficient(int deficit, unsigned seed) {
  Mechanism m = loops(14, 3, seed);
  for (int k = 0; k < deficit; ++k) {
    const auto& joint = m.joints[at(m.one_of(14))];
    const Matrix mix = Matrix::NullaryExpr(1, joint.rows(), [&] { return m.number(); });
    m.joints.push_back({joint.a, joint.b, Matrix(mix * joint.Ga), Matrix(mix * joint.Gb)});
  }
  for (int k = 0; k < 3; ++k) {
    Mechanism::Joint joint = m.joints[at(4 * k + 1)];
    joint.Ga.row(0) += 0.02 * Matrix::NullaryExpr(1, 6, [&] { return m.number(); });
    m.joints.push_back({joint.a, joint.b, joint.Ga.topRows(1), joint.Gb.topRows(1)});
  }
  return m;
}

TEST_CASE("random loops of every deficit: what a dense pseudo-inverse gives, in every order") {
  for (int deficit = 0; deficit <= 5; ++deficit)
    for (unsigned seed = 1; seed <= 6; ++seed) {
      CAPTURE(deficit);
      CAPTURE(seed);
      const Mechanism m = deficient(deficit, seed);
      const int rows = Blocks(m).rows();
      const Matrix S = Blocks(m).dense();
      const Vector w = random_vector(rows, 30 + seed, 0.2, 5.0);
      const Factored f(m, w);
      REQUIRE(f.finite);
      const int rank = test::rank_of(S, 1e-10);
      CHECK(static_cast<int>(f.ldlt.dependent().size()) == rows - rank);
      CHECK(rows - rank >= deficit);
      const Vector b = S * random_vector(rows, 40 + seed), x = f.solve(b);
      CHECK((x - least(S, b, w)).norm() <= 1e-9 * x.norm());
      CHECK((S * x - b).norm() <= 1e-12 * b.norm());
      for (unsigned other = 0; other < 4; ++other) {
        std::vector<int> row;
        const Mechanism shuffled = reordered(m, other, row);
        const Factored g(shuffled, w(row));
        REQUIRE(g.finite);
        CHECK(g.ldlt.dependent().size() == f.ldlt.dependent().size());
        CHECK((g.solve(b(row)) - x(row)).norm() <= 1e-11 * x.norm());
      }
    }
}

TEST_CASE("a coefficient of a dependence may pass zero: another row is left out") {
  // rows (1, e), (1, 0), (0, 1) of a body:  r_0 - r_1 - e r_2 = 0
  for (const double e : {1.0, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-12, 0.0})
    for (const auto& order : {std::array{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {0, 2, 1}}) {
      CAPTURE(e);
      CAPTURE(order[0]);
      Mechanism m;
      const Matrix G = (Matrix(3, 2) << 1, e, 1, 0, 0, 1).finished();
      for (const int i : order) m.joints.push_back({kWorld, 0, Matrix::Zero(1, 2), G.row(i)});
      const Factored f(m);
      REQUIRE(f.finite);
      REQUIRE(f.ldlt.dependent().size() == 1);
      if (e < 0.4) CHECK(order[at(f.ldlt.dependent()[0])] != 2);
      // L = (1, 2, 3) but for its part along the dependence n
      const Vector n = (Vector(3) << 1, -1, -e).finished(), one = (Vector(3) << 1, 2, 3).finished();
      const Vector L = one - n * (n.dot(one) / n.squaredNorm());
      const Vector x = f.solve(f.blocks.dense() * one(order));
      CHECK((x - L(order)).norm() <= 1e-12 * L.norm());
    }
}

TEST_CASE("near a place where rows depend on others the same are left out, and no order enters") {
  for (const double open : {1e-6, 1e-3, 3e-2})
    for (int deficit = 1; deficit <= 5; ++deficit) {
      CAPTURE(open);
      CAPTURE(deficit);
      const Mechanism closed = deficient(deficit, 3);
      Mechanism moved = closed;
      for (auto& joint : moved.joints)
        for (Matrix* G : {&joint.Ga, &joint.Gb})
          *G += open * Matrix::NullaryExpr(G->rows(), 6, [&] { return moved.number(); });
      const int rows = Blocks(closed).rows();
      const Vector w = random_vector(rows, 50, 0.2, 5.0), ones = Vector::Ones(rows);
      Factored f(closed, w);
      const std::vector<int> left_out(f.ldlt.dependent().begin(), f.ldlt.dependent().end());
      // the null vectors of the closed place, orthonormal
      const Matrix N = test::kernel_of(f.blocks.dense(), 1e-10);
      REQUIRE(f.near(moved, ones));
      CHECK(std::equal(left_out.begin(), left_out.end(), f.ldlt.dependent().begin(),
                       f.ldlt.dependent().end()));
      const Matrix S = f.blocks.dense();
      const Vector least_at = random_vector(rows, 51);
      const Vector along = test::solve_by_cholesky(
          N.transpose() * w.cwiseInverse().asDiagonal() * N, Vector(N.transpose() * least_at));
      const Vector L = least_at - w.cwiseInverse().asDiagonal() * N * along;
      // N^T L = 0 and L = W x: x is what a solution has
      const Vector exact = w.cwiseInverse().cwiseProduct(L);
      CHECK((N.transpose() * w.cwiseProduct(exact)).norm() <= 1e-12 * exact.norm());
      const Vector x = f.solve(S * exact);
      CHECK((x - exact).norm() <= 1e-9 * exact.norm());
      for (unsigned other = 0; other < 4; ++other) {
        std::vector<int> row;
        const Mechanism shuffled = reordered(closed, other, row);
        Factored g(shuffled, w(row));
        REQUIRE(g.near(reordered(moved, other, row), ones));
        CHECK((g.solve((S * exact)(row)) - x(row)).norm() <= 1e-9 * x.norm());
      }
    }
}

TEST_CASE("links of 1 kg and 1e-6 kg: no row is taken for a dependent one, and the cost is O(n)") {
  const auto alternating = [](int n) {
    Mechanism m = chain(n, 1, 22);
    const auto root = [](int body) { return body % 2 == 0 ? 1.0 : 1e3; };
    for (auto& joint : m.joints) {  // S = G M^-1 G^T
      if (joint.a != kWorld) joint.Ga *= root(joint.a);
      joint.Gb *= root(joint.b);
    }
    return m;
  };
  const Factored f(alternating(1000));
  REQUIRE(f.finite);
  CHECK(f.ldlt.dependent().empty());
  const Matrix S = f.blocks.dense();
  const Vector x = random_vector(1000, 23), b = S * x;
  CHECK((S * f.solve(b) - b).norm() <= 1e-12 * b.norm());
  CHECK(static_cast<double>(f.ldlt.entries()) <=
        1.1 * static_cast<double>(Factored(alternating(500)).ldlt.entries()) * 2.0);
}

TEST_CASE("a row left out that does not depend exactly leaves the equations of the others exact") {
  Mechanism m = loops(25, 3, 12);
  for (const int k : {3, 9, 20}) {  // nearly there twice
    auto joint = m.joints[at(k)];
    joint.Ga += 1e-3 * Matrix::NullaryExpr(joint.Ga.rows(), 6, [&] { return m.number(); });
    m.joints.push_back(joint);
  }
  const int rows = Blocks(m).rows();
  const Vector w = random_vector(rows, 13, 0.5, 2.0), b = random_vector(rows, 14);
  const Factored f(m, w, 1e-4);
  REQUIRE(f.finite);
  const auto found = f.ldlt.dependent();
  REQUIRE(found.size() >= 3);
  const Matrix S = f.blocks.dense();
  std::vector<int> B, D(found.begin(), found.end());
  for (int i = 0; i < rows; ++i)
    if (!std::binary_search(D.begin(), D.end(), i)) B.push_back(i);
  const Matrix SBB = S(B, B);
  const Matrix C = test::solve_by_ldlt(SBB, Matrix(S(B, D))).transpose();
  const Vector x0 = test::solve_by_ldlt(SBB, Vector(b(B))), WB = w(B), WD = w(D);
  const Matrix M = Matrix(WD.asDiagonal()) + C * WB.asDiagonal() * C.transpose();
  const Vector xD = test::solve_by_cholesky(M, Vector(C * WB.cwiseProduct(x0))),
               xB = x0 - C.transpose() * xD;
  const Vector x = f.solve(b);
  CHECK((x(D) - xD).norm() <= 1e-10 * x.norm());
  CHECK((x(B) - xB).norm() <= 1e-10 * x.norm());
  CHECK((S(B, Eigen::all) * x - b(B)).norm() <= 1e-12 * S.norm() * x.norm());
}

TEST_CASE("loops that share no row cost what each costs: C of N four-bar loops grows as N") {
  const auto entries = [](int n) {
    const Factored f(four_bars(n));
    CHECK(static_cast<int>(f.ldlt.dependent().size()) == 3 * n);
    return static_cast<double>(f.ldlt.dependence_entries());
  };
  const double few = entries(10);
  for (const int n : {20, 40, 80, 160}) CHECK(entries(n) <= 1.2 * few * n / 10);
}

TEST_CASE("a row of zeros is left out and carries nothing") {
  Mechanism m = chain(6, 3, 15);
  m.joints[2].Ga.row(0).setZero(), m.joints[2].Gb.row(0).setZero();
  const Factored f(m);
  REQUIRE(f.finite);
  REQUIRE(f.ldlt.dependent().size() == 1);
  const int zero = f.ldlt.dependent()[0];
  CHECK(zero == f.blocks.first[2]);
  const Matrix S = f.blocks.dense();
  const Vector b = S * random_vector(f.blocks.rows(), 16), x = f.solve(b);
  CHECK(x[zero] == 0.0);
  CHECK((S * x - b).norm() <= 1e-12 * b.norm());
}

TEST_CASE("rows of zeros among others change no bit of a solution") {
  for (const auto& [name, mechanism, dependent] : redundant()) {
    CAPTURE(name);
    Mechanism m = mechanism;
    std::vector<int> row;  // of those that were there
    int rows = 0;
    for (auto& joint : m.joints) {
      const int zeros = m.one_of(4), all = joint.rows() + zeros;
      std::vector<int> places(at(all));
      std::iota(places.begin(), places.end(), 0);
      std::shuffle(places.begin(), places.end(), m.random);
      std::sort(places.begin() + zeros, places.end());
      for (Matrix* G : {&joint.Ga, &joint.Gb}) {
        const Matrix before = *G;
        G->setZero(all, before.cols());
        for (int a = zeros; a < all; ++a) G->row(places[at(a)]) = before.row(a - zeros);
      }
      for (int a = zeros; a < all; ++a) row.push_back(rows + places[at(a)]);
      rows += all;
    }
    REQUIRE(rows > static_cast<int>(row.size()));
    const Vector w = random_vector(rows, 60, 0.2, 5.0), b = random_vector(rows, 61);
    const Vector of_rows = w(row);
    const Factored f(m, w), without(mechanism, of_rows);
    REQUIRE(f.finite);
    CHECK(static_cast<int>(f.ldlt.dependent().size()) ==
          dependent + rows - static_cast<int>(row.size()));
    CHECK(std::is_sorted(f.ldlt.dependent().begin(), f.ldlt.dependent().end()));
    const Vector x = f.solve(b), alone = without.solve(b(row));
    CHECK(x(row) == alone);
    CHECK(x.lpNorm<1>() ==
          doctest::Approx(alone.lpNorm<1>()).epsilon(1e-12));  // no more than those
  }
}

TEST_CASE("rows may become zero after the choice, and come back") {
  for (const auto& [name, mechanism, dependent] : redundant())
    for (const int joint : {0, 3, 5}) {
      CAPTURE(name);
      CAPTURE(joint);
      Mechanism zero = mechanism;
      zero.joints[at(joint)].Ga.setZero(), zero.joints[at(joint)].Gb.setZero();
      const int rows = Blocks(mechanism).rows();
      const Vector w = Vector::Ones(rows), some = random_vector(rows, 62);
      Factored f(mechanism, w);
      const Vector b = f.blocks.dense() * some, x = f.solve(b);
      REQUIRE(f.near(zero, w));
      const Matrix S = f.blocks.dense();
      const Vector y = f.solve(S * some);
      Vector rest = S * (y - some);
      for (const int a : f.ldlt.dependent()) rest[a] = 0.0;  // chosen when they depended on others
      CHECK(rest.norm() <= 1e-11 * some.norm());
      for (int a = f.blocks.first[at(joint)]; a < f.blocks.first[at(joint) + 1]; ++a) {
        CHECK(y[a] == 0.0);
        CHECK(std::ranges::count(f.ldlt.dependent(), a) == 1);
      }
      REQUIRE(f.near(mechanism, w));
      CHECK((f.solve(b) - x).norm() <= 1e-12 * x.norm());
      CHECK(static_cast<int>(f.ldlt.dependent().size()) == dependent);
    }
}

TEST_CASE("no rows, and joints without rows, are no special case") {
  Mechanism m = chain(12, 3, 17);
  for (const int k : {0, 5, 6, 11}) {
    m.joints[at(k)].Ga.resize(0, 6), m.joints[at(k)].Gb.resize(0, 6);
  }
  const Factored f(m);
  REQUIRE(f.finite);
  const Vector b = random_vector(f.blocks.rows(), 18);
  CHECK((f.blocks.dense() * f.solve(b) - b).norm() <= 1e-12 * b.norm());
  for (auto& joint : m.joints) joint.Ga.resize(0, 6), joint.Gb.resize(0, 6);
  const Factored none(m);
  CHECK(none.finite);
  CHECK(none.ldlt.rows() == 0);
  none.solve(Vector());
}

TEST_CASE("an entry that is not finite is reported wherever it stands") {
  const Mechanism m = parallelogram(3);
  const Factored good(m);
  REQUIRE(good.finite);
  for (int i = 0; i < good.blocks.graph().n; ++i)
    for (int k = good.blocks.offset[at(i)]; k < good.blocks.offset[at(i) + 1]; ++k)
      for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
        Factored f(m);
        const int j = f.blocks.column[at(k)];
        for (int e = f.blocks.offset[at(j)]; e < f.blocks.offset[at(j) + 1]; ++e)
          if (f.blocks.column[at(e)] == i) f.blocks.value[f.blocks.start[at(e)]] = bad;
        f.blocks.value[f.blocks.start[at(k)]] = bad;
        CHECK_FALSE(f.again(Vector::Ones(f.blocks.rows())));
      }
}

TEST_CASE(
    "many right-hand sides have the bits of each alone, and a factor made twice those of the "
    "first") {
  for (const auto& mechanism : {loops(60, 3, 19), four_bars(5)}) {
    Factored f(mechanism);
    const int rows = f.blocks.rows();
    Matrix B(rows, 7);
    for (int k = 0; k < 7; ++k) B.col(k) = random_vector(rows, 20 + static_cast<unsigned>(k));
    Matrix X = B;
    f.ldlt.solve(X);
    for (int k = 0; k < 7; ++k) CHECK(X.col(k) == f.solve(B.col(k)));
    BlockPattern pattern;
    const Blocks other(tree(30, 5, 21));
    pattern.analyse(other.graph());
    REQUIRE(f.ldlt.factorise(other.of(pattern), Vector::Ones(other.rows())));
    REQUIRE(f.again(Vector::Ones(rows)));
    Matrix Y = B;
    f.ldlt.solve(Y);
    CHECK(X == Y);
  }
}

}  // namespace
