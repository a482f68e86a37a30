// Recommends a run and lists warnings.
#pragma once
#include "saltus/study/study.h"

namespace saltus {

/// The cheapest run whose error plus that of the reference is below the tolerance. Among runs whose
/// cost differs by less than a fifth, the most accurate one. Reads the result except its verdict.
StudyVerdict study_verdict(const StudyResult& result);

/// "8.27 ms", "0.5 s".
std::string step_text(double seconds);

}  // namespace saltus
