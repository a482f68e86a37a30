// Checks whether the tables of a results file still contain what was written: a checkpoint stores
// the sums of all earlier rows, a finished file the sums of everything in it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "saltus/results/hdf5.h"

namespace saltus {

/// Number of rows of each table and their sum, in the order of the list in the file. Empty if the
/// file has no list.
struct TableSums {
  std::vector<std::uint64_t> rows, sum;
};

class SummedTables {
 public:
  /// Writes the list /provenance/sums into a file that has all its tables but no rows of steps
  /// and frames yet, with the sums of the data that are written once.
  static SummedTables list(const h5::File& file);
  /// Throws h5::Error. For a file that is older than the list, nothing is summed.
  static SummedTables open(const h5::File& file);

  /// Sums of the current rows.
  TableSums sums() const;
  /// Reads all of these rows. Throws h5::Error if they are missing or differ from those that were
  /// summed.
  void expect(const TableSums& sums) const;
  /// Cuts the tables to these rows and continues from these sums. Throws h5::Error if rows are
  /// missing.
  void keep(const TableSums& sums);
  /// The sums of all rows of the tables for which they are known without reading them, by path.
  std::map<std::string, std::uint64_t> known() const;

 private:
  struct Growing {
    std::string path;
    h5::Dataset data;
    bool timed;  ///< differs from run to run: read, but not in the sums of checkpoints
  };
  struct Fixed {
    std::string path;
    h5::Dataset data;
    std::uint64_t sum;
  };
  void add_growing(const std::string& path, h5::Dataset data);
  std::vector<Growing> growing_;
  std::vector<Fixed> fixed_;
  bool former_ = false;  ///< the file has sums of another kind, which are not compared
};

/// Writes /provenance/checksums: the sum of each dataset and the sum of the attributes of each
/// object. Call it last. A run that is resumed removes them with forget_checksums().
void write_checksums(const h5::File& file, const SummedTables& tables);
/// Moves /provenance/checksums to `folder`, a group of the file.
void forget_checksums(const h5::File& file, const std::string& folder);

}  // namespace saltus
