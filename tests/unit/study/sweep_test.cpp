// Parameter sweeps: the values of a path, the runs, their rows and the table.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "saltus/base/error.h"
#include "saltus/study/sweep.h"
#include "saltus/study/sweep_table.h"

using namespace saltus;
using Strings = std::vector<std::string>;

namespace {

/// A mass on a spring that falls onto a stop.
SweepScene scene_of(const std::string& more = "") {
  return {R"(saltus: 1
time: {end: 0.2 s, step: 1 ms}
bodies:
  - name: mass
    kind: linear
    oscillator: {mass: 1 kg, stiffness: 400 N/m}
    direction: [0, 0, 1]
    scheme: moreau-jean
    initial: {coordinates: [0.01]}
contacts:
  - {on: mass, at: 0, against: {plane: {point: [0, 0, -0.004], normal: [0, 0, 1]}},
     law: {kind: newton-impact, restitution: 0.5}}
outputs:
  - {probe: mass, name: height, at: 0, quantity: displacement}
)" + more,
          "s.yaml",
          {}};
}

std::string fault_of(const Strings& sets, std::optional<std::uint64_t> draws = {}) {
  try {
    SweepPlan plan(sets, draws);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

Strings values_of(const std::string& text) { return read_axis(text).values; }

}  // namespace

TEST_CASE("a range holds from + k step, the end included within round-off") {
  CHECK(values_of("a=1:3:0.5") == Strings{"1", "1.5", "2", "2.5", "3"});
  CHECK(values_of("a=0:0.5:0.1") == Strings{"0", "0.1", "0.2", "0.3", "0.4", "0.5"});
  CHECK(values_of("a=-0.3:0.3:0.1") == Strings{"-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"});
  CHECK(values_of("a=3:1:-1") == Strings{"3", "2", "1"});
  CHECK(values_of("a=1e3:3e3:1e3") == Strings{"1000", "2000", "3000"});
  CHECK(values_of("a=1:1.9:0.5") == Strings{"1", "1.5"});
  CHECK(values_of("a=2:2:1") == Strings{"2"});
  CHECK(values_of("a=+1:2:+1") == Strings{"1", "2"});
  // a step that decimals do not hold: the end is missed by round-off only
  CHECK(values_of("a=0:1:0.33333333333333331").size() == 4);
  // far from the start the value is still that of one product and one sum
  const Strings many = values_of("a=0:1000:0.1");
  REQUIRE(many.size() == 10'001);
  CHECK(many[7003] == "700.3");
  CHECK(many.back() == "1000");
}

TEST_CASE("a unit that all values share belongs to the axis, others to the values") {
  for (const char* text : {"a=1:2:0.5 mm", "a=1 mm:2 mm:0.5 mm", "a=1 mm, 1.5mm,2  mm"}) {
    CAPTURE(text);
    const SweepAxis axis = read_axis(text);
    CHECK(axis.unit == "mm");
    CHECK(axis.values == Strings{"1", "1.5", "2"});
    CHECK(axis.assignment(axis.values[1]) == "a=1.5 mm");
  }
  const SweepAxis mixed = read_axis("a=1 mm,2 cm,3");
  CHECK(mixed.unit.empty());
  CHECK(mixed.values == Strings{"1 mm", "2 cm", "3"});
  CHECK(read_axis("a=1").assignment("1") == "a=1");
}

TEST_CASE("a list holds what --set takes: commas in brackets and quotes do not part it") {
  CHECK(values_of("a=newmark,moreau-jean") == Strings{"newmark", "moreau-jean"});
  CHECK(values_of("a={kind: newmark, beta: 0.3},newmark") ==
        Strings{"{kind: newmark, beta: 0.3}", "newmark"});
  CHECK(values_of("a=[1, 2],[3, 4]") == Strings{"[1, 2]", "[3, 4]"});
  CHECK(values_of("a=\"x, y\",'z, w',it's") == Strings{"\"x, y\"", "'z, w'", "it's"});
  CHECK(values_of("a=1:3:1,10") == Strings{"1", "2", "3", "10"});
  CHECK(values_of("a=a = b: c") == Strings{"a = b: c"});
  CHECK(values_of("a=../x.csv") == Strings{"../x.csv"});
  CHECK(values_of("a=") == Strings{""});
  CHECK(values_of("a=~,1") == Strings{"~", "1"});
}

TEST_CASE("several axes give their full product, the last one fastest") {
  const SweepPlan plan(Strings{"a=1,2", "b=x,y,z", "c=0"});
  REQUIRE(plan.runs() == 6);
  const char* expected[6][2] = {{"1", "x"}, {"1", "y"}, {"1", "z"},
                                {"2", "x"}, {"2", "y"}, {"2", "z"}};
  for (std::uint64_t run = 0; run < 6; ++run) {
    CHECK(plan.value(run, 0) == expected[run][0]);
    CHECK(plan.value(run, 1) == expected[run][1]);
    CHECK(plan.assignments(run) == Strings{std::string("a=") + expected[run][0],
                                           std::string("b=") + expected[run][1], "c=0"});
  }
}

TEST_CASE("a draw depends on seed, number and path, and on nothing else") {
  const SweepPlan alone(Strings{"a=uniform(1,3)"}, 50, 7);
  const SweepPlan longer(Strings{"b=0..1 mm", "a=1..3"}, 80, 7);
  const SweepPlan product(Strings{"s=x,y", "a=uniform(1, 3)"}, 50, 7);
  const SweepPlan other(Strings{"a=uniform(1,3)"}, 50, 8);
  REQUIRE(alone.runs() == 50);
  REQUIRE(product.runs() == 100);
  std::set<std::string> values;
  for (std::uint64_t run = 0; run < 50; ++run) {
    const std::string value = alone.value(run, 0);
    CHECK(longer.value(run, 1) == value);
    CHECK(product.value(2 * run, 1) == value);  // both x and y meet the same draw
    CHECK(product.value(2 * run + 1, 1) == value);
    CHECK(other.value(run, 0) != value);
    CHECK(longer.value(run, 0) != value);
    CHECK(std::stod(value) >= 1.0);
    CHECK(std::stod(value) < 3.0);
    values.insert(value);
  }
  CHECK(values.size() == 50);
  CHECK(longer.axes()[0].unit == "mm");
  CHECK(product.value(0, 0) == "x");
  CHECK(product.value(1, 0) == "y");
}

TEST_CASE("draws are spread evenly: mean, variance and tenths of 20 000 of them") {
  const SweepAxis axis = read_axis("a=uniform(0,1)");
  constexpr int n = 20'000;
  double sum = 0.0, squares = 0.0, neighbours = 0.0, last = 0.5;
  int tenths[10] = {};
  for (int k = 0; k < n; ++k) {
    const double u = axis.draw(3, static_cast<std::uint64_t>(k));
    sum += u;
    squares += (u - 0.5) * (u - 0.5);
    neighbours += (u - 0.5) * (last - 0.5);
    last = u;
    ++tenths[static_cast<int>(10.0 * u)];
  }
  // four standard deviations of each
  CHECK(std::abs(sum / n - 0.5) < 4.0 * std::sqrt(1.0 / 12.0 / n));
  CHECK(std::abs(squares / n - 1.0 / 12.0) < 4.0 * std::sqrt(1.0 / 180.0 / n));
  CHECK(std::abs(neighbours / n) < 4.0 / 12.0 / std::sqrt(n));
  for (const int count : tenths) CHECK(std::abs(count - n / 10) < 4.0 * std::sqrt(0.09 * n));
}

TEST_CASE("a fault in what to sweep is one line that names it and what is allowed") {
  struct Row {
    Strings sets;
    std::optional<std::uint64_t> draws;
    const char* says;
  };
  const Row table[] = {
      {{"time.end"}, {}, "--set time.end: is not of the form path=values"},
      {{"=1"}, {}, "is not of the form"},
      {{"a=1:2:0"}, {}, "--set a=1:2:0: a: the step of '1:2:0' is 0"},
      {{"a=1:2:-1"}, {}, "leads away from TO"},
      {{"a=2:1:1"}, {}, "leads away from TO"},
      {{"a=1:x:1"}, {}, "'x' is not a number; a range is FROM:TO:STEP"},
      {{"a=1:2:1 mn"}, {}, "'mn' is not a unit"},
      {{"a=1 mm:2 cm:1 mm"}, {}, "'mm' and 'cm' differ"},
      {{"a=0:1:1e-9"}, {}, "at most 1000000"},
      {{"a=1,,2"}, {}, "a value is missing between commas"},
      {{"a=1,2,"}, {}, "a value is missing between commas"},
      {{"a=1..2"}, {}, "add --random N"},
      {{"a=uniform(1,2)"}, {}, "add --random N"},
      {{"a=uniform(1;2)"}, 3, "uniform(LOW,HIGH)"},
      {{"a=uniform(1,x)"}, 3, "'x' is not a number"},
      {{"a=uniform(2,1)"}, 3, "below the second"},
      {{"a=uniform(1,2) parsec"}, 3, "'parsec' is not a unit"},
      {{"a=1,2"}, 3, "no value is random"},
      {{"a=1..2"}, 0, "at least 1"},
      {{"a=1,2", "b=1", "a=3"}, {}, "--set a=3: a: is set twice"},
      {{"time.lane=events,stepping", "time.mode=events"}, {}, "time.mode: is set twice"},
      {{"a=1:1000:1", "b=1:1001:1"}, {}, "too many runs"},
      {{"a=1..2", "b=1:1001:1"}, 1000, "too many runs"},
  };
  for (const Row& row : table) {
    const std::string fault = fault_of(row.sets, row.draws);
    CAPTURE(row.sets.back());
    CHECK_MESSAGE(fault.find(row.says) != std::string::npos, fault);
    CHECK(fault.find('\n') == std::string::npos);
  }
  CHECK(fault_of({"a=1:1000:1", "b=1:1000:1"}).empty());
}

TEST_CASE("cells of a table are quoted where they must be, as RFC 4180 has it") {
  CHECK(csv_cell("plain text; 1.5") == "plain text; 1.5");
  CHECK(csv_cell("") == "");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("say \"no\"") == "\"say \"\"no\"\"\"");
  CHECK(csv_cell("two\nlines") == "\"two\nlines\"");
  CHECK(csv_cell("\r") == "\"\r\"");
}

TEST_CASE("a run gives what its Simulation gives: energies close, the probe is measured") {
  Stop stop;
  const SweepRow row = sweep_run(scene_of(), Strings{"time.end=1 s"}, stop);
  REQUIRE(row.status == SweepRow::Status::ok);
  CHECK(row.reason.empty());
  CHECK(row.steps == 1000);
  CHECK(row.t_end == 1.0);
  CHECK(row.start.potential == doctest::Approx(0.5 * 400 * 1e-4).epsilon(1e-14));
  CHECK(row.start.kinetic == 0.0);
  double work = 0.0;
  for (const AccountTotal& account : row.ledger) work += account.work;
  CHECK(std::abs(row.start.total() + work - row.end.total()) <= 1e-15);
  CHECK(row.unexplained <= 1e-15);
  CHECK(row.residual <= 1e-12);
  CHECK(row.contact_steps > 0);
  CHECK(row.passes == 1);
  CHECK(row.penetration > 0.0);  // a velocity law lets the step of the impact in
  CHECK(row.penetration < 0.01 * 20 * 1e-3);
  REQUIRE(row.probes.size() == 1);
  const ProbeSummary& height = row.probes[0];
  CHECK(height.max == 0.01);  // where it starts
  CHECK(height.min == doctest::Approx(-0.004 - row.penetration).epsilon(1e-12));
  CHECK(height.rms > 0.0);
  CHECK(height.rms < 0.01);
  CHECK(height.unit == "m");
}

TEST_CASE("without contact the probe of an oscillator has the root mean square of its cosine") {
  Stop stop;
  const SweepRow row =
      sweep_run(scene_of(), Strings{"contacts=", "time={end: 3.1416 s, step: 0.1 ms}"}, stop);
  REQUIRE(row.status == SweepRow::Status::ok);  // ten periods 2 pi/20
  CHECK(row.probes[0].rms == doctest::Approx(0.01 / std::sqrt(2.0)).epsilon(1e-4));
  CHECK(row.probes[0].last == doctest::Approx(0.01).epsilon(1e-4));
  CHECK(row.probes[0].min == doctest::Approx(-0.01).epsilon(1e-6));
  CHECK(row.impulse == 0.0);
  CHECK(row.penetration == 0.0);
}

TEST_CASE("the impulse of a row is the momentum that the stop gave") {
  // a free mass that hits the stop once: P = m (1 + e) v
  Stop stop;
  const SweepRow row =
      sweep_run(scene_of(),
                Strings{"bodies[0].oscillator.stiffness=0", "bodies[0].oscillator.mass=3 kg",
                        "bodies[0].initial={coordinates: [0], velocity: -2}"},
                stop);
  CAPTURE(row.reason);
  REQUIRE(row.status == SweepRow::Status::ok);
  CHECK(row.impulse == doctest::Approx(3.0 * 1.5 * 2.0).epsilon(1e-13));
  CHECK(row.contact_steps == 1);
}

TEST_CASE("values that the scene refuses give an invalid row, motions that explode a failed one") {
  Stop stop;
  const SweepRow invalid = sweep_run(scene_of(), Strings{"bodies[0].oscillator.mass=-1 kg"}, stop);
  CHECK(invalid.status == SweepRow::Status::invalid);
  CHECK(invalid.reason.starts_with("--set bodies[0].oscillator.mass=-1 kg: bodies[0]"));
  CHECK_FALSE(invalid.started);
  const SweepRow failed = sweep_run(
      scene_of(),
      Strings{"bodies[0].scheme=central-difference", "bodies[0].oscillator.mass=1e-9", "contacts="},
      stop);
  CHECK(failed.status == SweepRow::Status::failed);
  CHECK(failed.reason.find("step ") == 0);
  CHECK(failed.reason.find("no longer finite") != std::string::npos);
  CHECK(failed.warnings.find("stability") != std::string::npos);
  CHECK(failed.started);
  CHECK(failed.steps > 0);
  CHECK(failed.steps < 200);
}

TEST_CASE("a run that a stop keeps finite reaches its end, with the warning of its scheme first") {
  // the stop throws back a mass that the scheme cannot follow, and so keeps it finite
  Stop stop;
  const SweepRow row = sweep_run(
      scene_of(), Strings{"bodies[0].scheme=central-difference", "bodies[0].oscillator.mass=1e-9"},
      stop);
  CHECK(row.status == SweepRow::Status::ok);
  CHECK(row.warnings.find("bodies[0].scheme: h = 0.001 s is above the stability limit") == 0);
  CHECK(row.end.total() > 2.0 * row.start.total());
}

TEST_CASE("rows do not depend on the number of threads") {
  const SweepPlan plan(Strings{"bodies[0].oscillator.mass=-0.1:2:0.1",
                               "bodies[0].scheme=newmark,"
                               "moreau-jean",
                               "contacts[0].law.restitution=uniform(0,1)"},
                       2, 5);
  const SweepScene scene = scene_of();
  const std::vector<SweepRow> one = sweep(scene, plan, 1);
  REQUIRE(one.size() == plan.runs());
  CHECK(count(one).invalid == 8);  // -0.1 and 0, two schemes, two draws
  CHECK(count(one).ok == plan.runs() - 8);
  for (const int threads : {2, 3, 7}) {
    const std::vector<SweepRow> many = sweep(scene, plan, threads);
    REQUIRE(many.size() == one.size());
    for (std::size_t run = 0; run < one.size(); ++run) {
      CAPTURE(run);
      CHECK(many[run].status == one[run].status);
      CHECK(many[run].reason == one[run].reason);
      CHECK(many[run].residual == one[run].residual);
      CHECK(many[run].impulse == one[run].impulse);
      CHECK(many[run].end.kinetic == one[run].end.kinetic);
      REQUIRE(many[run].probes.size() == one[run].probes.size());
      for (std::size_t i = 0; i < one[run].probes.size(); ++i)
        CHECK(many[run].probes[i].rms == one[run].probes[i].rms);
    }
  }
}

TEST_CASE("a stopped sweep keeps the rows that are done and leaves the others empty") {
  const SweepPlan plan(Strings{"bodies[0].oscillator.mass=1:200:0.01"});
  const std::vector<SweepRow> rows =
      sweep(scene_of(), plan, 2, [](const SweepCount& now) { return now.done() < 3; });
  const SweepCount done = count(rows);
  CHECK(done.runs == plan.runs());
  CHECK(done.ok >= 3);
  CHECK(done.ok < plan.runs());
  CHECK(done.failed + done.invalid == 0);
  for (const SweepRow& row : rows)
    CHECK((row.status == SweepRow::Status::none || row.steps == 200));
}

TEST_CASE("where no value is accepted the sweep is at fault, with the error of the first run") {
  const auto first_error = [](const Strings& sets) -> std::string {
    try {
      first_valid_scene(scene_of(), SweepPlan(sets));
    } catch (const SceneError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(first_error({"bodies[0].oscillator.mass=-2,-1,3"}).empty());
  CHECK(first_error({"bodies[0].oscilator.mass=1,2"}).find("did you mean `oscillator`") !=
        std::string::npos);
  CHECK(first_error({"bodies[1].oscillator.mass=1,2"}).find("the list has 1 entries") !=
        std::string::npos);
  CHECK(first_error({"bodies[0].oscillator.mass=-2,-1"})
            .starts_with("--set bodies[0].oscillator.mass=-2: "));
}
