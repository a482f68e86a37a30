// Reading an FCLIB file object by object: every size is checked against the data before anything is
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
  /// Throws SceneError where the file cannot be opened, as all members do for an object that is not
  /// what it should be.
  explicit FclibFile(std::string path);

  /// SceneError "file: object: what (allowed)".
  [[noreturn]] void fail(const std::string& object, const std::string& what,
                         const std::string& allowed) const;
  bool has(const std::string& object) const { return file_.has(object); }
  int integer(const std::string& object) const;  ///< the only element of a dataset
  std::vector<int> integers(const std::string& object) const;
  Vector reals(const std::string& object) const;  ///< all finite
  Vector reals(const std::string& object, int size, const std::string& why) const;
  /// The same, and zeros where the data were declared and never written.
  Vector reals_or_zeros(const std::string& object, int size, const std::string& why) const;
  std::string text(const std::string& object) const;  ///< "" where it is not there

 private:
  h5::Dataset numbers(const std::string& object, bool whole) const;
  void expect_whole(const std::string& object, const h5::Extent& extent) const;
  Vector finite(const std::string& object, const h5::Dataset& data, int size) const;

  std::string path_;
  h5::File file_;
};

/// A matrix as it stands in a file.
struct FclibMatrix {
  std::string object;
  int rows = 0, columns = 0;
  int nz = 0;  ///< >= 0: triplets; -1: by columns; -2: by rows
  std::vector<int> p, i;
  Vector x;
};

/// Throws where it is not rows x columns or its arrays do not fit together; indices of triplets are
/// checked later.
FclibMatrix read_fclib_matrix(const FclibFile& file, const std::string& object, int rows,
                              int columns);

/// Which of the two conventions of triplets: row i[k], column p[k] (CSparse, most writers) or row
/// p[k], column i[k].
enum class TripletOrder { row_i, row_p };

/// The convention that keeps the indices of all triplet matrices of a file inside; where both do,
/// the one that leaves fewer columns empty; where that says nothing, row_i. Throws where an index
/// is outside in both.
TripletOrder triplet_order(const FclibFile& file, std::span<const FclibMatrix> matrices);

std::vector<Entry> entries(const FclibMatrix& matrix, TripletOrder order);

}  // namespace saltus
