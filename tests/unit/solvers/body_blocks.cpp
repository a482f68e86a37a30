#include "saltus/contact/body_blocks.h"

#include <doctest/doctest.h>

#include "tests/unit/solvers/heap.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

TEST_CASE("blocks of W made from bodies are those of H A^-1 H^T, symmetric to the last bit") {
  SphereHeap heap = SphereHeap::pyramid(4, 7);  // spheres share H with opposite signs
  const auto problem = heap.problem(2e-3, 0.4);
  const BodyRows& H = *problem.W->bodies();
  BlockMatrix W;
  std::vector<int> touch;
  blocks_of_bodies(H, W, touch);
  REQUIRE(W.contacts() == H.contacts());
  int filled = 0;
  for (int c = 0; c < W.contacts(); ++c)
    for (int d = 0; d < W.contacts(); ++d) {
      double expected[9];
      block_of(H, c, d, expected);
      const int k = W.find(c, d), mirror = W.find(d, c);
      REQUIRE((k < 0) == (mirror < 0));
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const double value = k < 0 ? 0.0 : W.block(k)[3 * i + j];
          CHECK(std::abs(value - expected[3 * i + j]) <=
                1e-12 * std::abs(W.block(W.find(c, c))[0]));
          if (k >= 0) CHECK(value == W.block(mirror)[3 * j + i]);
        }
      filled += k >= 0 && c != d;
    }
  CHECK(filled > 0);
}

}  // namespace
