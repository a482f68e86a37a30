// A stop that is requested by its own n-th question, so that tests reach every place where loops ask.
#pragma once
#include <atomic>
#include <limits>

#include "saltus/base/stop.h"

namespace saltus::test {

class CountingStop final : public Stop {
 public:
  static constexpr long kNever = std::numeric_limits<long>::max();
  /// at: the question that is answered by yes, as all after it; 1 is the first.
  explicit CountingStop(long at = kNever) : Stop(true), at_(at) {}
  long asked() const { return asked_.load(); }

 private:
  bool look() noexcept override { return asked_.fetch_add(1) + 1 >= at_; }
  long at_;
  std::atomic<long> asked_{0};
};

}  // namespace saltus::test
