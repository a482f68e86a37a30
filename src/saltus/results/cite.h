// The works behind a run: BibTeX of Saltus and of the schemes, laws and solver that a scene uses.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/results/results_reader.h"

namespace saltus {

/// The text of docs/references.bib.
std::string_view references_bib();

/// Keys of references_bib() that a run stands on: those of its schemes, then its laws, then its
/// solver, each once. Names that no registry knows (of another version) are passed over.
std::vector<std::string> cited_keys(const ResultsReader& results);

/// Saltus itself, then the entries of these keys. UsageError: a key that references_bib() has not.
std::string bibtex(std::span<const std::string> keys);

}  // namespace saltus
