// Whole numbers from files that hold them as numbers of any type.
#pragma once
#include <string>

#include "saltus/io/hdf5.h"

namespace saltus::h5 {

/// x as a whole number; Error ("<label>: holds a number it cannot have") where it is outside of [low, high], which ints can
/// hold, or not a number.
inline int whole(double x, double low, double high, const std::string& label) {
  if (!(x >= low && x <= high)) throw Error(label + ": holds a number it cannot have");
  return static_cast<int>(x);
}

}  // namespace saltus::h5
