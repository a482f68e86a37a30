// Damping of modal bodies, given in one of three forms.
#pragma once
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "saltus/base/options.h"

namespace saltus {

/// Losses of a string in air: thermoelastic and dislocation losses, air friction, viscoelastic
/// losses of the material.
struct AirViscoelasticDamping {
  static constexpr std::string_view key = "model";
  static constexpr std::string_view help = "a string in air, from its diameter and material";
  enum class Model { air_viscoelastic };
  enum class LossFrequency { stiff, ideal };

  Model model = Model::air_viscoelastic;
  double diameter = 0.0;
  double air_viscosity = 1.8e-5;
  double air_density = 1.2;
  double loss_angle = 0.0;
  double thermoelastic = 0.0;
  LossFrequency loss_frequency = LossFrequency::stiff;

  bool operator==(const AirViscoelasticDamping&) const = default;
  static constexpr auto fields() {
    using T = AirViscoelasticDamping;
    return field_rows(
        required("model", &T::model, "air-viscoelastic"),
        required("diameter", &T::diameter, unit::m, kPositive, "diameter of the string"),
        field("air_viscosity", &T::air_viscosity, unit::Pa_s, kNotNegative,
              "dynamic viscosity of the air"),
        field("air_density", &T::air_density, unit::kg_per_m3, kNotNegative, "density of the air"),
        field("loss_angle", &T::loss_angle, unit::rad, kNotNegative,
              "viscoelastic loss angle of the material"),
        field("thermoelastic", &T::thermoelastic, kNotNegative,
              "1/Q of thermoelastic and dislocation losses, equal for all modes"),
        field("loss_frequency", &T::loss_frequency,
              "frequency at which losses are evaluated: stiff, that of the mode; ideal, j f0"));
  }
};
constexpr auto names_of(AirViscoelasticDamping::Model) {
  return std::array{
      NamedValue{AirViscoelasticDamping::Model::air_viscoelastic, "air-viscoelastic"}};
}
constexpr auto names_of(AirViscoelasticDamping::LossFrequency) {
  using enum AirViscoelasticDamping::LossFrequency;
  return std::array{NamedValue{stiff, "stiff"}, NamedValue{ideal, "ideal"}};
}

/// The same decay for every mode: q ~ exp(-sigma t).
struct ConstantDamping {
  static constexpr std::string_view key = "constant";
  static constexpr std::string_view help = "the same decay rate for every mode";

  double constant = 0.0;

  bool operator==(const ConstantDamping&) const = default;
  static constexpr auto fields() {
    return field_rows(required("constant", &ConstantDamping::constant, unit::per_s, kNotNegative,
                               "decay rate sigma of every mode, q ~ exp(-sigma t)"));
  }
};

/// A decay rate per mode, from a file.
struct TableDamping {
  static constexpr std::string_view key = "table";
  static constexpr std::string_view help = "a decay rate per mode from a CSV file";

  std::string table;

  bool operator==(const TableDamping&) const = default;
  static constexpr auto fields() {
    return field_rows(
        required("table", &TableDamping::table, "CSV file with columns j, sigma_j [1/s]"));
  }
};

using DampingSpec = std::variant<AirViscoelasticDamping, ConstantDamping, TableDamping>;

}  // namespace saltus
