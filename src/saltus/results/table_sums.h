// What tells whether the tables of a results file still hold what was written: a checkpoint vouches
// for the rows in front of it.
#pragma once
#include <string>
#include <vector>

#include "saltus/results/hdf5.h"

namespace saltus {

/// Rows of each table and the sum of them, in the order of the list in the file. Empty: of a file
/// without a list.
struct TableSums {
  std::vector<std::uint64_t> rows, sum;
};

class SummedTables {
 public:
  /// Writes the list into a file that has all its tables and no rows of steps and frames yet:
  /// /provenance/tables, with the sums of what is written once.
  static SummedTables list(const h5::File& file);
  /// Throws h5::Error. Of a file that is older than the list: nothing is summed.
  static SummedTables open(const h5::File& file);

  /// Of the rows as they are.
  TableSums sums() const;
  /// Reads all of these rows. Throws h5::Error where they are not there or not those that were
  /// summed.
  void expect(const TableSums& sums) const;
  /// The tables end with these rows, and go on from these sums. Throws h5::Error where rows are
  /// missing.
  void keep(const TableSums& sums);

 private:
  struct Fixed {
    h5::Dataset data;
    std::uint64_t sum;
  };
  void add_growing(const std::string& path, h5::Dataset data);
  std::vector<h5::Dataset> growing_;
  std::vector<char> timed_;  ///< differs from run to run: read, but not summed
  std::vector<Fixed> fixed_;
};

}  // namespace saltus
