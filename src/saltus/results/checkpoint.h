// A State in a results file, exact to the last bit.
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

/// The part of the file that belongs to a checkpoint; later rows are dropped when the run is
/// resumed.
struct CheckpointExtent {
  std::size_t rows = 0, frames = 0, events = 0;
};

struct Checkpoint {
  State state;
  CheckpointExtent extent;
  std::string slot;  ///< "a" or "b"
  TableSums tables;  ///< of the rows before the checkpoint
  std::vector<Notice> notices;
  std::vector<double> beside;  ///< numbers that the program of the run needs to go on
};

/// Gives the file a name derived from the scene and its data files. Checkpoints store this name
/// too, so that checkpoints of another file are detected; without a name they are not.
void name_checkpoints(const h5::File& file, std::string_view resolved,
                      std::span<const InputFile> inputs);
/// Writes /checkpoint/<slot> and replaces existing data. A checksum distinguishes complete from
/// partial checkpoints.
void write_checkpoint(const h5::File& file, const std::string& slot, const State& state,
                      CheckpointExtent extent, const TableSums& tables = {},
                      std::span<const Notice> notices = {}, std::span<const double> beside = {});
/// Merges both lists. Equal notices become one, with the earlier time and the sum of the steps.
std::vector<Notice> merged(std::span<const Notice> earlier, std::span<const Notice> now);
/// 16 hexadecimal digits from every bit of the state. The same scene gives the same digits with the
/// same version on the same kind of machine, independent of threads, interruptions and outputs.
std::string state_hash(const State& state);
/// The newest complete checkpoint of the two slots. Throws SceneError: no checkpoint, one of
/// another file, or one of another model.
Checkpoint newest_checkpoint(const h5::File& file, const std::string& path, const Model& model);
/// Step of the newest complete checkpoint, read without a model; -1: none.
std::int64_t newest_checkpoint_step(const h5::File& file);

}  // namespace saltus
