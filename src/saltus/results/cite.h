// BibTeX entries of Saltus and of the schemes, laws and solver of a run.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

/// The text of docs/references.bib.
std::string_view references_bib();

/// Keys of references_bib() for a run: those of its schemes, then of its laws, then of its solver,
/// each once. Names that are not in a registry (from another version) are skipped.
std::vector<std::string> cited_keys(const ResultsReader& results);

/// Saltus itself, then the entries of these keys. Throws UsageError for a key not in
/// references_bib().
std::string bibtex(std::span<const std::string> keys);

}  // namespace saltus
