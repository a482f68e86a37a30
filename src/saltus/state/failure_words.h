// Texts of StepReport::failure that identify the kind of failure.
#pragma once
#include <string_view>

namespace saltus::failure {

inline constexpr std::string_view kContactLimit = "the contact solver did not reach its tolerance";
/// No impulses keep the bodies apart; StepReport::detail names the contacts.
inline constexpr std::string_view kContradiction = "no motion satisfies the contacts";
inline constexpr std::string_view kPassLimit =
    "the passes reached their limit without meeting their tolerance";
inline constexpr std::string_view kStagnation =
    "the passes stagnate: they no longer come closer to their tolerance";
inline constexpr std::string_view kNoProjection =
    "joints at level both: no impulses end the velocities along them, their matrix is singular";
/// StepReport::detail is the name of the joint.
inline constexpr std::string_view kOpenJoint = "a joint at level velocity is open";
/// Joints without drives do no work.
inline constexpr std::string_view kJointWork = "the joints of a loop changed the energy";
/// In statics. StepReport::detail says up to which load there is one.
inline constexpr std::string_view kNoEquilibrium = "no equilibrium was found";
inline constexpr std::string_view kNoPlace =
    "the position correction found no place without penetration";

}  // namespace saltus::failure
