// The list of all contact laws, as scenes, the command line and Python write them.
#pragma once
#include <functional>
#include <string>
#include <variant>

#include "saltus/contact/laws/compliant.h"
#include "saltus/contact/laws/equality.h"
#include "saltus/contact/laws/felt.h"
#include "saltus/contact/laws/fremond.h"
#include "saltus/contact/laws/hertz.h"
#include "saltus/contact/laws/hunt_crossley.h"
#include "saltus/contact/laws/newton_impact.h"
#include "saltus/contact/laws/poisson_impact.h"
#include "saltus/contact/laws/relay.h"
#include "saltus/contact/laws/schatzman_paoli.h"
#include "saltus/contact/laws/signorini_position.h"
#include "saltus/contact/laws/stewart_trinkle.h"

namespace saltus {

using LawChoice =
    std::variant<SignoriniPosition, NewtonImpact, SchatzmanPaoli, Fremond, PoissonImpact,
                 StewartTrinkle, Compliant, Relay, Equality, Hertz, HuntCrossley, Felt>;

/// That of stops of joints and of what is read from other programs, and what messages propose in
/// the place of others.
using DefaultLaw = NewtonImpact;
/// What messages propose where gaps are to be kept, or to be closed at the level of velocities.
using GapLaw = SignoriniPosition;
using ClosingLaw = StewartTrinkle;
/// Dry friction and motors of joints.
using JointFriction = Relay;

inline std::string_view name_of(const LawChoice& law) {
  return std::visit([](const auto& x) { return std::decay_t<decltype(x)>::name; }, law);
}

/// Whether it reads theta of the scheme, so that two bodies need the same.
inline bool reads_theta(const LawChoice& law) {
  return std::visit(
      []<class Options>(const Options&) {
        if constexpr (requires { Options::reads_theta; })
          return Options::reads_theta;
        else
          return false;
      },
      law);
}

/// Whether it is there whatever the gap, so that it fits no shapes that find each other.
inline bool acts_at_any_gap(const LawChoice& law) {
  return std::visit(
      []<class Options>(const Options&) {
        if constexpr (requires { Options::at_any_gap; })
          return Options::at_any_gap;
        else
          return false;
      },
      law);
}

/// Names of the laws that `fits` is true of, "newton-impact, fremond".
std::string laws_that(const std::function<bool(const ContactLaw&)>& fits);

}  // namespace saltus
