// Whole numbers from files that hold them as numbers of any type.
#pragma once
#include <string>

#include "saltus/results/hdf5.h"

namespace saltus::h5 {

/// x as a whole number; Error ("<label>: holds a number it cannot have") where it is outside of
/// [low, high], all ints when not given, or not a number.
inline int whole(double x, const std::string& label, double low = -0x1p31,
                 double high = 0x1p31 - 1.0) {
  if (!(x >= low && x <= high)) throw Error(label + ": holds a number it cannot have");
  return static_cast<int>(x);
}

}  // namespace saltus::h5
