// Registries: schemes, kinds of bodies, laws, solvers and their options; the schema; build
// information.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core.h"
#include "saltus/base/units.h"
#include "saltus/contact/laws/laws.h"
#include "saltus/kinds/kinds.h"
#include "saltus/model/scheme_fit.h"
#include "saltus/scene_file/describe.h"
#include "saltus/scene_file/schema.h"
#include "saltus/schemes/registry.h"
#include "saltus/solvers/registry.h"
#include "saltus/version.h"

namespace saltus::python {
namespace {

py::dict row(std::string_view name, std::string_view summary) {
  py::dict made;
  made["name"] = text_of(name);
  made["summary"] = text_of(summary);
  return made;
}

py::list scheme_rows() {
  py::list rows;
  for (const SchemeRow& scheme : schemes()) {
    const std::unique_ptr<Scheme> made = scheme.make_default();
    const unsigned refuses = made->refuses();
    py::dict one = row(scheme.name, scheme.summary);
    one["order"] = text_of(scheme.order);
    one["kinds"] = text_of(kinds_for(*made));
    one["needs"] =
        text_of(trait_names(made->needs()) + (refuses != 0 ? ", no " + trait_names(refuses) : ""));
    one["gain"] = text_of(scheme.gain);
    one["step"] = made->fixed_step() ? "fixed during a run" : "may change during a run";
    one["references"] = text_of(scheme.reference);
    rows.append(one);
  }
  return rows;
}

/// Names of the schemes that can integrate a group with these traits.
std::vector<std::string> movers(unsigned traits) {
  std::vector<std::string> names;
  for (const SchemeRow& scheme : schemes())
    if (fits(*scheme.make_default(), traits)) names.emplace_back(scheme.name);
  return names;
}

/// The elements of `names` that are not in `others`, "a, b".
std::string beyond(const std::vector<std::string>& names,
                   const std::vector<std::string>& others = {}) {
  std::string text;
  for (const std::string& name : names)
    if (std::ranges::find(others, name) == others.end()) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The schemes of the usual case of a kind, and the differences for its other cases.
py::list kind_rows() {
  py::list rows;
  for (const KindRow& kind : kinds()) {
    const KindCase& usual = kind.cases.front();
    const std::vector<std::string> common = movers(usual.traits);
    std::string names = beyond(common), traits = trait_names(usual.traits);
    for (const KindCase& other : std::span(kind.cases).subspan(1)) {
      const std::string what = " " + std::string(other.what);
      const std::vector<std::string> here = movers(other.traits);
      const std::string added = beyond(here, common), gone = beyond(common, here);
      if (!added.empty() || !gone.empty())
        names += ";" + what + (added.empty() ? "" : " also " + added) +
                 (gone.empty() ? "" : (added.empty() ? " not " : ", not ") + gone);
      const unsigned more = other.traits & ~usual.traits, less = usual.traits & ~other.traits;
      traits += ";" + what + (more ? " also " + trait_names(more) : "") +
                (more && less ? "," : "") + (less ? " not " + trait_names(less) : "");
    }
    py::dict one = row(kind.name, kind.summary);
    one["entries"] = text_of(kind.entries);
    one["points"] = text_of(kind.points);
    one["traits"] = text_of(traits);
    one["schemes"] = text_of(names);
    rows.append(one);
  }
  return rows;
}

template <typename Law>
py::dict law_row() {
  py::dict one = row(Law::name, Law::help);
  one["references"] = text_of(Law::reference);
  return one;
}

template <std::size_t... k>
py::list law_rows(std::index_sequence<k...>) {
  py::list rows;
  (rows.append(law_row<std::variant_alternative_t<k, LawChoice>>()), ...);
  return rows;
}

py::list solver_rows() {
  py::list rows;
  for (const SolverRow& solver : solvers()) {
    py::dict one = row(solver.name, solver.summary);
    one["handles"] = text_of(solver.handles);
    one["references"] = text_of(solver.reference);
    rows.append(one);
  }
  return rows;
}

}  // namespace

double seconds_of(const std::string& name, py::handle value) {
  if (py::isinstance<py::str>(value)) {
    const Quantity time = parse_quantity(value.cast<std::string>(), unit::s);
    if (time.error.empty()) return time.value;
    throw UsageError(fmt::format("{} is {}: {}{}{}", name, py::repr(value).cast<std::string>(),
                                 time.error, time.hint.empty() ? "" : "; ", time.hint));
  }
  const double time = PyFloat_AsDouble(value.ptr());
  const bool number = !PyErr_Occurred();
  PyErr_Clear();
  if (!number || !std::isfinite(time))
    throw UsageError(fmt::format("{} is {} (a number of seconds, or a text with its unit, '1 ms')",
                                 name, py::repr(value).cast<std::string>()));
  return time;
}

void bind_registry(py::module_& m) {
  m.def("_rows", [](const std::string& topic) {
    if (topic == "schemes") return scheme_rows();
    if (topic == "bodies") return kind_rows();
    if (topic == "laws")
      return law_rows(std::make_index_sequence<std::variant_size_v<LawChoice>>());
    return topic == "solvers" ? solver_rows() : py::list();
  });
  m.def("_options", [](const std::string& topic, const std::string& format) {
    return text_of(describe_options(topic, format == "json"       ? DescribeFormat::json
                                           : format == "markdown" ? DescribeFormat::markdown
                                                                  : DescribeFormat::text));
  });
  m.def("_seconds", &seconds_of, py::arg("name"), py::arg("value"));
  m.def("_schema", [] { return text_of(scene_schema(0)); });
  m.attr("_built") = [] {
    py::dict built;
    built["version"] = text_of(version());
    built["commit"] = text_of(commit());
    built["compiler"] = text_of(compiler());
    built["flags"] = text_of(flags());
    return built;
  }();
}

}  // namespace saltus::python
