// A State inside a results file, bit for bit.
#pragma once
#include <string>

#include "saltus/io/hdf5.h"
#include "saltus/scene/model.h"
#include "saltus/sim/state.h"

namespace saltus {

/// How much of the file belongs to a checkpoint; what lies behind is dropped when the run goes on.
struct CheckpointExtent {
  std::size_t rows = 0, frames = 0, events = 0;
};

struct Checkpoint {
  State state;
  CheckpointExtent extent;
  std::string slot;  ///< "a" or "b"
};

/// Writes /checkpoint/<slot>, replacing what is there. A checksum tells a complete one from a torn
/// one.
void write_checkpoint(const h5::File& file, const std::string& slot, const State& state,
                      CheckpointExtent extent);
/// 16 hexadecimal digits over every bit of the state. The same scene gives the same ones with the same version on the same kind
/// of machine, whatever the number of threads, interruptions and outputs of the run.
std::string state_hash(const State& state);
/// The newest complete checkpoint of the two slots. Throws SceneError: none, or not of this model.
Checkpoint newest_checkpoint(const h5::File& file, const std::string& path, const Model& model);
/// Step of the newest complete checkpoint, without a model. -1: none.
std::int64_t newest_checkpoint_step(const h5::File& file);

}  // namespace saltus
