// Rows that are buffered in memory and written as columns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "saltus/results/hdf5.h"

namespace saltus {

/// A table stored by rows in memory, because each step writes one row, and by columns on disk,
/// because it is read that way. 64-bit floats in memory represent 32-bit integers exactly.
class RowTable {
 public:
  /// Adds the next column, in the order of the values of next().
  void add_column(h5::Dataset column, h5::Type type);
  /// Rows in memory, one after the other.
  struct Waiting {
    std::unique_ptr<double[]> values;
    std::size_t rows = 0;
  };
  /// Fixes the width and the number of rows that fit in memory.
  void reserve(std::size_t capacity);
  /// A buffer of the same capacity, for rows that are written while the next ones are added.
  Waiting room() const;

  std::size_t width() const { return columns_.size(); }
  std::size_t waiting() const { return waiting_.rows; }
  std::size_t capacity() const { return capacity_; }
  bool full() const { return waiting_.rows == capacity_; }
  /// Rows written, being written and waiting.
  std::size_t rows() const { return given_ + waiting_.rows; }
  /// A row of width() values for the caller to fill. Do not call when full().
  double* next() { return waiting_.values.get() + width() * waiting_.rows++; }
  /// Swaps the waiting rows into `other`, a room() or an already written one, which then collects
  /// the next rows.
  void hand_over(Waiting& other);
  /// Call in the order of hand_over(). Another thread may call this while rows are added and handed
  /// over.
  void write(const Waiting& rows);
  /// Drops all rows on disk from `rows` on; no rows may be waiting. Throws h5::Error if there are
  /// fewer.
  void truncate(std::size_t rows);
  const h5::Dataset& column(std::size_t index) const { return columns_[index].data; }

 private:
  struct Column {
    h5::Dataset data;
    h5::Type type;
  };
  std::vector<Column> columns_;
  Waiting waiting_;
  std::unique_ptr<double[]> reals_;  ///< of one column, for writing
  std::unique_ptr<std::int32_t[]> integers_;
  std::size_t capacity_ = 0, given_ = 0;
};

}  // namespace saltus
