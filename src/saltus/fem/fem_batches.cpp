// Batches of eight elements, chunks of batches for threads, and the positions of element blocks in
// the matrix of the mesh.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/fem/fem_internal.h"

namespace saltus::fem {
namespace {

constexpr int kChunkWork = 64;  // nodes times points per chunk and slot: some 10 us

}  // namespace

// Greedy colouring: each chunk gets the first colour that no chunk with a common node has. 64
// colours are assigned per pass.
void Block::make_chunks(int nodes) {
  chunk = std::max(1, kChunkWork / (n * points));
  const int chunks = (batches + chunk - 1) / chunk;
  std::vector<int> colour(index(chunks), -1);
  std::vector<std::uint64_t> taken;
  const auto nodes_of = [&](int c) {
    const int begin = 8 * chunk * c, end = std::min(elements, begin + 8 * chunk);
    return std::span(node).subspan(index(begin) * index(n), index(end - begin) * index(n));
  };
  int colours = 0;
  for (int left = chunks; left > 0;) {
    taken.assign(index(nodes), 0);
    const int base = colours;
    for (int c = 0; c < chunks; ++c) {
      if (colour[index(c)] >= 0) continue;
      std::uint64_t mask = 0;
      for (int a : nodes_of(c)) mask |= taken[index(a)];
      if (~mask == 0) continue;
      const int bit = std::countr_one(mask);
      for (int a : nodes_of(c)) taken[index(a)] |= std::uint64_t{1} << bit;
      colour[index(c)] = base + bit;
      colours = std::max(colours, base + bit + 1);
      --left;
    }
  }
  colour_begin.assign(index(colours) + 1, 0);
  for (int c : colour) ++colour_begin[index(c) + 1];
  for (int c = 0; c < colours; ++c) colour_begin[index(c) + 1] += colour_begin[index(c)];
  chunk_order.resize(index(chunks));
  std::vector<int> filled(colour_begin.begin(), colour_begin.end() - 1);
  for (int c = 0; c < chunks; ++c) chunk_order[index(filled[index(colour[index(c)])]++)] = c;
}

void Block::make_slots(const NodeGraph& graph) {
  slot.reserve(8 * index(batches) * index(n * (n + 1) / 2));
  for (int batch = 0; batch < batches; ++batch)
    for (int b = 0; b < n; ++b)
      for (int a = 0; a <= b; ++a)
        for (int l = 0; l < 8; ++l) {
          const int* const of = pack_node.data() + 8 * static_cast<std::ptrdiff_t>(batch) * n;
          const int i = of[8 * a + l], j = of[8 * b + l];
          slot.push_back(i <= j ? graph.find(i, j) : ~graph.find(j, i));
        }
}

}  // namespace saltus::fem
