// What a study concludes and shows, from results made by hand and from a small one.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/study/study.h"
#include "saltus/study/study_page.h"
#include "saltus/study/study_plot.h"
#include "saltus/study/study_schemes.h"
#include "saltus/study/study_table.h"
#include "saltus/study/study_verdict.h"
#include "study_samples.h"

using namespace saltus;

namespace {

StudyRun made_run(double h, double error, double wall) {
  StudyRun run;
  run.h = h;
  run.error = error;
  run.wall = wall;
  run.measurable = true;
  run.steps = 10;
  run.energy = {1.0, 1.0};
  return run;
}

/// Three schemes with two steps; errors and times as given below.
StudyResult made() {
  StudyResult r;
  r.scene = "made.yaml";
  r.end = 1.0;
  r.scene_step = 0.1;
  r.tolerance = 1e-3;
  r.steps = {0.1, 0.05};
  r.times = {0.0, 1.0};
  r.observables = {{"x", "m", 1.0}};
  r.energy_scale = 1.0;
  r.reference.scheme = "b";
  r.reference.own_error = 1e-5;
  for (const char* label : {"a", "b", "c"}) {
    StudyScheme scheme;
    scheme.label = label;
    scheme.theory = 2.0;
    r.schemes.push_back(scheme);
  }
  r.schemes[0].runs = {made_run(0.1, 5e-3, 1.0), made_run(0.05, 9e-4, 3.0)};
  r.schemes[1].runs = {made_run(0.1, 8e-4, 2.0), made_run(0.05, 2e-4, 4.0)};
  r.schemes[2].runs = {made_run(0.1, 1e-6, 9.0), made_run(0.05, 1e-7, 18.0)};
  return r;
}

/// Whether every tag of the page is closed, in order; names of those that take no end are given.
std::string unbalanced(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at)) {
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "a tag has no end";
    const std::string tag = page.substr(at + 1, end - at - 1);
    at = end;
    if (tag[0] == '!' || tag.back() == '/') continue;
    const std::string name = tag.substr(tag[0] == '/', tag.find_first_of(" \n") - (tag[0] == '/'));
    if (tag[0] != '/') {
      open.push_back(name);
      continue;
    }
    if (open.empty() || open.back() != name) return "</" + name + ">";
    open.pop_back();
  }
  return open.empty() ? "" : "<" + open.back() + ">";
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("the verdict is the cheapest run that meets the tolerance") {
  StudyResult r = made();
  StudyVerdict v = study_verdict(r);
  CHECK(v.scheme == 1);  // a with 0.1 is cheaper, but not accurate
  CHECK(v.run == 0);
  CHECK(v.text.starts_with("Use b with h = 100 ms: error 0.0008, tolerance 0.001"));
  CHECK(v.text.find("cheapest of the 5 runs") != std::string::npos);

  r.tolerance = 1e-2;
  v = study_verdict(r);
  CHECK(v.scheme == 0);
  CHECK(v.run == 0);

  r.tolerance = 5e-5;
  v = study_verdict(r);
  CHECK(v.scheme == 2);
  CHECK(v.run == 0);

  // times that differ by less than a fifth are one: the more accurate run is taken
  r = made();
  r.schemes[2].runs[0].wall = 2.2;
  v = study_verdict(r);
  CHECK(v.scheme == 2);

  // the reference must be better than what is asked for
  r = made();
  r.reference.own_error = 5e-4;
  v = study_verdict(r);
  CHECK(v.scheme == 1);
  CHECK(v.run == 1);
}

TEST_CASE("runs that failed, and schemes that are refused, are never the verdict") {
  StudyResult r = made();
  r.schemes[1].runs[0].status = StudyStatus::failed;
  r.schemes[1].runs[1].status = StudyStatus::unstable;
  const StudyVerdict v = study_verdict(r);
  CHECK(v.scheme == 0);
  CHECK(v.run == 1);
  REQUIRE(v.warnings.size() == 1);
  CHECK(v.warnings[0] == "b is unstable with h = 50 ms");
}

TEST_CASE("a tolerance that nobody meets gives the step that should") {
  StudyResult r = made();
  r.tolerance = 1e-9;
  r.reference.own_error = 1e-12;
  r.schemes[2].impacts = {1.0, 1e-5, 3, ""};  // error = 1e-5 h
  const StudyVerdict v = study_verdict(r);
  CHECK(v.scheme == -1);
  CHECK(v.text ==
        "No run meets the tolerance 1e-09. The most accurate is c with h = 50 ms: error 1e-07; at "
        "its order 1.00 a step of about 100 us should meet it.");
}

TEST_CASE("the chosen run is warned of when it loses energy or lets bodies overlap") {
  StudyResult r = made();
  r.schemes[1].runs[0].scheme = -0.05;
  r.schemes[1].runs[0].penetration = 0.002;
  const StudyVerdict v = study_verdict(r);
  REQUIRE(v.warnings.size() == 2);
  CHECK(v.warnings[0] == "b itself removes 5 % of the energy (0.05 J)");
  CHECK(v.warnings[1] == "b lets bodies overlap by up to 0.002 m");
}

TEST_CASE("the page needs nothing from outside, closes its tags and shows every scheme") {
  StudyOptions options;
  options.schemes = {"newmark", "moreau-jean:theta=1", "runge-kutta"};
  const StudyResult r = run_study(study_test::scene(study_test::kStop), options);
  const std::string page = study_page(r);
  CHECK(unbalanced(page) == "");
  for (const char* word : {"http:", "https:", "src=", "href=", "@import", "url(", "<script",
                           "<link", "<img", "<iframe"}) {
    CAPTURE(word);
    CHECK(page.find(word) == std::string::npos);
  }
  CHECK(count(page, "<svg") == 5);
  for (int s = 0; s < 3; ++s) {
    const std::string group = "<g class=\"c" + std::to_string(s) + "\">";
    CHECK(count(page, group + "<path class=\"curve\"") == 5);  // its key in every plot
    CHECK(count(page, group + "\n<path class=\"curve\"") >=
          4);  // and its curve, but for a drift of zero
  }
  CHECK(count(page, "class=\"ring\"") <= 4);
  for (const StudyScheme& scheme : r.schemes)
    for (const StudyRun& run : scheme.runs)
      CHECK(page.find(scheme.label + ", h = " + step_text(run.h) + ": error") != std::string::npos);
  CHECK(page.find(html_text(r.verdict.text)) != std::string::npos);
  CHECK(page.find("prefers-color-scheme: dark") != std::string::npos);
}

TEST_CASE("names with characters of markup are shown as they are") {
  StudyResult r = made();
  r.title = "a<b & \"c\"";
  const std::string page = study_page(r);
  CHECK(unbalanced(page) == "");
  CHECK(page.find("<h1>a&lt;b &amp; &quot;c&quot;</h1>") != std::string::npos);
}

TEST_CASE("the table in CSV has as many cells in every row as the first line has names") {
  StudyResult r = made();
  r.schemes[0].runs[0].status = StudyStatus::failed;
  r.schemes[0].runs[0].reason = "step 1: \"no\", never";
  StudyScheme refused;
  refused.label = "d";
  refused.refused = "needs gain 1, x";
  r.schemes.push_back(refused);
  std::istringstream lines(study_csv(r));
  std::string line;
  std::size_t cells = 0, rows = 0;
  while (std::getline(lines, line)) {
    std::size_t n = 1;
    bool inside = false;
    for (const char c : line) {
      inside ^= c == '"';
      n += c == ',' && !inside;
    }
    if (rows++ == 0) cells = n;
    CAPTURE(line);
    CHECK(n == cells);
  }
  CHECK(rows == 8);
}

TEST_CASE("a study of the same scene gives the same numbers but for the times") {
  StudyOptions options;
  options.schemes = {"newmark", "euler-implicit"};
  options.levels = 3;
  StudyResult a = run_study(study_test::scene(study_test::kStop), options),
              b = run_study(study_test::scene(study_test::kStop), options);
  for (StudyResult* r : {&a, &b}) {
    r->verdict = {};
    for (StudyScheme& scheme : r->schemes)
      for (StudyRun& run : scheme.runs) run.wall = 0.0;
  }
  CHECK(study_json(a) == study_json(b));
  CHECK(study_csv(a) == study_csv(b));
}

TEST_CASE("a study stops when its watch says so") {
  int calls = 0;
  StudyOptions options;
  options.schemes = {"newmark"};
  const StudyResult r =
      run_study(study_test::scene(study_test::kSwing), options, [&](const StudyProgress& p) {
        CHECK(p.step <= p.last);
        return ++calls < 3;
      });
  CHECK(r.stopped);
  CHECK(calls == 3);
}

TEST_CASE("schemes are written as a name, a name with options, or as in scenes") {
  CHECK(split_schemes("a, b:x=1,{kind: c, y: [1, 2]}") ==
        std::vector<std::string>{"a", "b:x=1", "{kind: c, y: [1, 2]}"});
  const NamedScheme short_form = read_scheme("moreau-jean:theta=0.6"),
                    long_form = read_scheme("{kind: moreau-jean, theta: 0.6}");
  CHECK(short_form.label == "moreau-jean theta=0.6");
  CHECK(long_form.label == short_form.label);
  CHECK(long_form.choice == short_form.choice);
  CHECK(std::get<MoreauJeanOptions>(short_form.choice).theta == 0.6);
  for (const char* text : {"moreau-jean:theta=2", "moreau-jean:thta=1", "moreau-jean:theta", "",
                           ":", "moreau-jean:theta=x", "{kind: newmark", "[newmark]"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_scheme(text), SceneError);
  }
}

TEST_CASE("an energy that is constant to round-off is drawn as a level line, at any size") {
  for (const double E : {9.81e-1, -3e-20, 7e200})
    for (const bool log : {false, true}) {
      if (log && E < 0.0) continue;
      CAPTURE(E);
      CAPTURE(log);
      Plot plot;
      plot.x.log = false;
      plot.y.log = log;
      plot.series.emplace_back();
      plot.series[0].markers = false;
      for (int k = 0; k < 4; ++k) {
        PlotPoint& point = plot.series[0].points.emplace_back();
        point.x = 0.1 * k;
        point.y = E * (1.0 + k * 0x1p-52);
      }
      const std::string svg = plot_svg(plot);
      CHECK(svg.size() < 10000);
      const std::size_t ticks = count(svg, "class=\"tick\"");
      CHECK(ticks >= 5);
      CHECK(ticks <= 25);
      // In the middle of 14 .. 344.
      const std::size_t at = svg.find("M74.0 ");
      REQUIRE(at != std::string::npos);
      const double y = std::stod(svg.substr(at + 6));
      CHECK(y == doctest::Approx(179.0).epsilon(1e-3));
      CHECK(svg.find(fmt::format("M74.0 {0:.1f}L238.0 {0:.1f}L", y)) != std::string::npos);
    }
}

TEST_CASE("powers of ten and steps are written as people read them") {
  CHECK(power_of_ten(-13) == "10⁻¹³");
  CHECK(power_of_ten(0) == "1");
  CHECK(step_text(0.008) == "8 ms");
  CHECK(step_text(0.99999) == "1 s");
  CHECK(step_text(2e-10) == "0.2 ns");
}
