// Which joints broke, when, and under which pull: attributes of /joints/<name> in a results file.
#pragma once
#include <vector>

#include "saltus/model/model.h"
#include "saltus/results/hdf5.h"
#include "saltus/state/state.h"

namespace saltus {

class JointBreaks {
 public:
  JointBreaks() = default;
  /// Marks the joints of /joints that can break; none is broken yet.
  static JointBreaks create(const h5::File& file, const Model& model);
  /// Opens those of an existing file. Throws h5::Error.
  static JointBreaks open(const h5::File& file, const Model& model);

  /// Updates the file to this state: `broken_at` [s] (inf: not broken) and `broken_by` [N]. Writes
  /// only what has changed.
  void write(const State& state);

 private:
  struct Breakable {
    int joint;
    h5::Group group;
    double broken_at;
  };
  std::vector<Breakable> joints_;
};

}  // namespace saltus
