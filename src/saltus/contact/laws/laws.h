// The list of all contact laws that scenes, the command line and Python accept.
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

/// Law of joint stops and of models imported from other programs; messages propose it as a
/// replacement for other laws.
using DefaultLaw = NewtonImpact;
/// Laws that messages propose to keep gaps, or to close them at velocity level.
using GapLaw = SignoriniPosition;
using ClosingLaw = StewartTrinkle;
/// Law of dry friction and motors in joints.
using JointFriction = Relay;

inline std::string_view name_of(const LawChoice& law) {
  return std::visit([](const auto& x) { return std::decay_t<decltype(x)>::name; }, law);
}

/// Whether it reads theta of the scheme, so that both bodies need the same theta.
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

/// Whether it acts at any gap, which excludes it between shapes that detection pairs.
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

/// Names of the laws for which `fits` is true, "newton-impact, fremond".
std::string laws_that(const std::function<bool(const ContactLaw&)>& fits);

}  // namespace saltus
