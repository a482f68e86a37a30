// One run of a sweep and the row of numbers that is left of it.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/spec/scene.h"
#include "saltus/state/state.h"

namespace saltus {

/// A scene as text, read from its file once: all runs see the same, whatever happens to the file.
struct SweepScene {
  std::string text, file;
  std::filesystem::path folder;    ///< files named in the scene are relative to it
  std::vector<std::string> set{};  ///< "path=value", in every run, before what the run sets

  /// Throws SceneError where the file cannot be read or is not YAML.
  static SweepScene read(const std::string& file);
  /// The scene with assignments as of `run --set`. Throws SceneError.
  Scene with(std::span<const std::string> assignments) const;
};

struct ProbeSummary {
  std::string name, unit;
  double last = 0.0, min = 0.0, max = 0.0, rms = 0.0;  ///< over the start and every step
};

struct AccountTotal {
  std::string name;
  double work = 0.0;  ///< since the start [J]
};

struct SweepRow {
  enum class Status {
    none,    ///< not done: the sweep was stopped
    ok,      ///< reached its end
    failed,  ///< physics or memory; the numbers are those up to there
    invalid  ///< the scene refuses these values; there are no numbers
  };
  Status status = Status::none;
  std::string reason;       ///< why it is not ok, one line
  std::string warnings;     ///< what is doubtful, with " | " between
  bool started = false;     ///< the numbers below hold
  std::uint64_t steps = 0;  ///< done
  double t_end = 0.0;       ///< reached [s]
  Energy start, end;        ///< [J]
  std::vector<AccountTotal> ledger;
  double unexplained = 0.0;         ///< the largest magnitude in one step [J]
  double residual = 0.0;            ///< largest, as solved [1]
  double residual_after = 0.0;      ///< largest, on the finished states [1]
  double penetration = 0.0;         ///< largest [m], >= 0
  double impulse = 0.0;             ///< sum of all normal impulses [N s]
  int passes = 0;                   ///< most of one step
  std::uint64_t contact_steps = 0;  ///< with at least one contact
  std::uint64_t failed_steps = 0;   ///< not converged and accepted (on_failure: accept)
  std::uint64_t halved_steps = 0;   ///< that were cut in two
  std::vector<ProbeSummary> probes;
  double wall = 0.0;  ///< of reading, building and stepping [s]
};

/// "ok", "failed", "invalid", "".
std::string_view name_of(SweepRow::Status status);

/// Reads, builds and integrates to the end. Throws nothing: what goes wrong is in the row. Where
/// `stop` is requested the row has status none. May run on many threads at
/// once.
SweepRow sweep_run(const SweepScene& scene, std::span<const std::string> assignments, Stop& stop);

}  // namespace saltus
