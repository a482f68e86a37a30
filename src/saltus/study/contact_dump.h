// `saltus run --dump-contact`: contact problems of a run as FCLIB files, which `saltus solve`
// solves again.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "saltus/exchange/fclib.h"
#include "saltus/sim/simulation.h"

namespace saltus {

/// Which problems are kept: the one of largest residual, those that missed the tolerance, those of
/// every N-th step.
struct DumpChoice {
  enum class Kind { worst, failed, every };
  Kind kind = Kind::worst;
  std::uint64_t every = 1;
};
/// "worst", "failed", "every:N". Throws SceneError.
DumpChoice dump_choice(const std::string& text);

/// The problem of one step in the form of the format, with p as its solution: contacts first,
/// equalities behind. All contacts get the rows of the largest one (2 at least); a row that is
/// added moves by itself, with the mean W of its contact, so that impulses and residual stay what
/// they were. Nothing where a law has no place: a relay,
/// rolling and spinning friction.
std::optional<FclibProblem> fclib_problem(const ContactProblem& problem, View p);

class ContactDump final : public ContactObserver {
 public:
  /// Files are called <folder>/<stem>-step<k>.hdf5, with -island<i> where the model has several.
  /// Makes the folder; throws SceneError where that cannot be.
  /// `title`: of the run, in the files; "": the stem.
  ContactDump(const std::string& choice, std::string folder, std::string stem,
              const Simulation& sim, std::string title = "");
  /// A later attempt at the same step replaces an earlier one. Throws as write_fclib.
  void solved(const SolvedContact& contact) override;
  /// Writes what is written at the end, and returns all files.
  std::vector<std::string> finish();
  /// What could not be written, one line; "" for nothing.
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
