#include "saltus/dynamics/dynamics.h"

#include <array>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {

std::string trait_names(unsigned traits) {
  static constexpr std::array<std::pair<Trait, const char*>, 12> kNames{
      {{Trait::tangents, "tangents"},
       {Trait::affine, "affine"},
       {Trait::modal, "modal"},
       {Trait::rotations, "rotations"},
       {Trait::symmetric, "symmetric"},
       {Trait::fixed_points, "fixed-points"},
       {Trait::second_order, "second-order"},
       {Trait::constant_mass, "constant-mass"},
       {Trait::potential, "potential"},
       {Trait::rigid, "rigid"},
       {Trait::separable, "separable"},
       {Trait::driven, "driven"}}};
  std::string text;
  for (const auto& [bit, name] : kNames)
    if (has(traits, bit)) text += (text.empty() ? "" : ", ") + std::string(name);
  return text.empty() ? "nothing" : text;
}

void Dynamics::retract(View q, View w, Out out) const { out = q + w; }
void Dynamics::increment_rate(View, View v, Out rate) const { rate = v; }

void Dynamics::potential_force(double, View, Out) const {
  expects(false, "this kind of body has no potential energy");
}
void Dynamics::coast(double h, Out q, Out v) const {
  expects(!has(traits(), Trait::rotations),
          "bodies of this kind rotate but do not implement coast()");
  q += h * v;
}
void Dynamics::load(double t, View q, View v, Out f) const { force(t, q, v, f); }
void Dynamics::spin_rows(View, View, std::span<const PointRef>, PointRows&) const {
  expects(false, "bodies of this kind have no angular velocity");
}
void Dynamics::frames(double, View, std::span<Pose>) const {
  expects(false, "bodies of this kind carry no shapes");
}
void Dynamics::spin_drift(double, View, std::span<const PointRef>, Out d) const { d.setZero(); }
void Dynamics::reactions(double, View, View, View, Out forces) const { forces.setZero(); }
void Dynamics::point_reactions(double, View, std::span<const PointRef>, View, Out) const {}
void Dynamics::prescribed_columns(Combination, double, View, View, Eigen::Ref<Matrix>) const {
  expects(prescribed() == 0, "this kind of body does not provide the columns of prescribed motion");
}
void Dynamics::point_drift(double, View, std::span<const PointRef>, Out d) const { d.setZero(); }
double Dynamics::fastest_spin_drift(double, double) const { return 0.0; }

double Dynamics::fastest_drift(double, double, double) const { return 0.0; }
void Dynamics::breaks(Breaks&) const {}
std::unique_ptr<PointTable> Dynamics::table(std::span<const PointRef>,
                                            std::span<const Vector3>) const {
  return nullptr;
}

void Dynamics::factorise_exact(Combination s, double, View, double t, View q, View v,
                               Factor& A) const {
  factorise(s, t, q, v, A);
}

}  // namespace saltus
