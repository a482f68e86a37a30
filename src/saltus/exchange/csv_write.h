// Writes tables as CSV (RFC 4180): header with names and units, 17 significant digits, so that
// numbers are recovered bit for bit.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/results/output_file.h"

namespace saltus {

/// One column; with `unit` "" the header has no brackets.
struct CsvColumn {
  std::string name, unit;
  std::span<const double> values;
};

/// 17 significant digits.
std::string csv_number(double x);

/// The first line, without line end; values are ignored.
std::string csv_header(std::span<const CsvColumn> columns);

/// Writes columns of equal length through a `.part` file. Throws SceneError, RunError as
/// OutputFile.
void write_csv(const std::string& path, std::span<const CsvColumn> columns);

/// A table written row by row, for tables that do not fit in memory.
class CsvWriter {
 public:
  CsvWriter(const std::string& path,
            std::span<const CsvColumn> header);  ///< values of the header are ignored
  void row(std::span<const double> values);
  /// A row of numbers (csv_number) and words.
  void row(std::span<const std::string> cells);
  void commit();

 private:
  OutputFile file_;
  std::size_t columns_;
  std::string line_;
};

}  // namespace saltus
