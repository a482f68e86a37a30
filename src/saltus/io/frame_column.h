// One column of the frames that wait in memory: long rows that nobody reads before another thread writes them.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>

#include "saltus/base/base.h"

namespace saltus {

/// Rows are copied past the cache where the machine can: they would push out of it what the next step needs, and each line
/// would first be fetched to be overwritten (862 modes, five rows a frame: 2.3 us instead of 4.0). Rows longer than a
/// page of 4 KiB lie on pages of 2 MiB: of small ones each needs two or three that the processor has forgotten (1.4 us less, and
/// quicker steps behind it).
class FrameColumn {
 public:
  /// Room for `count` numbers, in rows of `row`, without another allocation; pages are touched by the first row that comes to
  /// lie there.
  void reserve(std::size_t count, std::size_t row);
  void append(const Vector& row);
  void append(std::size_t count, double value);
  /// The last `count` numbers go from `other` to the end of this one.
  void take_last(std::size_t count, FrameColumn& other);
  void drop_last(std::size_t count) { size_ -= count; }
  void clear() { size_ = 0; }
  const double* data() const { return values_.get(); }
  std::size_t size() const { return size_; }
  const double* begin() const { return data(); }
  const double* end() const { return data() + size_; }

  /// Before another thread reads what was appended.
  static void publish();

 private:
  void append(const double* row, std::size_t count);
  double* grow(std::size_t count);

  struct Free {
    void operator()(double* values) const { std::free(values); }
  };
  using Values = std::unique_ptr<double[], Free>;
  Values values_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace saltus
