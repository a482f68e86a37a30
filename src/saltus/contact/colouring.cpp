#include "saltus/contact/colouring.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

constexpr std::size_t kColours = 64;

}  // namespace

void Colouring::assign(const BodyRows& H) {
  const auto block = at(H.width * H.width);
  held_.resize(at(H.bodies()));
  for (std::size_t b = 0; b < held_.size(); ++b) {
    const auto A = H.inverse.begin() + static_cast<std::ptrdiff_t>(b * block);
    held_[b] =
        std::all_of(A, A + static_cast<std::ptrdiff_t>(block), [](double x) { return x == 0.0; });
  }
  // the same loop twice, to count and to fill: cheaper than storing a colour for every contact
  const auto visit = [&](const auto& use) {
    taken_.assign(held_.size(), 0);
    for (int c = 0; c < H.contacts(); ++c) {
      std::uint64_t taken = 0;
      const int end = H.offset[at(c) + 1];
      for (int k = H.offset[at(c)]; k < end; ++k)
        if (!held(H.body[at(k)])) taken |= taken_[at(H.body[at(k)])];
      const auto colour = static_cast<std::size_t>(std::countr_one(taken));  // 64: none is free
      use(c, colour);
      if (colour == kColours) continue;
      for (int k = H.offset[at(c)]; k < end; ++k)
        taken_[at(H.body[at(k)])] |= std::uint64_t{1} << colour;
    }
  };
  std::array<std::size_t, kColours + 1> next{};
  visit([&](int, std::size_t colour) { ++next[colour]; });
  begin_.assign(1, 0);
  begin_.reserve(kColours + 2);
  std::size_t used = 0, end = 0;
  for (; used < kColours && next[used] > 0; ++used) {
    begin_.push_back(end + next[used]);
    next[used] = std::exchange(end, begin_.back());
  }
  begin_.push_back(end + next[kColours]);
  next[kColours] = end;
  order_.resize(at(H.contacts()));
  visit([&](int c, std::size_t colour) { order_[next[colour]++] = c; });
}

}  // namespace saltus
