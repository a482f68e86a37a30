// Choices a scene makes for the whole run.
#pragma once
#include <array>

#include "saltus/base/options.h"

namespace saltus {

/// Where gaps, normals and arms of a step are taken.
enum class ContactInstant { end, middle, start };
constexpr auto names_of(ContactInstant) {
  using enum ContactInstant;
  return std::array{NamedValue{end, "end"}, NamedValue{middle, "middle"},
                    NamedValue{start, "start"}};
}

/// What to do when the contact problem or the passes of a step do not converge.
enum class OnFailure { stop, halve, accept };
constexpr auto names_of(OnFailure) {
  using enum OnFailure;
  return std::array{NamedValue{stop, "stop"}, NamedValue{halve, "halve"},
                    NamedValue{accept, "accept"}};
}

}  // namespace saltus
