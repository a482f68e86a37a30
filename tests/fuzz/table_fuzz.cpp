// Tables of numbers: CSV, Matrix Market and NumPy files, the same bytes to all three readers.
#include <cmath>

#include "fuzz.h"
#include "saltus/base/csv_read.h"
#include "saltus/base/matrix_market.h"
#include "saltus/base/npy.h"

using namespace saltus;
using namespace saltus_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  allowed("a.csv", [&] {
    const CsvTable table = read_csv_text(bytes, "a.csv");
    require(table.rows > 0 && table.columns > 0, "rows");
    require(std::ssize(table.values) == std::ptrdiff_t{table.rows} * table.columns, "values");
    require(std::ssize(table.lines) == table.rows, "lines");
    require(table.names.empty() || std::ssize(table.names) == table.columns, "names");
    for (const double value : table.values) require(std::isfinite(value), "finite");
    table.column(table.columns - 1);
  });
  allowed("a.mtx", [&] {
    const MatrixFile matrix = read_matrix_market_text(bytes, "a.mtx");
    require(matrix.rows >= 0 && matrix.columns >= 0, "size");
    for (const Entry& entry : matrix.entries)
      require(entry.row >= 0 && entry.row < matrix.rows && entry.column >= 0 &&
                  entry.column < matrix.columns && std::isfinite(entry.value),
              "entries");
  });
  allowed("a.npy", [&] { require(read_npy_bytes(bytes, "a.npy").allFinite(), "finite"); });
  return 0;
}
