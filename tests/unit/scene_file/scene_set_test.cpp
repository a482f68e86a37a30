#include <doctest/doctest.h>

#include "saltus/scene_file/scene_yaml.h"
#include "scene_samples.h"

using namespace saltus;
using saltus_test::kEverything;
using saltus_test::kSmall;

namespace {

SceneSpec with(const std::string& text, std::vector<std::string> assignments) {
  return read_scene_text(text, "s.yaml", assignments).spec;
}

}  // namespace

TEST_CASE("an assignment replaces, adds and removes entries") {
  CHECK(with(kSmall, {"time.end=2 s"}).time.end == 2.0);
  CHECK(with(kSmall, {"time.end=2 s", "time.end=3"}).time.end == 3.0);
  CHECK(with(kSmall, {"title=a = b"}).title == "a = b");
  CHECK(with(kSmall, {"bodies[0].modes.omega[1]=7 rad/s"}).bodies[0].modes->omega ==
        std::vector<double>{1.0, 7.0});
  CHECK(with(kSmall, {"bodies[0].modes.sigma=[1, 2]"}).bodies[0].modes->sigma.size() == 2);
  CHECK(with(kSmall, {"solver.tolerance=1e-6"}).solver.tolerance == 1e-6);
  CHECK(with(kSmall, {"time.rate=", "time.step=1 ms"}).time.step == 0.001);
  CHECK(with(kEverything, {"outputs[0]="}).outputs.size() == 1);
  CHECK(with(kEverything, {"contacts=[]", "outputs="}).contacts.empty());
}

TEST_CASE("an assignment below a plain name keeps the name as kind") {
  const auto changed = with(kEverything, {"contacts[1].law.restitution=0.5"});
  CHECK(std::get<NewtonImpact>(changed.contacts[1].law).restitution == 0.5);
  const auto scheme = with(kSmall, {"bodies[0].scheme=moreau-jean", "bodies[0].scheme.theta=1"});
  CHECK(std::get<MoreauJeanOptions>(*scheme.bodies[0].scheme).theta == 1.0);
}

TEST_CASE("a faulty assignment is named in the error") {
  struct Row {
    const char *assignment, *message;
  };
  for (const Row& row : {
           Row{"time.end", "is not of the form path=value; for example bodies[0].scheme.theta=1"},
           Row{"=1", "is not of the form path=value; for example bodies[0].scheme.theta=1"},
           Row{"time.end=no", "time.end: 'no', a YAML 1.1 boolean, is not a number in s"},
           Row{"time.end=-1", "time.end: -1 s is out of range; allowed: > 0 s"},
           Row{"time.step=1",
               "time.step: cannot be given together with `rate`; give at most one of rate, step"},
           Row{"time.ende=1",
               "time: unknown key `ende`; did you mean `end`? allowed: end, rate, step, mode, "
               "tolerance, "
               "scheme"},
           Row{"bodies[1].name=b",
               "bodies[1].name: `bodies[1]` does not exist; the list has 1 entries, the first is "
               "[0]"},
           Row{"bodies[-1].name=b",
               "bodies[-1].name: '-1' is not an index, and no entry has this name; for example bodies[0].scheme.theta=1"},
           Row{"bodies[0=b", "bodies[0: `]` is missing; for example bodies[0].scheme.theta=1"},
           Row{"bodies[0]name=b",
               "bodies[0]name: a dot is missing after `]`; for example bodies[0].scheme.theta=1"},
           Row{"bodies.name=b",
               "bodies.name: `name` is a key, but a list needs an index; an index such as [0]"},
           Row{"bodies..x=b",
               "bodies..x: a name is missing in the path; for example bodies[0].scheme.theta=1"},
           Row{"time.=b",
               "time.: a name is missing in the path; for example bodies[0].scheme.theta=1"},
           Row{"time[0]=b",
               "time[0]: `time[0]` does not exist: there is no list; for example "
               "bodies[0].scheme.theta=1"},
           Row{"title=[1", "title: the value YAML syntax: end of sequence flow not found"},
           Row{"bodies[0].scheme={kind: moreau-jean, theta: 2}",
               "bodies[0].scheme.theta: 2 is out of range; allowed: [0, 1]"},
           Row{"bodies[0].scheme.theta=1",
               "bodies[0].scheme: `kind` is missing; allowed: modal-exact, moreau-jean, "
               "euler-explicit, euler-implicit, newmark, variational-symplectic, runge-kutta, "
               "splitting, central-difference, schatzman-paoli, generalized-alpha, "
               "generalized-alpha-decoupled, discrete-gradient, def-exp, def-lim, rig-pos, "
               "rig-neg, rig-imp, rig-mid"},
       }) {
    CAPTURE(row.assignment);
    CHECK_THROWS_WITH_AS(with(kSmall, {row.assignment}),
                         ("--set " + std::string(row.assignment) + ": " + row.message).c_str(),
                         SceneError);
  }
}

TEST_CASE("an error in the file keeps its place when assignments are given") {
  CHECK_THROWS_WITH_AS(with("saltus: 1\ntime: {end: 1, rate: -5}\nbodies: [{name: a, kind: modal, "
                            "modes: {omega: [1]}}]\n",
                            {"time.end=2"}),
                       "s.yaml:2:22: time.rate: -5 Hz is out of range; allowed: > 0 Hz",
                       SceneError);
}
