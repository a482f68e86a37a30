// Contact laws written in Python: forces as functions of gap and gap rate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "extend.h"
#include "gil.h"
#include "model_parts.h"
#include "py_operator.h"
#include "saltus/contact/laws/force_law.h"

namespace saltus::python {
namespace {

/// Properties of the Python object, read before the law is created.
struct Written {
  py::object object;
  std::string_view name;  ///< valid until the end of the process
  bool stores = false;    ///< its class has stored_energy

  explicit Written(const py::object& law, const py::object& base) : object(law) {
    const py::object type = py::type::of(law);
    const std::string of = type.attr("__name__").cast<std::string>();
    const auto own = [&](const char* method) { return !type.attr(method).is(base.attr(method)); };
    if (!own("force")) throw UsageError(of + " must have the method force(self, gap, rate)");
    stores = own("stored_energy");
    const py::object given = law.attr("name");
    if (!given.is_none() && !py::isinstance<py::str>(given))
      throw UsageError(
          fmt::format("{}.name is {}, a str is expected", of, py::repr(given).cast<std::string>()));
    const std::string text = given.is_none() ? of : given.cast<std::string>();
    if (text.empty()) throw UsageError(of + ".name is empty");
    name = lasting(text);
  }
};

/// Force N(y, u) of a Python object, called for gaps below 0 only. In a step the elastic part is
/// averaged over the change of the gap, which conserves energy, and the damping part is evaluated
/// at the middle.
class PythonLaw final : public ForceLaw {
 public:
  explicit PythonLaw(const Written& x)
      : ForceLaw({.name = x.name,
                  .set_valued = false,
                  .reads_start_gap = true,
                  .follows_passes = true,
                  .yields = true}),
        object_(x.object.ptr(), HeldObject{x.object.inc_ref().ptr()}),
        stores_(x.stores) {}

  double stored_energy(double gap) const override {
    return stores_ && gap < 0.0 ? energy(gap) : 0.0;
  }
  double force(double gap, double rate, double) const override {
    return gap < 0.0 ? of_python(gap, rate) : 0.0;
  }
  double damping_force(double gap, double rate) const override {
    if (!(gap < 0.0)) return 0.0;
    return stores_ ? of_python(gap, rate) - of_python(gap, 0.0) : of_python(gap, rate);
  }
  // N/(|N(y, 0)| + |N - N(y, 0)|), which is 1 at the start of a contact
  double pressing(double gap, double rate) const override {
    constexpr double kBegins = -1e-12;  // [m]
    const double y = std::min(gap, kBegins), held = of_python(y, 0.0), now = of_python(y, rate),
                 size = std::abs(held) + std::abs(now - held);
    return size > 0.0 ? now / size : 1.0;
  }

 private:
  ForceStep step(double h, double y0, double y1) const override {
    const double force = mean(h, y0, y1);
    if (!(force > 0.0)) return {};
    const double by = 1e-6 * std::max(std::abs(y0), std::abs(y1));
    return {force, std::max((mean(h, y0, y1 - by) - mean(h, y0, y1 + by)) / (2.0 * by), 1e-300)};
  }
  double mean(double h, double y0, double y1) const {
    if (y0 >= 0.0 && y1 >= 0.0) return 0.0;
    const double middle = 0.5 * (y0 + y1), way = y1 - y0, u = way / h;
    if (!stores_) return force(middle, u, 0.0);
    double kept;
    if (std::abs(way) <= 1e-3 * std::max(-y0, -y1))  // the difference of V would be round-off
      kept = (force(y0, 0.0, 0.0) + 4.0 * force(middle, 0.0, 0.0) + force(y1, 0.0, 0.0)) / 6.0;
    else
      kept = (stored_energy(y0) - stored_energy(y1)) / way;
    return kept + damping_force(middle, u);
  }
  double of_python(double gap, double rate) const {
    const Gil gil;
    return number("force", fmt::format("gap={:g}, rate={:g}", gap, rate),
                  [&](const py::object& law) { return law.attr("force")(gap, rate); });
  }
  double energy(double gap) const {
    const Gil gil;
    const double V = number("stored_energy", fmt::format("gap={:g}", gap),
                            [&](const py::object& law) { return law.attr("stored_energy")(gap); });
    if (V < 0.0)
      throw UsageError(fmt::format(
          "{}.stored_energy(gap={:g}) gave {:g}, but an energy must be >= 0", name(), gap, V));
    return V;
  }
  template <class Call>
  double number(const char* method, const std::string& at, const Call& call) const {
    const auto law = py::reinterpret_borrow<py::object>(object_.get());
    const py::object given = into_python([&] { return py::object(call(law)); });
    double x;
    try {
      x = given.cast<double>();
    } catch (const py::cast_error&) {
      throw py::type_error(fmt::format("{}.{}({}) gave {}, a number is expected", name(), method,
                                       at, py::repr(given).cast<std::string>()));
    }
    if (!std::isfinite(x))
      throw UsageError(
          fmt::format("{}.{}({}) gave {}, a finite number is expected", name(), method, at, x));
    return x;
  }
  std::string described() const override { return ", written in Python"; }

  std::shared_ptr<PyObject> object_;
  bool stores_;
};

int add_python_law(PartsObject& self, const py::object& law, const py::object& base) {
  self.parts.laws.emplace_back(std::make_shared<PythonLaw>(Written(law, base)));
  self.parts.law_path.push_back(fmt::format("laws[{}]", self.parts.laws.size() - 1));
  return static_cast<int>(self.parts.laws.size()) - 1;
}

}  // namespace

void bind_law(PartsClass& cls) {
  cls.def("_add_python_law", &add_python_law, py::arg("law"), py::arg("base"));
}

}  // namespace saltus::python
