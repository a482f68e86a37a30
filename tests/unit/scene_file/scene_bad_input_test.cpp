// Everything that can be wrong with the text of a scene: each row is a text and the whole message.
#include <doctest/doctest.h>

#include "saltus/scene_file/scene_yaml.h"
#include "scene_samples.h"
#include "support/fault_rows.h"

using namespace saltus;

namespace {

void expect_faults(const std::vector<saltus_test::FaultRow>& rows) {
  saltus_test::expect_faults("s.yaml", rows,
                             [](const std::string& text) { read_scene_text(text, "s.yaml"); });
}

const std::string kTop = "saltus: 1\ntime: {end: 1 s, rate: 1 kHz}\n";
const std::string kBody = "bodies: [{name: a, kind: modal, modes: {omega: [1, 2]}}]\n";
const std::string kKeys =
    "allowed: saltus, title, time, events, contact, solver, on_failure, gravity, ground, planar, "
    "bodies, "
    "surfaces, "
    "ignore, contacts, joint, joints, couplings, outputs, "
    "results, "
    "reference, start, phases";

const std::string kSchemes =
    "modal-exact, moreau-jean, euler-explicit, euler-implicit, newmark, variational-symplectic, "
    "runge-kutta, splitting, central-difference, schatzman-paoli, generalized-alpha, "
    "generalized-alpha-decoupled, discrete-gradient, def-exp, def-lim, rig-pos, rig-neg, rig-imp, "
    "rig-mid";

/// A scene with one body of these entries, in line 3 from column 11 on.
std::string body(const std::string& entries) { return kTop + "bodies: [{" + entries + "}]\n"; }
std::string string_body(const std::string& entries) {
  return body("name: a, kind: modal, string: {" + entries + "}");
}
const std::string kString = "length: 1, linear_density: 1, modes: 9";
/// A scene with this last line 4.
std::string with(const std::string& line) { return kTop + kBody + line + "\n"; }

}  // namespace

TEST_CASE("text that is not a YAML document is refused with its place") {
  expect_faults({
      {"", " is empty; a scene starts with `saltus: 1`"},
      {"# nothing\n", " is empty; a scene starts with `saltus: 1`"},
      {"---\n", " is empty; a scene starts with `saltus: 1`"},
      {"saltus: 1\ntitle: \xFF\xFE", "2:8: is not UTF-8 text; save the file as UTF-8"},
      {"title: \xC0\x80", "1:8: is not UTF-8 text; save the file as UTF-8"},
      {"title: \xED\xA0\x80", "1:8: is not UTF-8 text; save the file as UTF-8"},
      {"title: \xC3", "1:8: is not UTF-8 text; save the file as UTF-8"},
      {std::string("a\0b", 3), "1:2: has a control character; text files must not contain any"},
      {"saltus: 1\ntime:\n\tend: 1\n", "3:1: a tab in the indentation; indent with spaces"},
      {"saltus: 1\ntime:\n  \tend: 1\n", "3:3: a tab in the indentation; indent with spaces"},
      {"time: [1", "1:1: YAML syntax: end of sequence flow not found"},
      {"{time: 1", "1:1: YAML syntax: end of map flow not found"},
      {"time: {a: 1}}", "1:13: YAML syntax: illegal flow end"},
      {"time: end: 1", "1:10: YAML syntax: illegal map value"},
      {"title: \"\u00e9\" x: 1", "1:12: YAML syntax: end of map not found"},
      {"title: \"\\q\"", "1:11: YAML syntax: unknown escape character: q"},
      {"title: @x", "1:8: YAML syntax: unknown token"},
      {"title: \"Bass\n", "1:8: the text in quotes does not end; a closing \""},
      {"title: 'It''s\n", "1:8: the text in quotes does not end; a closing '"},
      {"saltus: 1\ntitle: a\nsaltus: 1\n",
       "3:1: the key `saltus` is given twice; first given at line 1"},
      {"saltus: 1\ntime: {end: 1, rate: 2,\n  end: 3}\n",
       "3:3: the key `end` is given twice; first given at line 2"},
      {"saltus: 1\n---\nsaltus: 1\n", "2:1: a second document starts here; one scene per file"},
      {"a: &x 1\nb: *x\n",
       "1:4: anchors (&) and aliases (*) are not supported; write the value out, or in quotes"},
      {"a: *x\n", "1:4: YAML syntax: the referenced anchor is not defined"},
      {"a: !!float 1\n", "1:4: tags (!) are not supported; leave the tag out"},
      {"a: !b {c: 1}\n", "1:4: tags (!) are not supported; leave the tag out"},
      {"? [a]\n: b\n", "1:3: a key must be a plain name"},
      {": b\n", "1:1: a key is missing before the colon"},
      {std::string(50, '['), "1:13: is nested too deeply"},
  });
}

TEST_CASE("keys that are unknown or missing are named with the nearest one") {
  expect_faults({
      {"hello", "1:1: 'hello' is not a map of keys; keys: " + kKeys.substr(9)},
      {"- 1", "1:1: a list is not a map of keys; keys: " + kKeys.substr(9)},
      {"{saltus:1}", "1:2: `saltus:1` needs a space after the colon", 3},
      {"titel: x", "1:1: unknown key `titel`; did you mean `title`? " + kKeys, 4},
      {"T\u00edtulo: x", "1:1: unknown key `T\u00edtulo`; " + kKeys, 4},
      {"<<: x", "1:1: unknown key `<<`; " + kKeys, 4},
      {"title: x", "1:1: `saltus` is missing: version of the scene format: 1", 3},
      {"saltus: 1", "1:1: `time` is missing: end time, step and mode of the integration", 2},
      {"saltus: 1\ntime: {rate: 1}",
       "2:1: time: `end` is missing: end time; the run starts at 0 and takes the nearest whole "
       "number of steps",
       2},
      {kTop, "1:1: `bodies` is missing: the bodies of the scene"},
      {kTop + "bodies: []\n", "3:1: bodies: is empty: the bodies of the scene"},
      {kTop + "bodies:\n", "3:1: bodies: has no value; write a list"},
      {kTop + "bodies: {name: a}\n",
       "3:1: bodies: a map is not a list; written as [a, b, c], or as lines that start with `- `"},
      {kTop + "bodies:\n  - nme: a\n",
       "4:5: bodies[0]: unknown key `nme`; did you mean `name`? allowed: name, kind, string, bar, "
       "modes, oscillator, chain, mesh, matrices, pendulum, n_pendulum, duffing, spring_pendulum, "
       "planet, planar_rod, slider_crank, stvk_bar, tangents, particles, rigid, pseudo_rigid, fem, "
       "beam, scheme, rayleigh, loads, prescribed, pluck, initial, origin, axis, direction, colour",
       2},
      {kTop + "bodies:\n  - name: a\n    kind: modal\n",
       "4:5: bodies[0]: a key is missing; give exactly one of string, bar, modes"},
      {body("name: a, kind: modal, modes: {file: a}, string: {length: 1, tension: 1, "
            "linear_density: 1, modes: 9}"),
       "3:33: bodies[0].modes: cannot be given together with `string`; give exactly one of string, "
       "bar, modes"},
      {string_body("lenght: 1"),
       "3:42: bodies[0].string: unknown key `lenght`; did you mean `length`? allowed: length, "
       "tension, linear_density, inharmonicity, modes, dispersion, damping, table",
       3},
      {string_body("length: 1, linear_density: 1"),
       "3:33: bodies[0].string: `modes` is missing: number of modes"},
      {body("name: '', kind: modal, modes: {omega: [1]}"),
       "3:17: bodies[0].name: is empty: unique name; contacts and outputs refer to it"},
      {body("name: a, kind: elastic, modes: {omega: [1]}"),
       "3:26: bodies[0].kind: 'elastic' is not known here; allowed: modal, linear, "
       "lagrangian, particles, rigid, pseudo-rigid, fem, beam"},
      {"saltus: 2\ntime: {end: 1 s, rate: 1 kHz}\n" + kBody,
       "1:9: saltus: scene format 2 is not supported; this program reads version 1"},
  });
}

TEST_CASE("values of the wrong type are refused") {
  const auto time = [](const std::string& value) {
    return "saltus: 1\ntime: {end: " + value + ", rate: 1 kHz}\n" + kBody;
  };
  const std::string hint = "; a number in s, or with a unit: s, ms, us";
  std::vector<saltus_test::FaultRow> rows{
      {time("fast"), "2:13: time.end: 'fast' is not a number" + hint},
      {time("nan"), "2:13: time.end: 'nan' is not a finite number" + hint},
      {time(".inf"), "2:13: time.end: '.inf' is not a finite number" + hint},
      {time("-.INF"), "2:13: time.end: '-.INF' is not a finite number" + hint},
      {time("1e999"), "2:13: time.end: '1e999' is outside the range of double precision" + hint},
      {time("1 m"), "2:13: time.end: 'm' is a unit of another dimension" + hint},
      {time("1 sec"), "2:13: time.end: 'sec' is not a unit" + hint},
      {time("08"),
       "2:13: time.end: '08' starts with 0, which YAML parsers interpret differently; omit the "
       "zero"},
      {time("'1'"), "2:13: time.end: the text '1' is not a number in s; remove the quotes"},
      {time("[1]"), "2:8: time.end: a list is not a number in s"},
      {time("{a: 1}"), "2:8: time.end: a map is not a number in s"},
      {time(""), "2:8: time.end: has no value; write a number in s"},
      {time("null"), "2:8: time.end: has no value; write a number in s"},
      {time("0"), "2:13: time.end: 0 s is out of range; allowed: > 0 s"},
      {time("-3 ms"), "2:13: time.end: -0.003 s is out of range; allowed: > 0 s"},
      {time("0.1 ms"), "2:13: time.end: is shorter than half a step of 0.001 s"},
      {time("1e13 s"),
       "2:27: time.rate: gives more than 1e15 steps; a shorter run or a larger step"},
      {with("title: 5"), "4:8: title: '5' is not text; put it in quotes if it is meant as text"},
      {with("title: .nan"),
       "4:8: title: '.nan' is not text; put it in quotes if it is meant as text"},
      {with("title: [a]"), "4:1: title: a list is not text"},
      {with("results: {frames: 1.5}"),
       "4:19: results.frames: '1.5' is not a whole number; digits only, without unit or exponent"},
      {with("results: {frames: 1e3}"),
       "4:19: results.frames: '1e3' is not a whole number; digits only, without unit or exponent"},
      {with("results: {frames: '3'}"),
       "4:19: results.frames: the text '3' is not a whole number; remove the quotes"},
      {with("results: {frames: 010}"),
       "4:19: results.frames: '010' starts with 0, which YAML parsers interpret differently; "
       "omit the zero"},
      {with("results: {frames: -1}"), "4:19: results.frames: -1 is out of range; allowed: >= 0"},
      {with("results: {frames: 2147483648}"),
       "4:19: results.frames: '2147483648' is too large; whole numbers go up to 2147483647"},
      {with("results: {every_step: 1}"),
       "4:23: results.every_step: '1' is not true or false; allowed: true, false"},
      {with("results: {every_step: True}"),
       "4:23: results.every_step: 'True', a YAML 1.1 boolean, is not true or false; allowed: true, "
       "false"},
      {with("results: {every_step: 'true'}"),
       "4:23: results.every_step: the text 'true' is not true or false; allowed: true, false"},
      {with("on_failure: hlave"),
       "4:13: on_failure: 'hlave' is not known here; did you mean `halve`? allowed: stop, halve, "
       "accept"},
      {with("on_failure: [stop]"),
       "4:1: on_failure: a list is not a name; allowed: stop, halve, accept"},
      {with("contact: end"),
       "4:10: contact: 'end' is not a map of keys; keys: instant, margin, correct_positions"},
      {body("name: a, kind: modal, modes: {omega: [1, x]}"),
       "3:52: bodies[0].modes.omega[1]: 'x' is not a number; "
       "a number in rad/s, or with a unit: rad/s, deg/s"},
      {body("name: a, kind: modal, modes: {omega: 1}"),
       "3:48: bodies[0].modes.omega: '1' is not a list; written as [a, b, c], or as lines that "
       "start with `- `"},
      {body("name: a, kind: modal, modes: {omega: [1]}, axis: [1, 0]"),
       "3:54: bodies[0].axis: has 2 entries instead of 3"},
  };
  for (const char* word : {"no", "Yes", "ON", "off", "true", "False"}) {
    const std::string shown = "'" + std::string(word) + "', a YAML 1.1 boolean, is not ";
    rows.push_back({time(word), "2:13: time.end: " + shown + "a number in s"});
    rows.push_back({with("title: " + std::string(word)),
                    "4:8: title: " + shown + "text; put it in quotes if it is meant as text"});
    rows.push_back({with("on_failure: " + std::string(word)),
                    "4:13: on_failure: " + shown + "a name; allowed: stop, halve, accept"});
    rows.push_back({with("results: {frames: " + std::string(word) + "}"),
                    "4:19: results.frames: " + shown + "a whole number"});
  }
  for (const char* word : {"no", "yes", "on", "off"})
    rows.push_back({with("results: {every_step: " + std::string(word) + "}"),
                    "4:23: results.every_step: '" + std::string(word) +
                        "', a YAML 1.1 boolean, is not true or false; allowed: true, false"});
  expect_faults(rows);
}

TEST_CASE("choices are refused when unknown, incomplete or ambiguous") {
  const std::string modal = "name: a, kind: modal, modes: {omega: [1]}, ";
  const std::string damped = kString + ", tension: 1, damping: ";
  const auto contact = [](const std::string& against, const std::string& law) {
    return with("contacts: [{on: a, against: " + against + ", law: " + law + "}]");
  };
  expect_faults({
      {body(modal + "scheme: moreau-jan"),
       "3:62: bodies[0].scheme: 'moreau-jan' is not known here; did you mean `moreau-jean`? "
       "allowed: " +
           kSchemes},
      {body(modal + "scheme: {theta: 1}"),
       "3:54: bodies[0].scheme: `kind` is missing; allowed: " + kSchemes},
      {body(modal + "scheme: [a]"),
       "3:54: bodies[0].scheme: a list is not a map of keys; a name, or {kind: name, ...}; "
       "names: " +
           kSchemes},
      {body(modal + "scheme: {kind: no}"),
       "3:69: bodies[0].scheme.kind: 'no', a YAML 1.1 boolean, is not a name; allowed: " +
           kSchemes},
      {body(modal + "scheme: {kind: modal-exact, theta: 1}"),
       "3:82: bodies[0].scheme: `modal-exact` has no key `theta`; allowed: start, kind"},
      {body(modal + "scheme: {kind: moreau-jean, theta: 1.5}"),
       "3:89: bodies[0].scheme.theta: 1.5 is out of range; allowed: [0, 1]"},
      {string_body(damped + "3"),
       "3:103: bodies[0].string.damping: '3' is not a map of keys; a map with one of the keys: "
       "model, constant, table"},
      {string_body(damped + "{}"),
       "3:94: bodies[0].string.damping: a key is missing; give exactly one of model, constant, "
       "table"},
      {string_body(damped + "{constant: 1, table: t}"),
       "3:124: bodies[0].string.damping.table: cannot be given together with "
       "`constant`; give exactly one of model, constant, table"},
      {string_body(damped + "{constant: 1, diameter: 1}"),
       "3:117: bodies[0].string.damping: `constant` has no key `diameter`; allowed: constant"},
      {string_body(damped + "{constnt: 1}"),
       "3:104: bodies[0].string.damping: unknown key `constnt`; did you mean `constant`? "
       "allowed: model, diameter, air_viscosity, air_density, loss_angle, thermoelastic, "
       "loss_frequency, constant, table"},
      {string_body(damped + "{model: air-viscoelastic}"),
       "3:94: bodies[0].string.damping: `diameter` is missing: diameter of the string"},
      {string_body(damped + "{constant: 3 Hz}"),
       "3:114: bodies[0].string.damping.constant: 'Hz' is a unit of another dimension; "
       "a number in 1/s, or with a unit: 1/s, 1/ms"},
      {contact("{}", "newton-impact"),
       "4:20: contacts[0].against: a key is missing; give exactly one of frets, neck, points, "
       "flat, file, plane, stop, body"},
      {contact("{flat: {height: 0}, file: f}", "newton-impact"),
       "4:55: contacts[0].against.file: cannot be given together with "
       "`flat`; give exactly one of frets, neck, points, flat, file, plane, stop, body"},
      {contact("{frets: 3}", "newton-impact"),
       "4:37: contacts[0].against.frets: '3' is not a map of keys; keys: count, scale, height"},
      {contact("{frets: []}", "newton-impact"),
       "4:30: contacts[0].against.frets: is an empty list; a list of [x, h]"},
      {contact("{frets: [[1, 2, 3]]}", "newton-impact"),
       "4:38: contacts[0].against.frets[0]: has 3 entries instead of 2"},
      {contact("{frets: [[1, 2 s]]}", "newton-impact"),
       "4:42: contacts[0].against.frets[0][1]: 's' is a unit of another dimension; "
       "a number in m, or with a unit: m, cm, mm, um, km"},
      {contact("{neck: {height: [0], until: 1}}", "newton-impact"),
       "4:57: contacts[0].against.neck.until: needs `beyond`"},
      {contact("{neck: {height: []}}", "newton-impact"),
       "4:37: contacts[0].against.neck.height: is empty: height of the neck, a polynomial in x "
       "[m]: h = c0 + c1 x + c2 x^2 ..."},
      {contact("{flat: {height: 0}}", "{kind: poisson-impact, friction: 1}"),
       "4:78: contacts[0].law: `poisson-impact` has no key "
       "`friction`; allowed: restitution, activation, kind"},
      {contact("{flat: {height: 0}}", "{kind: newton-impact, friction: -0.5}"),
       "4:87: contacts[0].law.friction: -0.5 is out of range; allowed: >= 0"},
      {contact("{flat: {height: 0}}", "{kind: newton-impact, restitution_tangential: 1}"),
       "4:101: contacts[0].law.restitution_tangential: is used only with friction; give friction"},
      {contact("{flat: {height: 0}}",
               "{kind: newton-impact, friction: 1, restitution_tangential: 1, slip: mean}"),
       "4:123: contacts[0].law.slip: `mean` replaces restitution_tangential; give one of them"},
      {contact("{flat: {height: 0}}", "{kind: compliant}"),
       "4:50: contacts[0].law: `stiffness` is missing: k of force = k penetration^p [N/m^p]"},
      {contact("{flat: {height: 0}}", "{kind: compliant, stiffness: 1, exponent: 1.5, damping: 1}"),
       "4:111: contacts[0].law.damping: requires a linear spring; exponent: 1"},
      {contact("{flat: {height: 0}}", "{kind: relay, bound: 3 kg}"),
       "4:76: contacts[0].law.bound: 'kg' is a unit of another dimension; a number in N, or with a "
       "unit: N, mN, kN"},
      {contact("{flat: {height: 0}}", "signorini"),
       "4:55: contacts[0].law: 'signorini' is not known here; allowed: "
       "signorini-position, newton-impact, schatzman-paoli, fremond, poisson-impact, "
       "stewart-trinkle, compliant, relay, equality, hertz, hunt-crossley, felt"},
  });
}

TEST_CASE("entries that contradict each other are refused") {
  const std::string bar =
      "name: a, kind: modal, bar: {length: 1, young: 1, density: 1, area: 1, modes: 2, ";
  const std::string modal = "name: a, kind: modal, modes: {omega: [1, 2]";
  const auto outputs = [](const std::string& list) { return with("outputs: [" + list + "]"); };
  expect_faults({
      {"saltus: 1\ntime: {end: 1, step: 1 ms, rate: 1}\n" + kBody,
       "2:22: time.step: cannot be given together with `rate`; give at most one of rate, step"},
      {"saltus: 1\ntime: {end: 1}\n" + kBody,
       "2:1: time: a key is missing; give exactly one of rate, step"},
      {string_body(kString),
       "3:33: bodies[0].string: a key is missing; give exactly one of tension, table"},
      {string_body(kString + ", table: t, damping: {constant: 1}"),
       "3:92: bodies[0].string.damping: cannot be given together with `table`; give at most one of "
       "table, damping"},
      {string_body(kString + ", table: t, inharmonicity: 1"),
       "3:107: bodies[0].string.inharmonicity: cannot be given together with `table`"},
      {string_body(kString + ", table: t, dispersion: first-order"),
       "3:104: bodies[0].string.dispersion: cannot be given together with `table`"},
      {body(bar + "motion: bending, ends: free-free}"),
       "3:33: bodies[0].bar.second_moment: is missing; a bending bar needs it, in m^4"},
      {body(bar + "motion: longitudinal, ends: free-free, second_moment: 1}"),
       "3:145: bodies[0].bar.second_moment: has no meaning for a longitudinal bar"},
      {body(bar + "motion: longitudinal, ends: hinged-hinged}"),
       "3:119: bodies[0].bar.ends: a longitudinal bar has no hinges; allowed: fixed-free, "
       "free-free, fixed-fixed"},
      {body(bar + "motion: longitudinal, ends: free-free, damping: {model: air-viscoelastic, "
                  "diameter: 1}}"),
       "3:147: bodies[0].bar.damping.model: air-viscoelastic losses are defined for strings only; "
       "give "
       "`constant` or `table`"},
      {body(modal + ", sigma: [1]}"),
       "3:56: bodies[0].modes.sigma: has 1 entries, `omega` has 2; one per mode"},
      {body(modal + ", file: f}"),
       "3:41: bodies[0].modes.omega: cannot be given together with `file`; give exactly one of "
       "file, omega"},
      {body(modal + ", mass: [0, 1]}"),
       "3:63: bodies[0].modes.mass[0]: 0 kg is out of range; allowed: > 0 kg"},
      {body(modal + "}, pluck: {at: 1, height: 1}"),
       "3:57: bodies[0].pluck: only a string can be plucked; give `initial` instead"},
      {body(modal + "}, initial: {}"),
       "3:57: bodies[0].initial: a key is missing; give at least one of coordinates, velocities, "
       "velocity, file"},
      {body(modal + "}, initial: {coordinates: [1, 2, 3]}"),
       "3:67: bodies[0].initial.coordinates: has 3 entries for 2 modes; one per mode; missing ones "
       "at the end are 0"},
      {body(modal + "}, initial: {velocities: [1], column: 2}"),
       "3:92: bodies[0].initial.column: needs `file`"},
      {body(modal + "}, axis: [0, 0, 0]"),
       "3:57: bodies[0].axis: has no direction; for example [1, 0, 0]"},
      {body("name: a, kind: modal, string: {" + kString + ", tension: 1}, axis: [0, 1, 1]"),
       "3:10: bodies[0].direction: is not perpendicular to `axis`; the body moves perpendicular to "
       "its axis"},
      {string_body(kString + ", tension: 1}, pluck: {at: 1, height: 1"),
       "3:107: bodies[0].pluck.at: 1 m is not inside the string; allowed: (0, 1) m"},
      {kTop + "bodies: [{name: a, kind: modal, modes: {omega: [1]}}, {name: a, kind: modal, modes: "
              "{omega: [1]}}]\n",
       "3:62: bodies[1].name: the name 'a' is used twice; names are unique"},
      {body("name: a/b, kind: modal, modes: {omega: [1]}"),
       "3:17: bodies[0].name: 'a/b' cannot be a name; no slash, no line break, no space at either "
       "end"},
      {with("contacts: [{on: b, against: {flat: {height: 0}}, law: newton-impact}]"),
       "4:17: contacts[0].on: there is no body 'b'; allowed: a"},
      {outputs("{probe: b, at: 0}"), "4:19: outputs[0].probe: there is no body 'b'; allowed: a"},
      {outputs("{probe: a, at: 0, gain: 2}"), "4:35: outputs[0].gain: needs `wav`"},
      {outputs("{probe: a, at: 0, wav: x}, {probe: a, at: 1, wav: x}"),
       "4:61: outputs[1].wav: 'x' is written by two outputs; give each output a file of its own"},
      {string_body(kString + ", tension: 1") + "outputs: [{probe: a, at: 1.5}]\n",
       "4:26: outputs[0].at: 1.5 m is not on the body; allowed: [0, 1] m"},
  });
}
