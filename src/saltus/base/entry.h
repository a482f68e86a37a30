// One entry of a matrix that is given by its entries.
#pragma once

namespace saltus {

/// Row and column count from 0.
struct Entry {
  int row = 0, column = 0;
  double value = 0.0;
};

}  // namespace saltus
