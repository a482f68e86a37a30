// Which run to take, and what to beware of.
#pragma once
#include "saltus/study/study.h"

namespace saltus {

/// The cheapest run whose error, and that of the reference, stay below the tolerance together. Of
/// runs that cost the same within a fifth, the most accurate. Reads the result without its verdict.
StudyVerdict study_verdict(const StudyResult& result);

/// "8.27 ms", "0.5 s".
std::string step_text(double seconds);

}  // namespace saltus
