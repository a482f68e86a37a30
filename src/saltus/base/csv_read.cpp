#include "saltus/base/csv_read.h"

#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/base/text_check.h"
#include "saltus/base/units.h"

namespace saltus {
namespace {

struct Cell {
  std::string_view text;
  std::size_t column = 0;  ///< number of bytes before the cell
};

Cell trimmed(std::string_view line, std::size_t first, std::size_t last) {
  while (first < last && is_blank(line[first])) ++first;
  while (last > first && is_blank(line[last - 1])) --last;
  return {line.substr(first, last - first), first};
}

/// Cells of a line: separated by commas if the line contains any, else by blanks. A single comma at
/// the end starts no new cell.
std::vector<Cell> split(std::string_view line) {
  std::vector<Cell> cells;
  const bool commas = line.find(',') != std::string_view::npos;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    if (commas) {
      end = std::min(line.find(',', at), line.size());
      cells.push_back(trimmed(line, at, end));
      at = end + 1;
    } else {
      while (end < line.size() && !is_blank(line[end])) ++end;
      if (end > at) cells.push_back({line.substr(at, end - at), at});
      at = end + 1;
    }
  }
  return cells;
}

/// Whether the cells are column names: none is empty, is a number or starts like one.
bool is_header(const std::vector<Cell>& cells) {
  return std::ranges::none_of(cells, [](const Cell& cell) {
    constexpr std::string_view number_starts = "0123456789+-.";
    return cell.text.empty() || is_number(cell.text) ||
           number_starts.find(cell.text[0]) != std::string_view::npos;
  });
}

}  // namespace

double CsvTable::at(int row, int column) const {
  expects(row >= 0 && row < rows && column >= 0 && column < columns, "cell outside the table");
  return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                static_cast<std::size_t>(column)];
}

std::vector<double> CsvTable::column(int index) const {
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row) result.push_back(at(row, index));
  return result;
}

CsvTable read_csv(const std::filesystem::path& file, const std::string& path) {
  return read_csv_text(read_text_file(file, path), file.string(), path);
}

CsvTable read_csv_text(std::string_view text, const std::string& name, const std::string& path) {
  CsvTable table;
  table.file = name;
  const LineTable columns(text);
  int number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view whole = text.substr(at, end - at);
    const std::string_view line = whole.substr(0, whole.find('#'));
    at = end + 1;
    const std::vector<Cell> cells = split(line);
    if (cells.empty()) continue;
    const auto fail = [&](const Cell& cell, const std::string& message, const std::string& hint) {
      throw SceneError(path, message, hint)
          .at(name, number + 1, columns.column(number, static_cast<int>(cell.column)));
    };
    if (table.rows == 0 && table.names.empty() && is_header(cells)) {
      for (const Cell& cell : cells) table.names.emplace_back(cell.text);
      table.columns = static_cast<int>(cells.size());
      continue;
    }
    if (table.columns == 0) table.columns = static_cast<int>(cells.size());
    if (static_cast<int>(cells.size()) != table.columns)
      fail(cells.back(),
           "the row has " + std::to_string(cells.size()) + " cells instead of " +
               std::to_string(table.columns),
           "all rows must have the same number of cells");
    for (const Cell& cell : cells) {
      if (cell.text.empty()) fail(cell, "a cell is empty", "a number");
      const Quantity quantity = parse_quantity(cell.text, unit::one);
      if (!quantity.error.empty()) fail(cell, quantity.error, quantity.hint);
      table.values.push_back(quantity.value);
    }
    table.lines.push_back(number + 1);
    ++table.rows;
  }
  if (table.rows == 0)
    throw SceneError(path, "contains no numbers", "write at least one row of numbers")
        .at(name, 0, 0);
  return table;
}

void expect_columns(const CsvTable& table, int least, std::string_view what,
                    const std::string& path) {
  if (table.columns < least)
    throw SceneError(path, "the table has " + std::to_string(table.columns) + " columns",
                     "needed: " + std::string(what))
        .at(table.file, table.lines.empty() ? 0 : table.lines[0], 1);
}

}  // namespace saltus
