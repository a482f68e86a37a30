// Which joints of a results file broke, when, and under which pull: attributes of /joints/<name>.
#pragma once
#include <vector>

#include "saltus/model/model.h"
#include "saltus/results/hdf5.h"
#include "saltus/state/state.h"

namespace saltus {

class JointBreaks {
 public:
  JointBreaks() = default;
  /// Marks the joints of /joints that can break; all hold.
  static JointBreaks create(const h5::File& file, const Model& model);
  /// Those of an existing file. Throws h5::Error.
  static JointBreaks open(const h5::File& file, const Model& model);

  /// Makes the file tell of this state: `broken_at` [s] (inf: it holds) and `broken_by` [N]. Writes
  /// what has changed alone.
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
