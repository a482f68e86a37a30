// `saltus run --dump-contact`: writes contact problems of a run as FCLIB files, which
// `saltus solve` can solve again.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "saltus/exchange/fclib.h"
#include "saltus/sim/simulation.h"

namespace saltus {

/// Which problems are kept: the one with the largest residual, those that missed the tolerance, or
/// those of every N-th step.
struct DumpChoice {
  enum class Kind { worst, failed, every };
  Kind kind = Kind::worst;
  std::uint64_t every = 1;
};
/// "worst", "failed", "every:N". Throws SceneError.
DumpChoice dump_choice(const std::string& text);

/// The problem of one step in FCLIB form, with p as its solution: contacts first, then equalities.
/// All contacts get as many rows as the largest one (at least 2). Added rows are decoupled and have
/// the mean diagonal of W of their contact, so impulses and residual stay the same. Returns nothing
/// if the problem contains laws that the format cannot express: relays, rolling and spinning
/// friction.
std::optional<FclibProblem> fclib_problem(const ContactProblem& problem, View p);

class ContactDump final : public ContactObserver {
 public:
  /// Files are named <folder>/<stem>-step<k>.hdf5, with -island<i> if the model has several
  /// islands. Creates the folder; throws SceneError if that fails. `title`: title of the run,
  /// stored in the files; "": the stem.
  ContactDump(const std::string& choice, std::string folder, std::string stem,
              const Simulation& sim, std::string title = "");
  /// A later attempt at the same step replaces the earlier one. Throws like write_fclib().
  void solved(const SolvedContact& contact) override;
  /// Writes the problem kept for the end, if any, and returns all file names.
  std::vector<std::string> finish();
  /// One line about problems that could not be written; "" if none.
  std::string left_out() const;

 private:
  void write(const std::string& name, const FclibProblem& problem);

  DumpChoice choice_;
  std::string folder_, stem_, title_;
  const Simulation& sim_;
  double worst_ = -1.0;
  std::string worst_name_;
  std::optional<FclibProblem> worst_problem_;
  std::vector<std::string> files_;
  std::uint64_t left_out_ = 0;
};

}  // namespace saltus
