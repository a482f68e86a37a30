// Shapes are held by value or behind a pointer; rules take them by value.
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
