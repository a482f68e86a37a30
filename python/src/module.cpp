#include "bind.h"
#include "saltus/version.h"

PYBIND11_MODULE(_core, m) {
  using namespace saltus::python;
  m.doc() = "The compiled part of the package saltus; import saltus instead.";
  m.attr("__version__") = std::string(saltus::version());
  bind_errors(m);
  bind_scene(m);
  bind_dynamics(m);
  bind_scheme(m);
  bind_solver(m);
  bind_model(m);
  bind_parts(m);
  bind_simulation(m);
  bind_run(m);
  bind_results(m);
  bind_study(m);
}
