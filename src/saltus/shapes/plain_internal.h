// Shapes are stored by value or through a pointer; this gives contact rules a plain reference.
#pragma once
#include <memory>

namespace saltus {

template <class S>
const S& plain(const S& shape) {
  return shape;
}
template <class S>
const S& plain(const std::shared_ptr<const S>& shape) {
  return *shape;
}

}  // namespace saltus
