// A study as one self-contained HTML page: no scripts, no external fonts or images.
#pragma once
#include <string>

#include "saltus/study/study.h"

namespace saltus {

/// Verdict, plots, tables and methods; light or dark as the reader's system prefers. UTF-8.
std::string study_page(const StudyResult& result);

}  // namespace saltus
