// Rows at the end of a table, chunk by chunk and past the cache and the filters of the library, which compress every byte
// and take five times as long. The last chunk stays in memory and is written again when it has more rows, or, of a file that is
// completed late, when it is full or flushed. A sum of all that was appended is carried along.
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "saltus/results/hdf5_internal.h"
#include "saltus/results/planes.h"

namespace saltus::h5 {

/// A table that was appended to.
struct Growing {
  bool direct = false;      ///< false: through the library
  std::size_t rows = 0;     ///< appended
  std::size_t shown = 0;    ///< in the file
  std::size_t columns = 1;  ///< numbers a row
  std::size_t chunk = 1;    ///< rows
  std::size_t element = 8;  ///< [bytes]
  bool compressed = false;
  std::vector<char>
      last;  ///< the rows of the chunk that is not full, behind them zeros; no bytes: not known yet
  bool waits = false;     ///< `last` has rows that the file has not
  Handle data;            ///< then: the table
  bool summed = false;    ///< `sum` is known
  std::uint64_t sum = 0;  ///< of all rows
  PlaneCoder coder;

  std::size_t row_bytes() const { return columns * element; }
  std::size_t chunk_bytes() const { return chunk * row_bytes(); }
};

namespace {

constexpr unsigned kNotDeflated = 2;  // the second filter was left out

#if H5_VERSION_GE(1, 10, 3)
/// Tables as Group::create() makes them: numbers as in memory, in chunks of whole rows, as they are or shuffled and deflated.
bool fits(hid_t data, hid_t type, Growing& table) {
  if constexpr (std::endian::native != std::endian::little) return false;
  const Handle stored(H5Dget_type(data), close_type), space(H5Dget_space(data), close_space),
      layout(H5Dget_create_plist(data), close_list);
  std::array<hsize_t, 2> size{0, 1}, chunk{1, 1};
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (H5Tequal(stored.get(), type) <= 0 || rank < 1 || rank > 2 ||
      H5Sget_simple_extent_dims(space.get(), size.data(), nullptr) != rank ||
      H5Pget_layout(layout.get()) != H5D_CHUNKED ||
      H5Pget_chunk(layout.get(), 2, chunk.data()) != rank || chunk[1] != size[1])
    return false;
  const auto filter = [&](unsigned k) {
    unsigned flags = 0;
    std::size_t values = 0;
    return H5Pget_filter2(layout.get(), k, &flags, &values, nullptr, 0, nullptr, nullptr);
  };
  const int filters = H5Pget_nfilters(layout.get());
  table.compressed = filters == 2;
  if (filters != 0 &&
      !(filters == 2 && filter(0) == H5Z_FILTER_SHUFFLE && filter(1) == H5Z_FILTER_DEFLATE))
    return false;
  table.rows = table.shown = static_cast<std::size_t>(size[0]);
  table.columns = static_cast<std::size_t>(size[1]);
  table.chunk = static_cast<std::size_t>(chunk[0]);
  table.element = H5Tget_size(stored.get());
  return table.columns > 0 && (table.element == 8 || table.element == 4) &&
         table.chunk_bytes() < (std::size_t{1} << 31);
}

/// The table in the file has `rows` rows, more than before.
bool show(hid_t data, Growing& table, std::size_t rows) {
  const std::array<hsize_t, 2> size{rows, table.columns};
  table.shown = rows;
  return H5Dset_extent(data, size.data()) >= 0;
}

bool put_chunk(hid_t data, Growing& table, std::size_t first_row, std::span<const char> bytes) {
  const std::array<hsize_t, 2> at{first_row, 0};
  unsigned left_out = 0;
  if (table.compressed) {
    const PlaneCoder::Coded coded = table.coder.encode(bytes, table.element);
    bytes = coded.bytes;
    if (!coded.deflated) left_out = kNotDeflated;
  }
  return H5Dwrite_chunk(data, H5P_DEFAULT, left_out, at.data(), bytes.size(), bytes.data()) >= 0;
}
#else
bool fits(hid_t, hid_t, Growing&) { return false; }
bool show(hid_t, Growing&, std::size_t) { return false; }
bool put_chunk(hid_t, Growing&, std::size_t, std::span<const char>) { return false; }
#endif

constexpr std::uint64_t kNoRows = 0xcbf29ce484222325ULL;  // the sum of nothing

// One number after the other, so that it does not matter in which portions they come. Each step can be undone: sums that
// differ once differ until another number differs too.
template <typename Word>
std::uint64_t added(std::uint64_t sum, const void* values, std::size_t count) {
  const char* next = static_cast<const char*>(values);
  for (std::size_t i = 0; i < count; ++i, next += sizeof(Word)) {
    Word word;
    std::memcpy(&word, next, sizeof word);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL;
    sum ^= sum >> 32;
  }
  return sum;
}

std::uint64_t added(std::uint64_t sum, std::size_t element, const void* values, std::size_t count) {
  return element == 4 ? added<std::uint32_t>(sum, values, count)
                      : added<std::uint64_t>(sum, values, count);
}

/// How numbers of 4 or 8 bytes are read without a change of a bit; -1: they are none.
hid_t type_in_memory(hid_t data) {
  const Handle stored(H5Dget_type(data), close_type);
  const std::size_t size = H5Tget_size(stored.get());
  const H5T_class_t kind = H5Tget_class(stored.get());
  if (kind == H5T_FLOAT && size == 8) return H5T_NATIVE_DOUBLE;
  if (kind == H5T_INTEGER && size == 8) return H5T_NATIVE_UINT64;
  if (kind == H5T_INTEGER && size == 4) return H5T_NATIVE_INT32;
  return -1;
}

}  // namespace

Growing& Dataset::growing() {
  std::shared_ptr<Growing>& found = file_->growing[path_];
  if (!found) {
    const hid_t type = type_in_memory(id_.get());
    found = std::make_shared<Growing>();
    found->direct = type >= 0 && fits(id_.get(), type, *found);
    found->summed = type >= 0 && rows() == 0;
    found->sum = kNoRows;
  }
  return *found;
}

bool Dataset::holds_numbers() const {
  quiet();
  return type_in_memory(id_.get()) >= 0;
}

std::optional<std::uint64_t> Dataset::kept_sum() const {
  const auto found = file_->growing.find(path_);
  if (found == file_->growing.end()) return rows() == 0 ? std::optional(kNoRows) : std::nullopt;
  return found->second->summed ? std::optional(found->second->sum) : std::nullopt;
}

void Dataset::keep_sum(std::uint64_t sum) {
  Growing& table = growing();
  table.summed = true;
  table.sum = sum;
}

std::uint64_t Dataset::sum(std::size_t rows) const {
  quiet();
  constexpr std::size_t kBlock = 1 << 17;  // numbers
  const hid_t type = type_in_memory(id_.get());
  if (type < 0) fail("is no table of numbers");
  const std::size_t width = columns(), element = H5Tget_size(type),
                    block = std::max<std::size_t>(1, kBlock / std::max<std::size_t>(width, 1));
  std::uint64_t sum = kNoRows;
  std::vector<char> values;
  for (std::size_t first = 0; first < rows; first += block) {
    const std::size_t taken = std::min(block, rows - first), count = held(first, taken);
    values.resize(count * element);
    read_raw(type, first, taken, values.data());
    sum = added(sum, element, values.data(), count);
  }
  return sum;
}

/// False where the table is none of those that can be written so.
bool Dataset::append_chunks(std::int64_t type, const void* values, std::size_t count) {
  Growing& table = growing();
  if (H5Tequal(type, type_in_memory(id_.get())) <= 0) {  // not as it is stored
    table.summed = false;
    return false;
  }
  if (table.summed) table.sum = added(table.sum, H5Tget_size(type), values, count);
  if (!table.direct) return false;
  expect_whole_rows(count, table.columns);
  const std::size_t added = count / table.columns, row = table.row_bytes();
  std::size_t full = table.rows % table.chunk;  // rows of the last chunk
  if (full > 0 && table.last.empty()) {
    table.last.resize(table.chunk_bytes());
    read_raw(type, table.rows - full, full, table.last.data());
  }
  std::size_t rows = table.rows + added;
  if (file_->late) rows -= rows % table.chunk;
  if (rows > table.shown && !show(id_.get(), table, rows)) fail("cannot grow");
  const char* next = static_cast<const char*>(values);
  for (std::size_t left = added; left > 0;) {
    const std::size_t taken = std::min(left, table.chunk - full);
    std::span<const char> bytes(next, taken * row);
    if (taken <
        table.chunk) {  // not the whole of a chunk: with what is there, or to be gone on with
      table.last.resize(table.chunk_bytes());
      if (full == 0) std::memset(table.last.data(), 0, table.last.size());
      std::memcpy(table.last.data() + full * row, next, taken * row);
      bytes = table.last;
    }
    table.waits = file_->late && full + taken < table.chunk;
    if (!table.waits)
      require(put_chunk(id_.get(), table, table.rows - full, bytes), "cannot write");
    table.rows += taken;
    full = (full + taken) % table.chunk;
    next += taken * row;
    left -= taken;
  }
  if (table.waits && table.data.get() < 0 && H5Iinc_ref(id_.get()) > 0)
    table.data = Handle(id_.get(), [](std::int64_t id) -> int { return H5Idec_ref(id); });
  return true;
}

void File::complete() const {
  for (const auto& [path, table] : file_->growing) {
    if (!std::exchange(table->waits, false)) continue;
    quiet();
    const std::size_t first = table->rows - table->rows % table->chunk;
    const hid_t data = table->data.get();
    if (!show(data, *table, table->rows) || !put_chunk(data, *table, first, table->last) ||
        file_->error)
      Dataset(Handle(), file_, path).fail("cannot write");
  }
}

}  // namespace saltus::h5
