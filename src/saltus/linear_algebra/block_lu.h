// Sparse LU factorisation of a matrix of small blocks, front by front.
#pragma once
#include <cstddef>
#include <vector>

#include "saltus/linear_algebra/block_pattern.h"

namespace saltus {

class Stop;

/// A = L U with row exchanges only within a front: for matrices that hardly need exchanges, such as
/// W + alpha D and the Newton matrices of contact. Work space and factors are reused between calls.
class BlockLu {
 public:
  /// Allocates work space for nodes of these sizes: later calls with no larger node allocate
  /// nothing.
  void reserve(const BlockPattern& pattern, const int* size) {
    pattern_ = &pattern;
    begin(size);
  }
  /// Block k of the analysed graph, (i, j), is stored at value + start[k], size[i] x size[j], row
  /// by row. A node of size 0 is left out. `pattern` must stay valid until the next call. Returns
  /// false if a pivot is 0 or not finite, or if `stop` is requested.
  bool factorise(const BlockPattern& pattern, const int* size, const double* value,
                 const std::size_t* start, Stop* stop = nullptr);
  /// x <- A^-1 x, with the nodes in their own order.
  void solve(double* x);
  /// For a symmetric A: writes the blocks of A^-1 that belong to blocks of A, stored as in
  /// factorise(). A. M. Erisman, W. F. Tinney, Comm. ACM 18 (1975) 177-179.
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
  std::vector<int> size_;   // size of each node
  std::vector<int> row_;    // first row of each node in x, n + 1
  std::vector<int> local_;  // first row of each node in the front being assembled
  std::vector<Front> fronts_;
  std::vector<double> factor_;  // upper and lower part of each front
  std::vector<int> exchange_;
  std::vector<double> stack_, F22_;  // updates of fronts whose parent is not yet done
  std::vector<Update> updates_;
  std::vector<int> index_;             // rows of a child in its parent
  std::vector<double> x_, product_;    // work space of one front
  std::vector<int> parent_, waiting_;  // parent of each front; fronts whose parent is not yet done
  std::vector<std::size_t> place_;     // start of each front in Z_
  std::vector<double> Z_, X_, Y_;      // A^-1 of each front; work space of one
};

}  // namespace saltus
