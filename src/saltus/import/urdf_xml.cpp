#include <charconv>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/base/text_check.h"
#include "saltus/import/urdf_xml_internal.h"

namespace saltus {
namespace {

/// Elements that occur in URDF files but do not describe the mechanics.
constexpr std::string_view kNotRead[] = {"visual",       "gazebo",  "transmission",
                                         "material",     "sensor",  "calibration",
                                         "ros2_control", "contact", "safety_controller",
                                         "group_state",  "verbose", "self_collision_checking"};

}  // namespace

void UrdfXml::fail(const XMLElement* e, const std::string& what, const std::string& hint) const {
  throw SceneError(owner_, what, hint).at(told_to_.file, e->GetLineNum(), 0);
}
void UrdfXml::warn(const XMLElement* e, const std::string& what) {
  told_to_.warnings.push_back(fmt::format("{}:{}: {}{}{}", told_to_.file, e->GetLineNum(), owner_,
                                          owner_.empty() ? "" : ": ", what));
}

void UrdfXml::check_utf8(std::string text) const {
  std::ranges::replace(text, '\t', ' ');  // allowed here
  check_text(text, told_to_.file);
}

void UrdfXml::pass_over(const XMLElement* e, const std::vector<std::string_view>& allowed) {
  const std::string tag = e->Name();
  if (tag.starts_with("xacro:"))
    fail(e, fmt::format("<{}> is a macro of xacro", tag),
         "expand the file first: xacro robot.urdf.xacro > robot.urdf");
  if (std::ranges::find(kNotRead, tag) != std::end(kNotRead))
    ++not_read_[tag];
  else if (told_.insert(tag).second)
    warn(e, fmt::format("<{}> is ignored; {}", tag, did_you_mean(tag, allowed)));
}

void UrdfXml::check_attributes(const XMLElement* e, Names allowed) {
  for (const auto* a = e->FirstAttribute(); a; a = a->Next()) {
    const std::string name = a->Name();
    if (std::ranges::find(allowed, name) != allowed.end()) continue;
    if (!told_.insert(std::string(e->Name()) + "." + name).second) continue;
    const std::vector<std::string_view> known(allowed);
    warn(e, fmt::format("`{}` of <{}> is ignored; {}", name, e->Name(), did_you_mean(name, known)));
  }
}

void UrdfXml::tell_what_was_not_read() {
  std::string list;
  for (const auto& [tag, count] : not_read_)
    list += fmt::format("{}{} <{}>", list.empty() ? "" : ", ", count, tag);
  if (!list.empty()) told_to_.remarks.push_back("ignored: " + list);
}

std::string UrdfXml::text_of(const XMLElement* e, const char* key) const {
  const char* value = e->Attribute(key);
  if (!value || !*value)
    fail(e, fmt::format("<{}> has no `{}`", e->Name(), key),
         fmt::format("<{} {}=\"...\">", e->Name(), key));
  return value;
}

std::vector<double> UrdfXml::numbers_in(std::string_view text) {
  std::vector<double> values;
  for (;;) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return values;
    text.remove_prefix(begin);
    std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
    text.remove_prefix(word.size());
    if (word.starts_with('+')) word.remove_prefix(1);
    double x = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(x)) return {};
    values.push_back(x);
  }
}

std::optional<double> UrdfXml::number(const XMLElement* e, const char* key) const {
  const auto one = numbers<1>(e, key);
  return one ? std::optional((*one)[0]) : std::nullopt;
}

double UrdfXml::required_number(const XMLElement* e, const char* key) const {
  const auto value = number(e, key);
  if (!value) fail(e, fmt::format("<{}> has no `{}`", e->Name(), key), "a number");
  return *value;
}

double UrdfXml::positive(const XMLElement* e, const char* key) const {
  const double value = required_number(e, key);
  if (!(value > 0.0))
    fail(e, fmt::format("`{}` of <{}> is {}", key, e->Name(), value), "a length > 0 in m");
  return value;
}

double UrdfXml::not_negative(const XMLElement* e, const char* key) const {
  const double value = number(e, key).value_or(0.0);
  if (value < 0.0) fail(e, fmt::format("`{}` of <{}> is {}", key, e->Name(), value), ">= 0");
  return value;
}

}  // namespace saltus
