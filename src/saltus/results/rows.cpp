#include "saltus/results/rows.h"

#include <utility>

namespace saltus {

void RowTable::add_column(h5::Dataset column, h5::Type type) {
  expects(capacity_ == 0, "RowTable::add_column after reserve");
  expects(type != h5::Type::uint64, "RowTable holds reals and 32-bit integers");
  column.expect_columns(1);
  columns_.push_back({std::move(column), type});
}

void RowTable::reserve(std::size_t capacity) {
  capacity_ = capacity;
  waiting_ = room();
  reals_ = std::make_unique_for_overwrite<double[]>(capacity);
  integers_ = std::make_unique_for_overwrite<std::int32_t[]>(capacity);
}

// Not initialised: pages are allocated by the first row stored in them.
RowTable::Waiting RowTable::room() const {
  return {std::make_unique_for_overwrite<double[]>(capacity_ * width()), 0};
}

void RowTable::hand_over(Waiting& other) {
  std::swap(waiting_, other);
  given_ += other.rows;
  waiting_.rows = 0;
}

void RowTable::write(const Waiting& rows) {
  for (std::size_t c = 0; c < width(); ++c) {
    Column& column = columns_[c];
    const double* value = rows.values.get() + c;
    if (column.type == h5::Type::int32) {
      for (std::size_t r = 0; r < rows.rows; ++r, value += width())
        integers_[r] = static_cast<std::int32_t>(*value);
      column.data.append(std::span<const std::int32_t>(integers_.get(), rows.rows));
    } else {
      for (std::size_t r = 0; r < rows.rows; ++r, value += width()) reals_[r] = *value;
      column.data.append(std::span<const double>(reals_.get(), rows.rows));
    }
  }
}

void RowTable::truncate(std::size_t rows) {
  expects(waiting_.rows == 0, "RowTable::truncate with rows in memory");
  for (Column& column : columns_) {
    if (column.data.rows() < rows) throw h5::Error(column.data.label() + ": rows are missing");
    column.data.truncate(rows);
  }
  given_ = rows;
}

}  // namespace saltus
