#include "saltus/linear_algebra/block_pattern.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <numeric>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr int kSmall = 8;  ///< graphs with at most this many nodes are one front
/// fraction of all blocks present, from which the graph is one front
constexpr double kFilled = 0.5;
constexpr double kExtra = 0.15;  ///< fraction of zero blocks that a merged front may contain

std::vector<int> minimum_degree(int n, const std::vector<int>& offset,
                                const std::vector<int>& column) {
  using Pattern = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
  const std::vector<double> ones(column.size(), 1.0);
  const Pattern graph = Eigen::Map<const Pattern>(n, n, static_cast<Eigen::Index>(column.size()),
                                                  offset.data(), column.data(), ones.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(graph.selfadjointView<Eigen::Upper>(), order);
  return {order.indices().begin(), order.indices().end()};
}

/// A front under construction; nodes are identified by their position in the elimination order.
struct Front {
  std::vector<int> pivots, border;  ///< border in increasing order
  std::vector<int> children;
  int parent = -1;
  bool merged = false;
};

/// Number of blocks of L and U in a front.
double blocks_of_pattern(std::size_t pivots, std::size_t border) {
  const auto p = static_cast<double>(pivots), q = static_cast<double>(border);
  return p * (p + 2.0 * q);
}

}  // namespace

bool BlockPattern::known(const BlockGraph& graph) const {
  if (graph.n != nodes() || graph.last != last_ || graph.small != small_ || children_.empty())
    return false;
  const int first = graph.offset[0];
  for (int i = 0; i <= graph.n; ++i)
    if (graph.offset[i] - first != offset_[at(i)]) return false;
  for (int k = 0; k < offset_.back(); ++k)
    if (graph.column[first + k] - graph.base != column_[at(k)]) return false;
  return true;
}

void BlockPattern::analyse(const BlockGraph& graph) {
  if (graph.n == 0 || known(graph)) return;
  const int n = graph.n, first = graph.offset[0], count = graph.offset[n] - first;
  offset_.resize(at(n) + 1);
  column_.resize(at(count));
  for (int i = 0; i <= n; ++i) offset_[at(i)] = graph.offset[i] - first;
  for (int k = 0; k < count; ++k) column_[at(k)] = graph.column[first + k] - graph.base;
  last_ = graph.last;
  small_ = graph.small;

  std::vector<int> order(at(n)), place(at(n));
  if (n <= kSmall || count >= kFilled * n * static_cast<double>(n)) {
    std::iota(order.begin(), order.end(), 0);
    pivot_ = order;
    pivot_begin_ = {0, n};
    border_.clear();
    border_begin_ = {0, 0};
    children_ = {0};
  } else {
    order = order_of(n - last_);
    make_fronts(order);
    order = pivot_;
  }
  for (int k = 0; k < n; ++k) place[at(order[at(k)])] = k;
  couple(place);
}

/// Minimum degree order of the first n nodes, followed by the others in their given order.
std::vector<int> BlockPattern::order_of(int n) const {
  if (n == nodes()) return minimum_degree(n, offset_, column_);
  std::vector<int> offset{0}, column;
  for (int i = 0; i < n; ++i) {
    for (int k = offset_[at(i)]; k < offset_[at(i) + 1]; ++k)
      if (column_[at(k)] < n) column.push_back(column_[at(k)]);
    offset.push_back(static_cast<int>(column.size()));
  }
  std::vector<int> order = minimum_degree(n, offset, column);
  for (int i = n; i < nodes(); ++i) order.push_back(i);
  return order;
}

void BlockPattern::make_fronts(const std::vector<int>& order) {
  const int n = nodes();
  std::vector<int> place(at(n)), mark(at(n), -1);
  for (int k = 0; k < n; ++k) place[at(order[at(k)])] = k;

  // columns of the factor: each is the union of its part of the graph and of its children
  std::vector<Front> front(at(n));
  for (int k = 0; k < n; ++k) {
    Front& f = front[at(k)];
    f.pivots = {k};
    mark[at(k)] = k;
    const auto add = [&](int j) {
      if (j <= k || mark[at(j)] == k) return;
      mark[at(j)] = k;
      f.border.push_back(j);
    };
    const int i = order[at(k)];
    for (int e = offset_[at(i)]; e < offset_[at(i) + 1]; ++e) add(place[at(column_[at(e)])]);
    for (const int child : f.children)
      for (const int j : front[at(child)].border) add(j);
    std::sort(f.border.begin(), f.border.end());
    if (f.border.empty()) continue;
    f.parent = f.border.front();
    front[at(f.parent)].children.push_back(k);
  }

  // merge a front into its parent if that adds few zeros; children come before their parents
  for (int k = 0; k < n; ++k) {
    Front& f = front[at(k)];
    std::vector<int> children;
    for (const int c : f.children) {  // final except for their parent
      Front& child = front[at(c)];
      const std::size_t p = child.pivots.size(), q = child.border.size();
      const std::size_t p2 = f.pivots.size(), q2 = f.border.size();
      const double zeros =
          blocks_of_pattern(p + p2, q2) - blocks_of_pattern(p, q) - blocks_of_pattern(p2, q2);
      if (p + p2 + q2 > at(small_) && zeros > kExtra * blocks_of_pattern(p + p2, q2)) {
        children.push_back(c);
        continue;
      }
      child.merged = true;
      f.pivots.insert(f.pivots.begin(), child.pivots.begin(), child.pivots.end());
      children.insert(children.end(), child.children.begin(), child.children.end());
    }
    f.children = std::move(children);
  }

  // fronts in postorder, so that the updates of all children of a front are together on the stack
  pivot_.clear(), border_.clear(), children_.clear();
  pivot_begin_.assign(1, 0), border_begin_.assign(1, 0);
  std::vector<std::pair<int, std::size_t>> path;
  for (int root = 0; root < n; ++root) {
    if (front[at(root)].merged || front[at(root)].parent >= 0) continue;
    path.emplace_back(root, 0);
    while (!path.empty()) {
      auto& [k, next] = path.back();
      const Front& f = front[at(k)];
      if (next < f.children.size()) {
        path.emplace_back(f.children[next++], 0);
        continue;
      }
      for (const int i : f.pivots) pivot_.push_back(order[at(i)]);
      for (const int i : f.border) border_.push_back(order[at(i)]);
      pivot_begin_.push_back(static_cast<int>(pivot_.size()));
      border_begin_.push_back(static_cast<int>(border_.size()));
      children_.push_back(static_cast<int>(f.children.size()));
      path.pop_back();
    }
  }
  // sort borders by the resulting elimination order
  for (int k = 0; k < n; ++k) place[at(pivot_[at(k)])] = k;
  for (int s = 0; s < fronts(); ++s)
    std::sort(border_.begin() + border_begin_[at(s)], border_.begin() + border_begin_[at(s) + 1],
              [&](int i, int j) { return place[at(i)] < place[at(j)]; });
}

void BlockPattern::couple(const std::vector<int>& place) {
  coupling_.clear();
  coupling_begin_.assign(1, 0);
  for (int i = 0; i < nodes(); ++i) {
    const std::size_t begin = coupling_.size();
    for (int k = offset_[at(i)]; k < offset_[at(i) + 1]; ++k) {
      const int j = column_[at(k)];
      if (place[at(j)] < place[at(i)]) continue;
      const auto row = column_.begin() + offset_[at(j)], end = column_.begin() + offset_[at(j) + 1];
      const auto found = std::lower_bound(row, end, i);
      expects(found != end && *found == i, "the pattern of the blocks must be symmetric");
      coupling_.push_back({j, k, static_cast<int>(found - column_.begin())});
      if (j == i) std::swap(coupling_.back(), coupling_[begin]);
    }
    expects(coupling_.size() > begin && coupling_[begin].to == i,
            "the pattern of the blocks must hold its diagonal");
    coupling_begin_.push_back(static_cast<int>(coupling_.size()));
  }
}

}  // namespace saltus
