#include "saltus/math/kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace saltus;

namespace {

using Array = std::vector<double>;

/// Reproducible values of both signs over eight decades, so that the order of a sum shows.
Array values(int n, unsigned seed) {
  Array x(static_cast<std::size_t>(n));
  std::uint64_t s = seed * 0x9E3779B97F4A7C15u + 1;
  for (double& value : x) {
    s = s * 6364136223846793005u + 1442695040888963407u;
    const double unit = static_cast<double>(s >> 11) * 0x1p-53;
    value = (unit - 0.5) * std::pow(10.0, static_cast<double>((s >> 5) % 8));
  }
  return x;
}

/// ((0+4)+(2+6)) + ((1+5)+(3+7))
double tree(const double (&slot)[8]) {
  return ((slot[0] + slot[4]) + (slot[2] + slot[6])) + ((slot[1] + slot[5]) + (slot[3] + slot[7]));
}

/// The contract of kernels.h, written without registers: slot j mod 8, then the fixed tree.
template <class Term>
double slot_sum(int n, Term term) {
  double slot[8] = {};
  for (int j = 0; j < n; ++j) {
    volatile double t = term(static_cast<std::size_t>(j));  // no contraction with the sum
    slot[j % 8] += t;
  }
  return tree(slot);
}

/// sum a_j b_j over at most four parts of 256 elements or more; term returns {a_j, b_j}. Fused: whole groups of eight
/// by one rounding.
template <class Term>
double part_sum(int n, bool fused, Term term) {
  const int length = n <= 4 * 256 ? 256 : ((n + 3) / 4 + 7) / 8 * 8;
  double total[8] = {};
  for (int begin = 0; begin < n; begin += length) {
    const int end = std::min(begin + length, n);
    double slot[8] = {};
    for (int j = begin; j < end; ++j) {
      const auto [a, b] = term(static_cast<std::size_t>(j));
      double& sum = slot[(j - begin) % 8];
      volatile double t = a * b;
      if (fused && j < begin + (end - begin) / 8 * 8)
        sum = std::fma(a, b, sum);
      else
        sum += t;
    }
    for (int l = 0; l < 8; ++l) total[l] += slot[l];
  }
  return tree(total);
}

/// a b, rounded: never fused into an addition.
double product(double a, double b) {
  volatile double p = a * b;
  return p;
}

const std::vector<int> lengths = {0,  1,  2,  3,  4,  5,   7,   8,    9,
                                  15, 16, 17, 31, 64, 100, 862, 1001, 5000};

}  // namespace

TEST_CASE("the baseline kernels are always there and the best set comes last") {
  const auto sets = kernel_sets();
  REQUIRE(sets.size() >= 1);
  CHECK(std::string(sets[0].name) == "baseline");
#if defined(__x86_64__) && !defined(SALTUS_NO_CLONES)
  std::size_t expected = 1;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) ++expected;
  if (__builtin_cpu_supports("avx512f")) ++expected;
  CHECK(sets.size() == expected);
#endif
}

TEST_CASE("every instruction set gives the bits of the scalar slot order: rows") {
  for (const KernelSet& set : kernel_sets())
    for (int cols : lengths)
      for (int rows : {0, 1, 2, 3, 4, 7, 8, 13, 20}) {
        CAPTURE(set.name);
        CAPTURE(rows);
        CAPTURE(cols);
        const std::ptrdiff_t stride = cols + 3;
        const Array S = values(rows * (cols + 3), 1), x = values(cols, 2), p = values(rows + 1, 3);
        const auto at = [&](int i) { return S.data() + i * stride; };
        Array y(static_cast<std::size_t>(rows), 7.0);
        set.multiply(S.data(), stride, nullptr, rows, cols, x.data(), y.data());
        bool same = true;
        for (int i = 0; i < rows; ++i)
          same &= y[static_cast<std::size_t>(i)] ==
                  slot_sum(cols, [&](std::size_t j) { return at(i)[j] * x[j]; });
        CHECK(same);

        std::vector<int> index;  // backwards and with a repetition: nothing depends on neighbours
        for (int i = rows - 1; i >= 0; i -= i % 3 == 0 ? 2 : 1) index.push_back(i);
        if (rows > 0) index.push_back(0);
        Array some(index.size());
        set.multiply(S.data(), stride, index.data(), static_cast<int>(index.size()), cols, x.data(),
                     some.data());
        for (std::size_t k = 0; k < index.size(); ++k)
          same &= some[k] == y[static_cast<std::size_t>(index[k])];
        CHECK(same);

        Array r = values(cols, 4), expected = r;
        set.accumulate(S.data(), stride, index.data(), static_cast<int>(index.size()), cols,
                       p.data(), r.data());
        REQUIRE(index.size() <= p.size());
        for (std::size_t k = 0; k < index.size(); ++k)
          for (std::size_t j = 0; j < expected.size(); ++j)
            expected[j] += product(p[k], at(index[k])[j]);
        CHECK(r == expected);
      }
}

TEST_CASE("every instruction set gives the bits of the scalar slot order: two vectors") {
  for (const KernelSet& set : kernel_sets())
    for (int cols : {0, 1, 7, 8, 9, 16, 25, 31, 32, 33, 40, 55, 64, 151, 862}) {
      CAPTURE(set.name);
      CAPTURE(cols);
      const Array row = values(cols, 1), x = values(cols, 2);
      double chain[4][8] = {}, slot[8];
      int j = 0;
      for (; j + 8 <= cols; j += 8)
        for (int l = 0; l < 8; ++l) {
          const auto k = static_cast<std::size_t>(j + l);
          chain[j / 8 % 4][l] += product(row[k], x[k]);
        }
      for (int l = 0; l < 8; ++l)
        slot[l] = (chain[0][l] + chain[2][l]) + (chain[1][l] + chain[3][l]);
      for (int l = 0; j + l < cols; ++l) {
        const auto k = static_cast<std::size_t>(j + l);
        slot[l] += product(row[k], x[k]);
      }
      CHECK(set.dot(cols, row.data(), x.data()) == tree(slot));
    }
}

TEST_CASE("every instruction set gives the bits of the scalar slot order: modes") {
  const double h = 0.37;
  for (const KernelSet& set : kernel_sets())
    for (int n : lengths) {
      CAPTURE(set.name);
      CAPTURE(n);
      const Array e = values(n, 1), k = values(n, 2), q0 = values(n, 3), v0 = values(n, 4);
      const Array a = values(n, 5), w = values(n, 6), r = values(n, 7);
      Array q1(q0.size()), v1(v0.size()), q = q0, v = v0;
      for (std::size_t j = 0; j < q.size(); ++j) {
        v[j] = product(e[j], v0[j]) - product(k[j], q0[j]);
        q[j] = q0[j] + product(h, v[j]);
      }
      for (const bool reverse : {true, false}) {
        set.step(n, h, e.data(), k.data(), q0.data(), v0.data(), q1.data(), v1.data(), reverse);
        CHECK(q1 == q);
        CHECK(v1 == v);
      }
      Array q_in = q0, v_in = v0;  // in place
      set.step(n, h, e.data(), k.data(), q_in.data(), v_in.data(), q_in.data(), v_in.data(), true);
      CHECK(q_in == q);
      CHECK(v_in == v);

      const bool fused = std::string(set.name) != "baseline";
      using Pair = std::pair<double, double>;
      const double kinetic = 0.5 * part_sum(n, fused, [&](std::size_t j) {
                               return Pair(a[j] + product(a[j], e[j]), product(v[j], v[j]));
                             });
      const double potential =
          part_sum(n, fused,
                   [&](std::size_t j) {
                     return Pair(product(a[j], k[j]), product(q[j], q[j] - product(h, v[j])));
                   }) /
          h;
      const double damping = -0.5 * part_sum(n, fused, [&](std::size_t j) {
        return Pair(a[j] - product(a[j], e[j]), product(v[j] + v0[j], v[j] + v0[j]));
      });
      const ModalEnergy energy = set.energy(n, e.data(), k.data(), a.data(), h, q.data(), v.data());
      CHECK(energy.kinetic == kinetic);
      CHECK(energy.potential == potential);
      const double stored =
          part_sum(n, fused,
                   [&](std::size_t j) { return Pair(product(a[j], product(k[j], q0[j])), q[j]); }) /
          h;
      const ModalBalance balance =
          set.balance(n, e.data(), k.data(), a.data(), h, q0.data(), v0.data(), q.data(), v.data());
      CHECK(balance.kinetic == kinetic);
      CHECK(balance.potential == stored);
      CHECK(balance.damping == damping);
      for (const bool reverse : {false, true}) {
        q_in = q0, v_in = v0;
        const ModalBalance step = set.step_balance(n, h, e.data(), k.data(), a.data(), q_in.data(),
                                                   v_in.data(), q_in.data(), v_in.data(), reverse);
        CHECK(q_in == q);
        CHECK(v_in == v);
        CHECK(step.kinetic == kinetic);
        CHECK(step.potential == stored);
        CHECK(step.damping == damping);
      }

      Array sum = v0;
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += v1[j];
      CHECK(set.dot_sum(n, r.data(), v0.data(), v1.data()) ==
            0.5 * part_sum(n, false, [&](std::size_t j) { return Pair(r[j], sum[j]); }));

      set.kick(n, h, w.data(), r.data(), q_in.data(), v_in.data());
      for (std::size_t j = 0; j < q.size(); ++j) {
        const double dv = product(w[j], r[j]);
        v[j] += dv;
        q[j] += product(h, dv);
      }
      CHECK(q_in == q);
      CHECK(v_in == v);
    }
}

TEST_CASE("the public kernels are those of the best set and touch nothing beyond their length") {
  const KernelSet& set = kernel_sets().back();
  const double guard = std::numeric_limits<double>::quiet_NaN();
  const int n = 37, rows = 5;
  const Array S = values(rows * n, 1), x = values(n, 2);
  Array y(rows + 1, guard), z(rows + 1, guard);
  multiply_rows(S.data(), n, rows, n, x.data(), y.data());
  set.multiply(S.data(), n, nullptr, rows, n, x.data(), z.data());
  for (std::size_t i = 0; i < rows; ++i) CHECK(y[i] == z[i]);
  CHECK(std::isnan(y[rows]));
  const std::vector<int> index = {4, 1};
  Array some(3, guard);
  multiply_rows(S.data(), n, index, n, x.data(), some.data());
  CHECK(some[0] == y[4]);
  CHECK(some[1] == y[1]);
  CHECK(std::isnan(some[2]));
  multiply_rows(S.data(), n, std::span<const int>(), n, x.data(), some.data());
  CHECK(some[0] == y[4]);

  const Array e = values(n, 3), k = values(n, 4), p = {2.0, -3.0};
  Array q = values(n + 1, 5), v = values(n + 1, 6), q_set = q, v_set = v;
  modal_step(n, 0.1, e.data(), k.data(), q.data(), v.data(), q.data(), v.data());
  modal_kick(n, 0.1, e.data(), x.data(), q.data(), v.data());
  set.step(n, 0.1, e.data(), k.data(), q_set.data(), v_set.data(), q_set.data(), v_set.data(),
           false);
  set.kick(n, 0.1, e.data(), x.data(), q_set.data(), v_set.data());
  CHECK(q == q_set);  // the element after the last is unchanged in both
  CHECK(v == v_set);
  Array r(static_cast<std::size_t>(n) + 1, 0.0);
  accumulate_rows(S.data(), n, index, n, p.data(), r.data());
  for (std::size_t j = 0; j < n; ++j)
    CHECK(r[j] == product(2.0, S[4 * n + j]) - product(3.0, S[n + j]));
  CHECK(r[n] == 0.0);
  CHECK(dot(n, x.data(), e.data()) == set.dot(n, x.data(), e.data()));
  CHECK(dot_sum(n, x.data(), e.data(), k.data()) == set.dot_sum(n, x.data(), e.data(), k.data()));
  CHECK(modal_energy(n, e.data(), k.data(), x.data(), 0.1, q.data(), v.data()).potential ==
        set.energy(n, e.data(), k.data(), x.data(), 0.1, q.data(), v.data()).potential);
  CHECK(modal_balance(n, e.data(), k.data(), x.data(), 0.1, q.data(), e.data(), q.data(), v.data())
            .damping ==
        set.balance(n, e.data(), k.data(), x.data(), 0.1, q.data(), e.data(), q.data(), v.data())
            .damping);
  const ModalBalance fused = modal_step_balance(n, 0.1, e.data(), k.data(), x.data(), q.data(),
                                                v.data(), q.data(), v.data());
  const ModalBalance fused_set =
      set.step_balance(n, 0.1, e.data(), k.data(), x.data(), q_set.data(), v_set.data(),
                       q_set.data(), v_set.data(), false);
  CHECK(fused.kinetic == fused_set.kinetic);
  CHECK(q == q_set);
}
