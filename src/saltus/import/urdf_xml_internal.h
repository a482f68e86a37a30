// Elements and attributes of a URDF file, read with the errors that a user understands.
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

/// What a reader of elements stands on: each error names file, line and `owner_`; what is not read
/// is told once.
class UrdfXml {
 protected:
  using XMLElement = tinyxml2::XMLElement;
  using Names = std::initializer_list<std::string_view>;

  /// `robot`: whose file is named, and who gets warnings and remarks; used as long as this is.
  explicit UrdfXml(UrdfRobot& robot) : told_to_(robot) {}

  [[noreturn]] void fail(const XMLElement* e, const std::string& what,
                         const std::string& hint = "") const;
  void warn(const XMLElement* e, const std::string& what);
  void check_utf8(std::string text) const;

  void check_attributes(const XMLElement* e, Names allowed);
  void tell_what_was_not_read();
  /// Calls use(child, tag) for each child element; `single` ones may be there once, `many` often,
  /// others are passed over.
  template <class Use>
  void each_child(const XMLElement* e, Names single, Names many, Use&& use);

  /// The text of an attribute, which must be there.
  std::string text_of(const XMLElement* e, const char* key) const;
  /// Finite numbers separated by blanks; none where there is no such attribute.
  template <std::size_t N>
  std::optional<std::array<double, N>> numbers(const XMLElement* e, const char* key) const;
  std::optional<double> number(const XMLElement* e, const char* key) const;
  double required_number(const XMLElement* e, const char* key) const;
  double positive(const XMLElement* e, const char* key) const;      ///< required, [m]
  double not_negative(const XMLElement* e, const char* key) const;  ///< 0 where it is not given

  std::string owner_;  ///< "link 'arm'" where messages come from, "" outside

 private:
  /// An element that is not read: counted where it is known, else told at its first place.
  void pass_over(const XMLElement* e, const std::vector<std::string_view>& allowed);
  /// All numbers of an attribute that is there; empty where one is none.
  static std::vector<double> numbers_in(std::string_view text);

  UrdfRobot& told_to_;
  std::map<std::string, int> not_read_;  ///< known elements, by name
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
      fail(c, fmt::format("<{}> has two <{}>", e->Name(), tag), "one of them");
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
         N == 1 ? "a number" : fmt::format("{} numbers with blanks between them", N));
  std::array<double, N> values{};
  std::ranges::copy(found, values.begin());
  return values;
}

}  // namespace saltus
