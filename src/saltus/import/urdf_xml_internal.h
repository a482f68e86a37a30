// Reads elements and attributes of a URDF file, with errors that refer to the file.
#pragma once
#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/import/urdf_robot.h"

namespace saltus {

/// Base class of element readers: each error contains file, line and `owner_`; ignored elements are
/// reported once.
class UrdfXml {
 protected:
  using XMLElement = tinyxml2::XMLElement;
  using Names = std::initializer_list<std::string_view>;

  /// `robot`: provides the file name and receives warnings and remarks; must outlive this object.
  explicit UrdfXml(UrdfRobot& robot) : told_to_(robot) {}

  [[noreturn]] void fail(const XMLElement* e, const std::string& what,
                         const std::string& hint = "") const;
  void warn(const XMLElement* e, const std::string& what);
  void check_utf8(std::string text) const;

  void check_attributes(const XMLElement* e, Names allowed);
  void tell_what_was_not_read();
  /// Calls use(child, tag) for each child element; `single` ones may occur once, `many` any number
  /// of times, others are ignored.
  template <class Use>
  void each_child(const XMLElement* e, Names single, Names many, Use&& use);

  /// The text of a required attribute.
  std::string text_of(const XMLElement* e, const char* key) const;
  /// Finite numbers separated by blanks; none if the attribute is missing.
  template <std::size_t N>
  std::optional<std::array<double, N>> numbers(const XMLElement* e, const char* key) const;
  std::optional<double> number(const XMLElement* e, const char* key) const;
  double required_number(const XMLElement* e, const char* key) const;
  double positive(const XMLElement* e, const char* key) const;      ///< required, [m]
  double not_negative(const XMLElement* e, const char* key) const;  ///< 0 if it is not given

  std::string owner_;  ///< "link 'arm'" for messages, "" outside of links and joints

 private:
  /// Handles an ignored element: counted if it is known, otherwise reported at its first
  /// occurrence.
  void pass_over(const XMLElement* e, const std::vector<std::string_view>& allowed);
  /// All numbers of an existing attribute; empty if one of them is not a number.
  static std::vector<double> numbers_in(std::string_view text);

  UrdfRobot& told_to_;
  std::map<std::string, int> not_read_;  ///< known ignored elements, by name
  std::set<std::string> told_;
};

template <class Use>
void UrdfXml::each_child(const XMLElement* e, Names single, Names many, Use&& use) {
  std::set<std::string> seen;
  for (const XMLElement* c = e->FirstChildElement(); c; c = c->NextSiblingElement()) {
    const std::string tag = c->Name();
    const bool one = std::ranges::find(single, tag) != single.end();
    if (!one && std::ranges::find(many, tag) == many.end()) {
      std::vector<std::string_view> allowed(single);
      allowed.insert(allowed.end(), many.begin(), many.end());
      pass_over(c, allowed);
      continue;
    }
    if (one && !seen.insert(tag).second)
      fail(c, fmt::format("<{}> has two <{}>", e->Name(), tag), "one only");
    use(c, tag);
  }
}

template <std::size_t N>
std::optional<std::array<double, N>> UrdfXml::numbers(const XMLElement* e, const char* key) const {
  const char* text = e->Attribute(key);
  if (!text) return std::nullopt;
  const std::vector<double> found = numbers_in(text);
  if (found.size() != N)
    fail(e, fmt::format("`{}` of <{}> is \"{}\"", key, e->Name(), text),
         N == 1 ? "a number" : fmt::format("{} numbers separated by blanks", N));
  std::array<double, N> values{};
  std::ranges::copy(found, values.begin());
  return values;
}

}  // namespace saltus
