// One entry of a sparse matrix.
#pragma once

namespace saltus {

/// Row and column are counted from 0.
struct Entry {
  int row = 0, column = 0;
  double value = 0.0;
};

}  // namespace saltus
