// Names, units and meaning of the contents of a results file, shared by writer and reader.
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

/// Columns of /step in the order of ResultsWriter::record().
inline constexpr std::array kStep{
    StepColumn{"time", h5::Type::real64, "s", "end of the step"},
    StepColumn{"contacts", h5::Type::int32, "1", "contacts that carry an impulse"},
    StepColumn{"iterations", h5::Type::int32, "1", "of the contact solver"},
    StepColumn{"passes", h5::Type::int32, "1", "Newton passes of the step"},
    StepColumn{"halvings", h5::Type::int32, "1", "divisions: of failed steps, and at impacts"},
    StepColumn{"converged", h5::Type::int32, "1",
               "1: every contact problem was solved to its tolerance"},
    StepColumn{"residual", h5::Type::real64, "1", "of the contact problem as solved"},
    StepColumn{"residual_after", h5::Type::real64, "1",
               "of the contact laws at the end of the step"},
    StepColumn{"gap", h5::Type::real64, "m",
               "smallest gap; negative: penetration; inf: no contact within reach"},
    StepColumn{"joint_gap", h5::Type::real64, "m, rad",
               "largest joint constraint violation at the end of the step; 0 without joints"},
    StepColumn{"impulse", h5::Type::real64, "N s", "sum of the normal impulses"},
    StepColumn{"impact", h5::Type::real64, "J", "work of contacts, stops and springs of joints"},
    StepColumn{"kinetic", h5::Type::real64, "J",
               "kinetic energy; for modal-exact bodies only the sum with potential is meaningful"},
    StepColumn{"potential", h5::Type::real64, "J",
               "potential energy; for modal-exact bodies only the sum with kinetic is meaningful"},
    StepColumn{"unexplained_step", h5::Type::real64, "J",
               "energy change of this step that no work term explains"},
};

/// Additional columns of /step for runs whose intervals may contain several steps: event-driven
/// integration and error-controlled time stepping.
inline constexpr std::array kSubsteps{
    StepColumn{"steps", h5::Type::int32, "1",
               "steps in the interval; of the integrator by events; increments in statics"},
    StepColumn{"rejected", h5::Type::int32, "1",
               "steps that were rejected and repeated with a shorter length"},
    StepColumn{"error", h5::Type::real64, "1",
               "largest estimated error of a step; 0: not estimated"},
    StepColumn{"events", h5::Type::int32, "1", "events located in the interval"},
    StepColumn{"evaluations", h5::Type::int32, "1",
               "evaluations of the forces, in event-driven integration; in statics factorisations "
               "of stiffness matrices"},
};
inline bool has_substeps(const StepOptions& options) {
  return options.mode != TimeMode::stepping || options.step_tolerance > 0.0;
}
/// Number of columns of /step.
inline std::size_t step_width(const StepOptions& options) {
  return kStep.size() + (has_substeps(options) ? kSubsteps.size() : 0);
}

/// Number of attempts to open a file that a run is writing, and the pause between them [ms].
inline constexpr int kAttempts = 100;
inline constexpr int kPause = 2;
void pause(int attempt);  ///< throws the current exception after the last attempt

/// Growing files up to this size are read from memory: copying them takes less time than passes
/// between two flushes.
inline constexpr std::uint64_t kInMemory = std::uint64_t{256} << 20;

/// Columns of /timing, which follow those of /step, /ledger and /probes; they differ from run to
/// run.
inline constexpr std::size_t kTiming = 1;

/// Makes names unique and valid within one group: escaped, "body" for empty ones, repeated ones
/// with "-2", "-3".
std::vector<std::string> object_names(const std::vector<std::string>& names,
                                      std::string_view empty);

/// Sets the attributes `unit` and `description` and returns the dataset.
h5::Dataset described(h5::Dataset data, std::string_view unit, std::string_view description);

/// Number of rows compressed together, for a table with `columns` numbers per row: about 256 KiB.
std::size_t frame_chunk(std::size_t columns);

/// Members of a group ordered by their attribute `index`.
std::vector<std::string> in_order(const h5::Group& group);

/// Throws SceneError unless the file has this format in a supported version.
void check_format(const h5::File& file, const std::string& path, std::string_view format = kFormat);

/// Throws SceneError for a name with a null character, at which the system would cut it.
void expect_name(const std::string& path);

/// Opens for reading (or modification) with errors for users: SceneError for a missing, foreign or
/// damaged file, and for one that was never flushed.
h5::File open(const std::string& path, bool modify);
/// Opens for reading a file of one of Saltus' formats, for the caller to check which; errors as of
/// open().
h5::File open_any(const std::string& path);
/// Opens one state of a file that may be growing, by h5::File::read_now(). Throws h5::Changed if it
/// is flushed faster than it can be read.
h5::File open_now(const std::string& path);

/// Reports a file that refers to other files.
[[noreturn]] void foreign(const std::string& path, const h5::Foreign& error);
/// Reports as damaged a file that has the right format but lacks `fault`.
[[noreturn]] void damaged(const std::string& path, const std::string& fault);
/// Reports an error of HDF5 as damage; rethrows h5::Changed, which is not damage. Call it where
/// `error` is handled.
[[noreturn]] void damaged(const std::string& path, const h5::Error& error);

}  // namespace saltus::layout
