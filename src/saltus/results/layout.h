// Names, units and meaning of what a results file holds, in one place for writer and reader.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/results/hdf5.h"

namespace saltus::layout {

inline constexpr std::string_view kFormat = "saltus-results";
inline constexpr std::int64_t kVersion = 1;

struct StepColumn {
  const char* name;
  h5::Type type;
  const char* unit;
  const char* description;
};

/// Columns of /step in the order of ResultsWriter::record.
inline constexpr std::array kStep{
    StepColumn{"time", h5::Type::real64, "s", "end of the step"},
    StepColumn{"contacts", h5::Type::int32, "1", "contacts that carry an impulse"},
    StepColumn{"iterations", h5::Type::int32, "1", "of the contact solver"},
    StepColumn{"passes", h5::Type::int32, "1", "Newton passes of the step"},
    StepColumn{"halvings", h5::Type::int32, "1", "how often the step was cut in two"},
    StepColumn{"converged", h5::Type::int32, "1",
               "1: every contact problem was solved to its tolerance"},
    StepColumn{"residual", h5::Type::real64, "1", "of the contact problem as solved"},
    StepColumn{"residual_after", h5::Type::real64, "1",
               "of the contact laws on the finished state"},
    StepColumn{"gap", h5::Type::real64, "m",
               "smallest gap; negative: penetration; inf: nothing near that may touch"},
    StepColumn{"joint_gap", h5::Type::real64, "m, rad",
               "largest deviation of a joint on the finished state; 0 without joints"},
    StepColumn{"impulse", h5::Type::real64, "N s", "sum of the normal impulses"},
    StepColumn{"impact", h5::Type::real64, "J", "work of contacts, stops and springs of joints"},
    StepColumn{"kinetic", h5::Type::real64, "J",
               "kinetic energy; of modal-exact bodies only the sum with potential has a meaning"},
    StepColumn{"potential", h5::Type::real64, "J",
               "potential energy; of modal-exact bodies only the sum with kinetic has a meaning"},
    StepColumn{"unexplained_step", h5::Type::real64, "J",
               "energy change of this step that no account explains"},
};

/// Further columns of /step, of runs whose intervals are not one step each: in event-driven
/// integration, or of chosen lengths.
inline constexpr std::array kSubsteps{
    StepColumn{"steps", h5::Type::int32, "1",
               "that covered the interval; in event-driven integration those of the integrator"},
    StepColumn{"rejected", h5::Type::int32, "1", "steps that were made again, shorter"},
    StepColumn{"error", h5::Type::real64, "1",
               "largest estimated error of one of them; 0: not estimated"},
    StepColumn{"events", h5::Type::int32, "1", "located in the interval"},
    StepColumn{"evaluations", h5::Type::int32, "1", "of the forces, in event-driven integration"},
};
inline bool has_substeps(const StepOptions& options) {
  return options.mode == TimeMode::events || options.step_tolerance > 0.0;
}
/// How many columns /step has.
inline std::size_t step_width(const StepOptions& options) {
  return kStep.size() + (has_substeps(options) ? kSubsteps.size() : 0);
}

/// How often a file that a run writes to is opened again before a reader gives up, and the pause
/// before that [ms].
inline constexpr int kAttempts = 100;
inline constexpr int kPause = 2;
void pause(int attempt);  ///< throws what is handled where that was the last

/// Growing files of at most so many bytes are read from memory: they are copied in less time than
/// lies between two flushes.
inline constexpr std::uint64_t kInMemory = std::uint64_t{256} << 20;

/// Columns of /timing, behind those of /step, /ledger and /probes: they differ from run to run.
inline constexpr std::size_t kTiming = 1;

/// Names that can stand side by side in one group: escaped, "body" for empty ones, repeated ones
/// with "-2", "-3".
std::vector<std::string> object_names(const std::vector<std::string>& names,
                                      std::string_view empty);

/// The dataset, with its attributes `unit` and `description`.
h5::Dataset described(h5::Dataset data, std::string_view unit, std::string_view description);

/// Rows of a table with `columns` numbers a row that are compressed together: about 256 KiB.
std::size_t frame_chunk(std::size_t columns);

/// Members of a group in the order of their attribute `index`.
std::vector<std::string> in_order(const h5::Group& group);

/// Throws SceneError unless the file is of this format and a version that this program knows.
void check_format(const h5::File& file, const std::string& path);

/// Opens for reading (or modification) with the errors that a user understands: SceneError for a
/// missing, foreign or damaged file, and for one that was never flushed.
h5::File open(const std::string& path, bool modify);
/// The same to read one state of a file that may grow meanwhile, h5::File::read_now(). Throws
/// h5::Changed where it is flushed faster than it can be read.
h5::File open_now(const std::string& path);

/// For a file that refers to others.
[[noreturn]] void foreign(const std::string& path, const h5::Foreign& error);
/// "is damaged" for a file that has the right format but lacks `fault`.
[[noreturn]] void damaged(const std::string& path, const std::string& fault);
/// The same of what HDF5 says; h5::Changed is passed on: that is no damage. To be called where
/// `error` is handled.
[[noreturn]] void damaged(const std::string& path, const h5::Error& error);

}  // namespace saltus::layout
