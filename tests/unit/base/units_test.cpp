#include <doctest/doctest.h>

#include <numbers>

#include "saltus/base/units.h"

using namespace saltus;

TEST_CASE("a number with a unit is the double nearest to its SI value") {
  struct Row {
    const char* text;
    Dimension dimension;
    double value;
  };
  for (const Row& row : {Row{"3.57 mm", unit::m, 0.00357},
                         Row{"3.57mm", unit::m, 0.00357},
                         Row{"44.1 kHz", unit::Hz, 44100.0},
                         Row{"1 ms", unit::s, 0.001},
                         Row{"0.1 us", unit::s, 1e-7},
                         Row{"5 \u00b5m", unit::m, 5e-6},
                         Row{"5 \u03bcm", unit::m, 5e-6},
                         Row{"191.6 N", unit::N, 191.6},
                         Row{"6.7 g/m", unit::kg_per_m, 0.0067},
                         Row{"6.7 g/cm", unit::kg_per_m, 0.67},
                         Row{"210 GPa", unit::Pa, 210e9},
                         Row{"210 kN/mm^2", unit::Pa, 210e9},
                         Row{"7.8 g/cm^3", unit::kg_per_m3, 7800.0},
                         Row{"12 mm^4", unit::m4, 12e-12},
                         Row{"1.8e-5 kg/(m s)", unit::Pa_s, 1.8e-5},
                         Row{"1.8e-5 Pa s", unit::Pa_s, 1.8e-5},
                         Row{"18 uPa*s", unit::Pa_s, 18e-6},
                         Row{"2 1/ms", unit::per_s, 2000.0},
                         Row{"20 deg", unit::rad, 20.0 * (std::numbers::pi / 180.0)},
                         Row{"3 rad/s", unit::rad_per_s, 3.0},
                         Row{"2.5 N m/rad", unit::N_m_per_rad, 2.5},
                         Row{"1 N m/deg", unit::N_m_per_rad, 180.0 / std::numbers::pi},
                         Row{"0.3 N m s/rad", unit::N_m_s_per_rad, 0.3},
                         Row{"-2.5e+3 mm/s", unit::m_per_s, -2.5},
                         Row{"+.5", unit::one, 0.5},
                         Row{"7.", unit::m, 7.0},
                         Row{"1e-400 m", unit::m, -1.0},  // too small: reported below
                         Row{"1e-400 km", unit::m, -1.0}}) {
    CAPTURE(row.text);
    const Quantity read = parse_quantity(row.text, row.dimension);
    if (row.value == -1.0) {
      CHECK(read.error.find("outside the range of double") != std::string::npos);
      continue;
    }
    CHECK(read.error == "");
    CHECK(read.value == row.value);
  }
}

TEST_CASE("the exponent of the number and the prefix of the unit are added before rounding") {
  CHECK(parse_quantity("1e-3 km", unit::m).value == 1.0);
  CHECK(parse_quantity("123456789e-9 Gm", unit::m).value == 123456789.0);
  CHECK(parse_quantity("0.3e1 dm", unit::m).error != "");  // deci is not offered
}

TEST_CASE("a wrong unit is refused and the allowed ones are named") {
  struct Row {
    const char* text;
    Dimension dimension;
    const char *error, *hint;
  };
  for (const Row& row :
       {Row{"3 s", unit::m, "'s' is a unit of another dimension", "m, cm, mm, um, km"},
        Row{"3 Hz", unit::per_s, "another dimension", "1/s"},
        Row{"3 Hz", unit::rad_per_s, "another dimension", "rad/s"},
        Row{"3 1/s", unit::Hz, "another dimension", "Hz, kHz"},
        Row{"3 m", unit::one, "another dimension", "a number without unit"},
        Row{"3 kg/m s", unit::Pa_s, "not a unit", "kg/(m s)"},
        Row{"3 furlong", unit::m, "'furlong' is not a unit", "mm"},
        Row{"3 m^", unit::m, "not a unit", ""},
        Row{"3 m^9", unit::m, "not a unit", ""},
        Row{"3 (m", unit::m, "not a unit", ""},
        Row{"3 ((((((m))))))", unit::m, "not a unit", ""},
        Row{"3 m/", unit::m, "not a unit", ""},
        Row{"3 m m", unit::m, "another dimension", ""},
        Row{"3 kdeg", unit::rad, "not a unit", "deg"},
        Row{"0x10", unit::m, "'x10' is not a unit", ""},
        Row{"1_000", unit::m, "not a unit", ""},
        Row{"1:30", unit::s, "not a unit", ""},
        Row{"1,5 m", unit::m, "not a unit", ""},
        Row{"010", unit::m, "starts with 0", "omit"},
        Row{"-00.5", unit::m, "starts with 0", ""},
        Row{"", unit::m, "not a number", "a number in m"},
        Row{"m", unit::m, "not a number", ""},
        Row{"--1", unit::m, "not a number", ""},
        Row{".", unit::m, "not a number", ""},
        Row{"e5", unit::m, "not a number", ""},
        Row{"1e", unit::m, "'e' is not a unit", ""},
        Row{"nan", unit::m, "not a finite number", ""},
        Row{".NaN", unit::m, "not a finite number", ""},
        Row{"-.inf", unit::m, "not a finite number", ""},
        Row{"Infinity", unit::m, "not a finite number", ""},
        Row{"1e400", unit::m, "outside the range of double", ""},
        Row{"1e308 km", unit::m, "outside the range of double", ""},
        Row{"1e99999999999", unit::m, "outside the range of double", ""}}) {
    CAPTURE(row.text);
    const Quantity read = parse_quantity(row.text, row.dimension);
    CHECK(read.error.find(row.error) != std::string::npos);
    CHECK(read.hint.find(row.hint) != std::string::npos);
    CHECK(read.error != "");
  }
}

TEST_CASE("every dimension that offers units offers only its own") {
  for (Dimension dimension :
       {unit::m, unit::kg, unit::s, unit::rad, unit::Hz, unit::m2, unit::m4, unit::per_s,
        unit::rad_per_s, unit::m_per_s, unit::N, unit::Pa, unit::Pa_s, unit::kg_per_m,
        unit::kg_per_m3, unit::N_m_per_rad, unit::N_m_s_per_rad}) {
    const std::string name = unit_name(dimension), examples = unit_examples(dimension);
    CAPTURE(name);
    CHECK(name != "SI units");
    CHECK(examples.starts_with(name));
    for (std::size_t at = 0; at < examples.size();) {
      const std::size_t end = std::min(examples.find(", ", at), examples.size());
      const auto parsed = parse_unit(examples.substr(at, end - at));
      REQUIRE(parsed.has_value());
      CHECK(parsed->dimension == dimension);
      at = end + 2;
    }
    const auto si = parse_unit(name);
    CHECK(si->exponent == 0);
    CHECK(si->factor == 1.0);
  }
}

TEST_CASE("text of a number reads back to the same number") {
  for (double value : {0.1, 1.0 / 3.0, 1e-300, 6.7e-3, -0.203e-3, 1e22, 44100.0, 5e-324}) {
    CAPTURE(value);
    const Quantity read = parse_quantity(to_text(value), unit::one);
    CHECK(read.error == "");
    CHECK(read.value == value);
  }
  CHECK(to_text(0.9, unit::s) == "0.9 s");
  CHECK(to_text(0.9, unit::one) == "0.9");
}

TEST_CASE("ranges are written with their open and closed ends") {
  CHECK(describe(between(0, 1)) == "[0, 1]");
  CHECK(describe(kPositive) == "> 0");
  CHECK(describe(at_least(1)) == ">= 1");
  CHECK(describe(Range{.high = 2.5, .high_open = true}) == "< 2.5");
  CHECK(describe(kAnyNumber) == "");
  CHECK(!kPositive.contains(0.0));
  CHECK(kNotNegative.contains(0.0));
  CHECK(!between(0, 1).contains(1.0 + 1e-15));
}
