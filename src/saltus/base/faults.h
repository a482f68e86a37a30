// Faults of one scene, collected so that the user sees all of them at once.
//
//     Faults faults;
//     faults.attempt("bodies[0]", [&] { read_body(...); });  // a SceneError is stored
//     faults.attempt("bodies[1]", [&] { read_body(...); });
//     faults.throw_all();                                    // throws the stored faults, if any
//
// The value of a faulty entry is not reliable: checks that depend on it are skipped, so that one
// fault does not cause further entries in the list.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/base/error.h"

namespace saltus {

/// Several faults in the order of the file. As a SceneError it represents the first fault; what()
/// has one line for each of the first kShown faults and one with the number of the remaining ones.
class SceneErrors : public SceneError {
 public:
  static constexpr std::size_t kShown = 20;

  /// Needs at least one fault; `more`: number of faults that were not stored.
  explicit SceneErrors(std::vector<SceneError> faults, std::size_t more = 0);
  const char* what() const noexcept override { return text_.c_str(); }
  const std::vector<SceneError>& all() const { return faults_; }
  std::size_t more() const { return more_; }

 private:
  std::vector<SceneError> faults_;
  std::size_t more_;
  std::string text_;
};

/// The faults of a SceneErrors, or the error itself if it is a single one.
std::vector<SceneError> all_faults(const SceneError& error);
/// The lines of error.what().
std::vector<std::string> fault_lines(const SceneError& error);

class Faults {
 public:
  static constexpr std::size_t kMost = 1000;  ///< number of faults that are stored

  struct Entry {
    SceneError error;
    std::string about;  ///< path of the entry whose value is unknown because of this error
  };

  /// Stores a fault. `about`: path of the entry whose value is unknown because of it; "bodies[0].?"
  /// is an unidentified member of bodies[0].
  void add(const SceneError& error, const std::string& about);

  /// Marks an entry whose value is unknown because of a fault in another entry.
  void mark(const std::string& about) { unknown_.insert(about); }

  /// Calls step(), which reads or checks the entry at the path `about`. Returns false if it threw a
  /// SceneError, which is stored.
  template <class Step>
  bool attempt(const std::string& about, const Step& step) {
    try {
      step();
      return true;
    } catch (const SceneError& error) {
      add(error, about);
      return false;
    }
  }

  bool any() const { return count_ > 0; }
  std::size_t count() const { return count_; }
  const std::vector<Entry>& entries() const { return entries_; }

  bool known(std::string_view path) const;          ///< no fault at the path or above it
  bool members_known(std::string_view path) const;  ///< no fault at a direct member of it
  bool all_known(std::string_view path) const;      ///< no fault at it or below it

  /// Throws the stored faults: a single one unchanged, several as SceneErrors.
  void throw_all() const;

 private:
  std::vector<Entry> entries_;
  std::size_t count_ = 0;
  std::set<std::string, std::less<>> unknown_;  ///< every `about`
};

}  // namespace saltus
