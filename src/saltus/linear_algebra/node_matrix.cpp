#include "saltus/linear_algebra/node_matrix.h"

#include <algorithm>

#include "saltus/base/index_internal.h"
#include "saltus/math/pack.h"

namespace saltus {
namespace {

// y_i = (sum_j a_0 x_0 + sum_j a_1 x_1) + sum_j a_2 x_2 with the columns a of the blocks (i, j), in
// four slots; the last slot contains the number that follows in memory and is discarded.
template <int W>
SALTUS_INLINE void node_rows_product(const int* offset, const int* column, const double* value,
                                     int begin, int end, const double* x, double* y) {
  using simd::at;
  using simd::V;
  constexpr int K = 4 / W;
  for (int i = begin; i < end; ++i) {
    V<W> sum[3][K] = {};
    for (int k = offset[i]; k < offset[i + 1]; ++k) {
      const double* const a = value + 9 * static_cast<std::ptrdiff_t>(k);
      const double* const b = x + 3 * static_cast<std::ptrdiff_t>(column[k]);
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c)
#pragma GCC unroll 2
        for (int l = 0; l < K; ++l) sum[c][l] += at<W>(a + 3 * c + l * W).v * b[c];
    }
    double total[4];
#pragma GCC unroll 2
    for (int l = 0; l < K; ++l) at<W>(total + l * W).v = (sum[0][l] + sum[1][l]) + sum[2][l];
    for (int c = 0; c < 3; ++c) y[3 * static_cast<std::ptrdiff_t>(i - begin) + c] = total[c];
  }
}

SALTUS_TARGET_baseline void product_baseline(const int* offset, const int* column,
                                             const double* value, int begin, int end,
                                             const double* x, double* y) {
  node_rows_product<2>(offset, column, value, begin, end, x, y);
}
#if SALTUS_CLONES
SALTUS_TARGET_avx2 void product_avx2(const int* offset, const int* column, const double* value,
                                     int begin, int end, const double* x, double* y) {
  node_rows_product<4>(offset, column, value, begin, end, x, y);
}
#endif

using Product = void (*)(const int*, const int*, const double*, int, int, const double*, double*);
Product best_product() {
#if SALTUS_CLONES
  if (simd::register_width() >= 4) return product_avx2;
#endif
  return product_baseline;
}

}  // namespace

NodeGraph::NodeGraph(int nodes, std::span<const std::pair<int, std::span<const int>>> elements) {
  // elements at each node, then the nodes of these elements
  std::vector<int> first(index(nodes) + 1, 0);
  for (const auto& [n, list] : elements)
    for (int a : list) ++first[index(a) + 1];
  for (int a = 0; a < nodes; ++a) first[index(a) + 1] += first[index(a)];
  std::vector<std::span<const int>> touching(index(first.back()));
  std::vector<int> filled(first.begin(), first.end() - 1);
  for (const auto& [n, list] : elements)
    for (std::size_t e = 0; e + index(n) <= list.size(); e += index(n)) {
      const auto element = list.subspan(e, index(n));
      for (int a : element) touching[index(filled[index(a)]++)] = element;
    }
  offset.reserve(index(nodes) + 1);
  std::vector<int> row;
  for (int i = 0; i < nodes; ++i) {
    row.assign(1, i);
    for (int t = first[index(i)]; t < first[index(i) + 1]; ++t)
      row.insert(row.end(), touching[index(t)].begin(), touching[index(t)].end());
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    const auto self = std::ranges::lower_bound(row, i) - row.begin();
    diagonal.push_back(offset.back() + static_cast<int>(self));
    column.insert(column.end(), row.begin(), row.end());
    offset.push_back(static_cast<int>(column.size()));
  }
  // visiting the rows in order yields the entries of each column from top to bottom
  mirror.resize(column.size());
  filled.assign(offset.begin(), offset.end() - 1);
  for (int i = 0; i < nodes; ++i)
    for (int k = offset[index(i)]; k < offset[index(i) + 1]; ++k)
      mirror[index(k)] = filled[index(column[index(k)])]++;
}

int NodeGraph::find(int row, int node) const {
  const auto begin = column.begin() + offset[index(row)],
             end = column.begin() + offset[index(row) + 1];
  const auto at = std::lower_bound(begin, end, node);
  return at == end || *at != node ? -1 : static_cast<int>(at - column.begin());
}

NodeMatrix::NodeMatrix(std::shared_ptr<const NodeGraph> graph)
    : graph_(std::move(graph)), value_(9 * graph_->column.size() + 1, 0.0) {}

void NodeMatrix::set_zero(ThreadPool& thread_pool) {
  thread_pool.blocks(index(graph_->nodes()), [&](std::size_t, std::size_t begin, std::size_t end) {
    std::fill(value_.begin() + 9 * static_cast<std::ptrdiff_t>(graph_->offset[begin]),
              value_.begin() + 9 * static_cast<std::ptrdiff_t>(graph_->offset[end]), 0.0);
  });
}

void NodeMatrix::mirror_upper(ThreadPool& thread_pool) {
  thread_pool.blocks(index(graph_->nodes()), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (int k = graph_->offset[i]; k < graph_->diagonal[i]; ++k) {
        const double* const from = block(graph_->mirror[index(k)]);
        double* const to = block(k);
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) to[3 * c + r] = from[3 * r + c];
      }
  });
}

void NodeMatrix::multiply_rows(int begin, int end, const double* x, double* y) const {
  static const Product best = best_product();
  best(graph_->offset.data(), graph_->column.data(), value_.data(), begin, end, x, y);
}

void NodeMatrix::multiply_add(ThreadPool& thread_pool, double scale, const double* x,
                              double* y) const {
  thread_pool.blocks(index(graph_->nodes()), [&](std::size_t, std::size_t begin, std::size_t end) {
    double part[3 * ThreadPool::kBlock];
    multiply_rows(static_cast<int>(begin), static_cast<int>(end), x, part);
    for (std::size_t i = 3 * begin; i < 3 * end; ++i) y[i] += scale * part[i - 3 * begin];
  });
}

}  // namespace saltus
