#include "saltus/base/npy.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/base/text_check.h"

namespace saltus {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// Reads an unsigned number of `size` bytes, lowest byte first.
std::uint64_t little_endian(const char* bytes, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

double decode(const char* bytes, const std::string& type) {
  if (type == "<f8") return std::bit_cast<double>(little_endian(bytes, 8));
  if (type == "<f4")
    return std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(bytes, 4)));
  if (type == "<i8") return static_cast<double>(static_cast<std::int64_t>(little_endian(bytes, 8)));
  return static_cast<std::int32_t>(little_endian(bytes, 4));
}

// The header, a Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class Header {
 public:
  explicit Header(std::string_view text) : text_(text) {}

  std::string type;  ///< "" until read
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;

  /// Returns false if the text is not such a dictionary or lacks one of the three entries.
  bool read() {
    if (!take('{')) return false;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':') || !value(key)) return false;
      if (!take(',')) {
        if (!take('}')) return false;
        break;
      }
    }
    skip();
    return at_ == text_.size() && !type.empty() && fortran_order && shape;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted) {
    skip();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  bool string(std::string& result) {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') return false;
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    result = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }
  bool value(const std::string& key) {
    if (key == "descr") return string(type) || records();
    if (key == "fortran_order") {
      fortran_order = word("True");
      return *fortran_order || word("False");
    }
    return key == "shape" && tuple();
  }
  // A list of named columns. It is not supported, but quoting it gives a better message than "no
  // header".
  bool records() {
    skip();
    if (at_ >= text_.size() || text_[at_] != '[') return false;
    const std::size_t end = text_.rfind(']');
    if (end == std::string_view::npos) return false;
    type = text_.substr(at_, end + 1 - at_);
    at_ = end + 1;
    return true;
  }
  bool tuple() {
    if (!take('(')) return false;
    shape.emplace();
    while (!take(')')) {
      skip();
      std::uint64_t size = 0;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc{}) return false;
      at_ = static_cast<std::size_t>(end - text_.data());
      shape->push_back(size);
      if (!take(',')) return take(')');
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string printable(std::string_view text) {
  std::string result = "'";
  for (char c : text.substr(0, 40)) result += c >= ' ' && c < 0x7F ? c : '?';
  return result + (text.size() > 40 ? "...'" : "'");
}

}  // namespace

Matrix read_npy(const std::filesystem::path& file, const std::string& path) {
  return read_npy_bytes(read_text_file(file, path), file.string(), path);
}

// File layout: magic, version (2 bytes), length of the header (2 bytes, from version 2 on 4),
// header, numbers.
Matrix read_npy_bytes(std::string_view bytes, const std::string& name, const std::string& path) {
  const auto fail = [&](const std::string& message, const std::string& hint = "") {
    throw SceneError(path, message, hint).at(name, 0, 0);
  };
  if (!bytes.starts_with(kMagic)) fail("is not a NumPy file", "write it with numpy.save");
  const std::size_t length_at = kMagic.size() + 2;
  const int version =
      bytes.size() > kMagic.size() ? static_cast<unsigned char>(bytes[kMagic.size()]) : 0;
  const std::size_t length_size = version == 1 ? 2 : 4;
  if (bytes.size() < length_at + length_size) fail("ends inside its header");
  if (version < 1 || version > 3)
    fail("has version " + std::to_string(version) + " of the NumPy format", "allowed: 1, 2, 3");
  const std::uint64_t length = little_endian(bytes.data() + length_at, length_size);
  bytes.remove_prefix(length_at + length_size);
  if (length > bytes.size()) fail("ends inside its header");
  Header header(bytes.substr(0, length));
  bytes.remove_prefix(length);
  if (!header.read())
    fail("has no readable header",
         "needed: descr, fortran_order and shape, as numpy.save writes them");

  const std::string& type = header.type;
  if (type != "<f8" && type != "<f4" && type != "<i8" && type != "<i4")
    fail("contains numbers of type " + printable(type), "allowed: <f8, <f4, <i8, <i4");
  const auto& shape = *header.shape;
  if (shape.empty() || shape.size() > 2)
    fail("has " + std::to_string(shape.size()) + " dimensions", "allowed: one or two");
  const std::uint64_t rows = shape[0], columns = shape.size() == 2 ? shape[1] : 1;
  if (rows == 0 || columns == 0) fail("contains no numbers");
  const std::size_t size = type.back() == '8' ? 8 : 4;
  const std::uint64_t held = bytes.size() / size;
  if (rows > held || columns > held / rows || rows * columns * size != bytes.size())
    fail("contains " + std::to_string(bytes.size()) + " bytes of numbers instead of " +
         std::to_string(rows) + " x " + std::to_string(columns) + " of " + std::to_string(size));

  Matrix A(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      const Eigen::Index place = *header.fortran_order ? i + j * A.rows() : i * A.cols() + j;
      A(i, j) = decode(bytes.data() + static_cast<std::size_t>(place) * size, type);
      if (!std::isfinite(A(i, j)))
        fail("the number in row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) +
                 " is not finite",
             "write finite numbers");
    }
  return A;
}

}  // namespace saltus
