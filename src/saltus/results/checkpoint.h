// A State inside a results file, bit for bit.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "saltus/model/model.h"
#include "saltus/results/hdf5.h"
#include "saltus/results/table_sums.h"
#include "saltus/scene_file/data_files.h"
#include "saltus/state/notices.h"
#include "saltus/state/state.h"

namespace saltus {

/// How much of the file belongs to a checkpoint; what lies behind is dropped when the run goes on.
struct CheckpointExtent {
  std::size_t rows = 0, frames = 0, events = 0;
};

struct Checkpoint {
  State state;
  CheckpointExtent extent;
  std::string slot;  ///< "a" or "b"
  TableSums tables;  ///< of the rows in front of it
  std::vector<Notice> notices;
};

/// Names the file after the scene and the data files that it is made from: its checkpoints bear the
/// name too, so that those of another file are told from its own. Without it they are not.
void name_checkpoints(const h5::File& file, std::string_view resolved,
                      std::span<const InputFile> inputs);
/// Writes /checkpoint/<slot>, replacing what is there. A checksum tells a complete one from a torn
/// one.
void write_checkpoint(const h5::File& file, const std::string& slot, const State& state,
                      CheckpointExtent extent, const TableSums& tables = {},
                      std::span<const Notice> notices = {});
/// Both, those of the same thing as one: met first when the earlier was, by the steps of both.
std::vector<Notice> merged(std::span<const Notice> earlier, std::span<const Notice> now);
/// 16 hexadecimal digits over every bit of the state. The same scene gives the same ones with the
/// same version on the same kind of machine, whatever the number of threads, interruptions and
/// outputs of the run.
std::string state_hash(const State& state);
/// The newest complete checkpoint of the two slots. Throws SceneError: none, not of this file, or
/// not of this model.
Checkpoint newest_checkpoint(const h5::File& file, const std::string& path, const Model& model);
/// Step of the newest complete checkpoint, without a model. -1: none.
std::int64_t newest_checkpoint_step(const h5::File& file);

}  // namespace saltus
