#include "saltus/exchange/csv_write.h"

#include <charconv>

#include "saltus/base/error.h"

namespace saltus {
namespace {

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Independent of the locale, unlike printf.
void append_number(std::string& line, double x) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, 17).ptr;
  line.append(text, end);
}

}  // namespace

std::string csv_header(std::span<const CsvColumn> columns) {
  std::string line;
  for (const CsvColumn& column : columns) {
    if (!line.empty()) line += ',';
    line += cell(column.unit.empty() ? column.name : column.name + " [" + column.unit + "]");
  }
  return line;
}

CsvWriter::CsvWriter(const std::string& path, std::span<const CsvColumn> header)
    : file_(path), columns_(header.size()) {
  line_ = csv_header(header) + '\n';
  file_.write(line_);
}

void CsvWriter::row(std::span<const double> values) {
  expects(values.size() == columns_, "CsvWriter::row: one value per column");
  line_.clear();
  for (const double value : values) {
    if (!line_.empty()) line_ += ',';
    append_number(line_, value);
  }
  line_ += '\n';
  file_.write(line_);
}

void CsvWriter::row(std::span<const std::string> cells) {
  expects(cells.size() == columns_, "CsvWriter::row: one cell per column");
  line_.clear();
  for (const std::string& one : cells) {
    if (!line_.empty()) line_ += ',';
    line_ += cell(one);
  }
  line_ += '\n';
  file_.write(line_);
}

void CsvWriter::commit() { file_.commit(); }

std::string csv_number(double x) {
  std::string text;
  append_number(text, x);
  return text;
}

void write_csv(const std::string& path, std::span<const CsvColumn> columns) {
  const std::size_t rows = columns.empty() ? 0 : columns[0].values.size();
  for (const CsvColumn& column : columns)
    expects(column.values.size() == rows, "write_csv: columns must have equal length");
  CsvWriter writer(path, columns);
  std::vector<double> row(columns.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) row[c] = columns[c].values[r];
    writer.row(row);
  }
  writer.commit();
}

}  // namespace saltus
