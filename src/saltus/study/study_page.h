// A study as one HTML page that needs nothing else: no script, no font, no picture from outside.
#pragma once
#include <string>

#include "saltus/study/study.h"

namespace saltus {

/// Verdict, plots, tables and how all was measured; light or dark as the reader's system is. UTF-8.
std::string study_page(const StudyResult& result);

}  // namespace saltus
