// Rows that wait in memory until they are written as columns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "saltus/results/hdf5.h"

namespace saltus {

/// A table kept row by row in memory, because one step writes one row, and column by column on
/// disk, because that is how it is read. 64-bit floats in memory hold the 32-bit integers exactly.
class RowTable {
 public:
  /// The next place of a row. Columns in the order of the values of next().
  void add_column(h5::Dataset column, h5::Type type);
  /// Rows in memory, one after the other.
  struct Waiting {
    std::unique_ptr<double[]> values;
    std::size_t rows = 0;
  };
  /// Fixes the width; `capacity` rows fit in memory.
  void reserve(std::size_t capacity);
  /// Room for as many: for what is written while the next rows are added.
  Waiting room() const;

  std::size_t width() const { return columns_.size(); }
  std::size_t waiting() const { return waiting_.rows; }
  std::size_t capacity() const { return capacity_; }
  bool full() const { return waiting_.rows == capacity_; }
  /// Rows written, in the making and waiting.
  std::size_t rows() const { return given_ + waiting_.rows; }
  /// A row of width() values for the caller to fill. Not when full().
  double* next() { return waiting_.values.get() + width() * waiting_.rows++; }
  /// What waits goes into `other`, a room() or what was written, which takes the next rows.
  void hand_over(Waiting& other);
  /// In the order of hand_over(). Another thread may call this while rows are added and handed
  /// over.
  void write(const Waiting& rows);
  /// Drops all rows on disk from `rows` on; nothing may be waiting. Throws h5::Error if there are
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
  std::unique_ptr<double[]> reals_;  ///< of one column, to be written
  std::unique_ptr<std::int32_t[]> integers_;
  std::size_t capacity_ = 0, given_ = 0;
};

}  // namespace saltus
