// Faults of one scene, collected so that its user gets all of them at once.
//
//     Faults faults;
//     faults.attempt("bodies[0]", [&] { read_body(...); });  // a SceneError is kept
//     faults.attempt("bodies[1]", [&] { read_body(...); });
//     faults.throw_all();                                    // nothing, or all of them
//
// An entry with a fault has no value that can be trusted: what rests on it is not checked, so that
// a fault has no consequences in the list.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/base/error.h"

namespace saltus {

/// Several faults in the order of the file. As a SceneError it is the first of them; what() has a
/// line for each of the first kShown, and a line with the number of the others.
class SceneErrors : public SceneError {
 public:
  static constexpr std::size_t kShown = 20;

  /// At least one; `more`: faults beyond those that were kept.
  explicit SceneErrors(std::vector<SceneError> faults, std::size_t more = 0);
  const char* what() const noexcept override { return text_.c_str(); }
  const std::vector<SceneError>& all() const { return faults_; }
  std::size_t more() const { return more_; }

 private:
  std::vector<SceneError> faults_;
  std::size_t more_;
  std::string text_;
};

/// One fault, or each of SceneErrors.
std::vector<SceneError> all_faults(const SceneError& error);
/// The lines of what() of an error.
std::vector<std::string> fault_lines(const SceneError& error);

class Faults {
 public:
  static constexpr std::size_t kMost = 1000;  ///< that are kept

  struct Entry {
    SceneError error;
    std::string about;  ///< path of what is not known because of it
  };

  /// Keeps a fault. about: path of what is not known because of it; "bodies[0].?": a member of
  /// bodies[0], which one is not known.
  void add(const SceneError& error, const std::string& about);

  /// An entry whose value is not known by a fault of another.
  void mark(const std::string& about) { unknown_.insert(about); }

  /// step(), which reads or checks the entry at the path `about`; false: it threw a SceneError,
  /// which is kept.
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
  bool members_known(std::string_view path) const;  ///< none at a direct member of it
  bool all_known(std::string_view path) const;      ///< none at it or below it

  /// Throws what was kept: one fault as it is, several as SceneErrors.
  void throw_all() const;

 private:
  std::vector<Entry> entries_;
  std::size_t count_ = 0;
  std::set<std::string, std::less<>> unknown_;  ///< all `about`
};

}  // namespace saltus
