// Words for contacts that no impulses keep apart.
#pragma once
#include <functional>
#include <string>

#include "saltus/contact/contact_solver.h"
#include "saltus/state/contact_view.h"

namespace saltus {

/// "'lid' with 'ball', and 'ball' with what is fixed; 'lid' has prescribed motion": the contacts of
/// `problem` that contradict each other (contact/certificate.h), and what is driven among the
/// bodies near them. "" where they do not, and where `stop` is requested. see(c): contact c of the
/// problem, asked for where it is one of them.
std::string contradiction(const Model& model, const ContactProblem& problem,
                          const std::function<SeenContact(int)>& see, Stop* stop);

}  // namespace saltus
