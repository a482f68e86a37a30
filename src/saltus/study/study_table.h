// A study as text, CSV and JSON.
#pragma once
#include <string>

#include "saltus/study/study.h"

namespace saltus {

/// For a terminal: what was compared, one line per run, the verdict.
std::string study_text(const StudyResult& result);

/// One row per run and per refused scheme; RFC 4180, numbers with 17 digits.
std::string study_csv(const StudyResult& result);

/// One object with everything in study.h except the motions. Numbers that depend on wall time are
/// under "cost" of each run; the verdict depends on them too.
std::string study_json(const StudyResult& result);

/// An order as in tables: "2.01", "-" if there is none.
std::string order_text(const OrderFit& fit);
/// The theoretical order on smooth motion: "2", "exact", "?".
std::string theory_text(const StudyScheme& scheme);
/// "3.1e-05"; "< 2e-07" if the error of the reference hides it; "-" if there is none.
std::string error_text(const StudyResult& result, const StudyRun& run);

/// "runge-kutta with h = 0.13 ms, accurate to 2e-7; 8 of 9 other schemes ...", or the name of the
/// exact file.
std::string reference_text(const StudyResult& result);
/// The choice of `time.scheme: auto`, and whether its estimate is valid.
std::string choice_text(const StudyChoice& choice);
/// What errors are relative to.
std::string scale_text(const StudyResult& result);
/// Where smooth motion ends, or why it is not evaluated.
std::string smooth_text(const StudyResult& result);

}  // namespace saltus
