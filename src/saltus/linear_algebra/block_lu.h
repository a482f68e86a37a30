// LU of a sparse matrix of small blocks, front by front.
#pragma once
#include <cstddef>
#include <vector>

#include "saltus/linear_algebra/block_pattern.h"

namespace saltus {

class Stop;

/// A = L U with row exchanges inside a front only: for matrices that could do without, such as W +
/// alpha D and the Newton matrices of contact. Work space and factors are kept from call to call.
class BlockLu {
 public:
  /// Work space for nodes of these sizes: what follows with none larger takes nothing from the
  /// heap.
  void reserve(const BlockPattern& pattern, const int* size) {
    pattern_ = &pattern;
    begin(size);
  }
  /// Block k of the graph that was analysed, (i, j), stands at value + start[k], size[i] x size[j],
  /// row by row. A node of size 0 is left out. `pattern` is used until the next call. False: a
  /// pivot is 0 or not finite, or `stop` is requested.
  bool factorise(const BlockPattern& pattern, const int* size, const double* value,
                 const std::size_t* start, Stop* stop = nullptr);
  /// x <- A^-1 x, node after node.
  void solve(double* x);
  /// Of a symmetric A the blocks of A^-1 where A has blocks, in the places of factorise(). A. M.
  /// Erisman, W. F. Tinney, Comm. ACM 18 (1975) 177-179.
  void inverse(double* value, const std::size_t* start);

 private:
  struct Front {
    std::size_t upper, lower, exchange;
    int p, q;
  };
  struct Update {
    std::size_t begin;
    int front;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void begin(const int* size);
  void assemble(int s, const Front& front, const int* size, const double* value,
                const std::size_t* start);
  void extend(const Update& child, const Front& front);

  const BlockPattern* pattern_ = nullptr;
  std::vector<int> size_;   // of each node
  std::vector<int> row_;    // first row of each node in x, n + 1
  std::vector<int> local_;  // first row of each node in the front being assembled
  std::vector<Front> fronts_;
  std::vector<double> factor_;  // upper and lower of each front
  std::vector<int> exchange_;
  std::vector<double> stack_, F22_;  // updates of fronts whose parent is to come
  std::vector<Update> updates_;
  std::vector<int> index_;             // rows of a child in its parent
  std::vector<double> x_, product_;    // of one front
  std::vector<int> parent_, waiting_;  // of each front; those whose parent is to come
  std::vector<std::size_t> place_;     // of each front in Z_
  std::vector<double> Z_, X_, Y_;      // A^-1 of each front; work space of one
};

}  // namespace saltus
