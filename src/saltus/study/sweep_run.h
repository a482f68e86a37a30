// One run of a sweep and its row of numbers.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/spec/scene.h"
#include "saltus/state/state.h"

namespace saltus {

/// A scene as text, read once from its file, so that all runs use the same text.
struct SweepScene {
  std::string text, file;
  std::filesystem::path folder;    ///< files named in the scene are relative to it
  std::vector<std::string> set{};  ///< "path=value", applied to every run before its own values

  /// Throws SceneError if the file cannot be read or is not YAML.
  static SweepScene read(const std::string& file);
  /// The scene with assignments as in `run --set`. Throws SceneError.
  Scene with(std::span<const std::string> assignments) const;
};

struct ProbeSummary {
  std::string name, unit;
  double last = 0.0, min = 0.0, max = 0.0, rms = 0.0;  ///< over the start and all steps
};

struct AccountTotal {
  std::string name;
  double work = 0.0;  ///< since the start [J]
};

struct SweepRow {
  enum class Status {
    none,    ///< not run: the sweep was stopped
    ok,      ///< reached its end
    failed,  ///< of physics or memory; numbers up to the failure
    invalid  ///< the scene is invalid with these values; no numbers
  };
  Status status = Status::none;
  std::string reason;       ///< why it is not ok, one line
  std::string warnings;     ///< separated by " | "
  bool started = false;     ///< the numbers below are valid
  std::uint64_t steps = 0;  ///< completed
  double t_end = 0.0;       ///< reached [s]
  Energy start, end;        ///< [J]
  std::vector<AccountTotal> ledger;
  double unexplained = 0.0;         ///< largest magnitude in one step [J]
  double residual = 0.0;            ///< largest, from the solver [1]
  double residual_after = 0.0;      ///< largest, at the end of steps [1]
  double penetration = 0.0;         ///< largest [m], >= 0
  double impulse = 0.0;             ///< sum of all normal impulses [N s]
  int passes = 0;                   ///< largest number in one step
  std::uint64_t contact_steps = 0;  ///< with at least one contact
  std::uint64_t failed_steps = 0;   ///< unsolved and accepted (on_failure: accept)
  std::uint64_t halved_steps = 0;   ///< that were subdivided
  std::vector<ProbeSummary> probes;
  double wall = 0.0;  ///< for reading, building and stepping [s]
};

/// "ok", "failed", "invalid", "".
std::string_view name_of(SweepRow::Status status);

/// Reads, builds and integrates to the end. Does not throw: errors are in the row. If `stop` is
/// requested, the row has status none. May be called from many threads at once.
SweepRow sweep_run(const SweepScene& scene, std::span<const std::string> assignments, Stop& stop);

}  // namespace saltus
