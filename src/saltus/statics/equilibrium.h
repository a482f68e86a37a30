// The equilibrium of a group as the step of a scheme. Time is the parameter of the loads, and a
// step of h leads from one equilibrium to the next:
//
//     0 = F(t1, q1, 0) - (1 - lambda) F_0 + H^T p,    q1 = q0 (+) h v,    p = r/h
//     F_0 = F(0, q(0), 0),    lambda = t1/end
//     A = h^2 (K + epsilon M),   gain = 1
//
// F_0 holds the body where it starts and is removed in proportion to the time: constant loads grow
// from 0 to their full value over the run, and the last equilibrium is that of the full loads.
// Loads given as functions of time follow them.
//
// h v is the displacement of the increment. Newton's method starts at q0, so that its first pass is
// the tangent of the path. epsilon is 0 unless K is singular at the start. A body that only
// contacts hold is at the limit of the passes, a proximal point method, to which epsilon adds
// nothing.
#pragma once
#include <memory>
#include <string_view>

#include "saltus/dynamics/scheme.h"

namespace saltus {

/// `end`: time at which the constant loads have their full value [s].
std::unique_ptr<Scheme> make_equilibrium(double end);

/// Memory of a group in statics, GroupState::memory.
namespace static_memory {
/// F_0/(1 - lambda) at the start [N]; the increment with which the passes start, divided by h; a
/// vector of epsilon [1/s^2].
enum Index : unsigned char { hold, guess, epsilon, count };
}  // namespace static_memory

/// Trial::failure of an increment that is far longer than the first pass on the tangent.
inline constexpr std::string_view kJump =
    "the next equilibrium is far from the last one, as beyond a limit point";

/// Whether K of the group was singular at the start: contacts alone hold it.
bool floats(const GroupState& state);

}  // namespace saltus
