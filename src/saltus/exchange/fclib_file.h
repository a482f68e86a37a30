// Reads an FCLIB file object by object: every size is checked against the data before anything is
// allocated.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/base/entry.h"
#include "saltus/results/hdf5.h"

namespace saltus {

class FclibFile {
 public:
  /// Throws SceneError if the file cannot be opened, as all members do for an invalid object.
  explicit FclibFile(std::string path);

  /// SceneError "file: object: what (allowed)".
  [[noreturn]] void fail(const std::string& object, const std::string& what,
                         const std::string& allowed) const;
  bool has(const std::string& object) const { return file_.has(object); }
  int integer(const std::string& object) const;  ///< the only element of a dataset
  std::vector<int> integers(const std::string& object) const;
  Vector reals(const std::string& object) const;  ///< all finite
  Vector reals(const std::string& object, int size, const std::string& why) const;
  /// As above, but zeros if the data were declared and never written.
  Vector reals_or_zeros(const std::string& object, int size, const std::string& why) const;
  std::string text(const std::string& object) const;  ///< "" if missing

 private:
  h5::Dataset numbers(const std::string& object, bool whole) const;
  void expect_whole(const std::string& object, const h5::Extent& extent) const;
  Vector finite(const std::string& object, const h5::Dataset& data, int size) const;

  std::string path_;
  h5::File file_;
};

/// A matrix as stored in a file.
struct FclibMatrix {
  std::string object;
  int rows = 0, columns = 0;
  int nz = 0;  ///< >= 0: triplets; -1: by columns; -2: by rows
  std::vector<int> p, i;
  Vector x;
};

/// Throws if the matrix is not rows x columns or its arrays do not match; indices of triplets are
/// checked later.
FclibMatrix read_fclib_matrix(const FclibFile& file, const std::string& object, int rows,
                              int columns);

/// The two conventions of triplets: row i[k], column p[k] (CSparse, most writers) or row p[k],
/// column i[k].
enum class TripletOrder { row_i, row_p };

/// The convention for which all triplet indices of a file are in range; if both are possible, the
/// one with fewer empty columns; if that does not decide, row_i. Throws if an index is out of range
/// in both.
TripletOrder triplet_order(const FclibFile& file, std::span<const FclibMatrix> matrices);

std::vector<Entry> entries(const FclibMatrix& matrix, TripletOrder order);

}  // namespace saltus
