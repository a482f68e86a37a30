// A study as text, as a table in CSV, and as JSON.
#pragma once
#include <string>

#include "saltus/study/study.h"

namespace saltus {

/// For a terminal: what was compared, one line a run, the verdict.
std::string study_text(const StudyResult& result);

/// One row a run and one for each scheme that is refused; RFC 4180, numbers with 17 digits.
std::string study_csv(const StudyResult& result);

/// One object, without the motions: everything that study.h names. What depends on the clock is
/// under "cost" of each run, and the verdict rests on it.
std::string study_json(const StudyResult& result);

/// "2.01", "exact", "-": an order as tables show it.
std::string order_text(const OrderFit& fit);
/// "2", "exact", "?": the order on smooth motion that theory gives.
std::string theory_text(const StudyScheme& scheme);
/// "3.1e-05", "< 2e-07" where the reference hides it, "-" where there is none.
std::string error_text(const StudyResult& result, const StudyRun& run);

/// "runge-kutta at 0.13 ms, known to 2e-7; 8 of 9 other schemes go to the same motion", or the name
/// of the exact file.
std::string reference_text(const StudyResult& result);
/// What `time.scheme: auto` chose, and whether its estimate holds.
std::string choice_text(const StudyChoice& choice);
/// What errors are relative to.
std::string scale_text(const StudyResult& result);
/// Where the smooth stretch ends, or why there is none.
std::string smooth_text(const StudyResult& result);

}  // namespace saltus
