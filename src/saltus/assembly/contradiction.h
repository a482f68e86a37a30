// Text about contacts that no impulses can keep apart.
#pragma once
#include <functional>
#include <string>

#include "saltus/contact/contact_solver.h"
#include "saltus/state/contact_view.h"

namespace saltus {

/// "'lid' with 'ball', and 'ball' with a fixed body; 'lid' has prescribed motion": the contacts of
/// `problem` that contradict each other (contact/certificate.h), and the driven bodies near them.
/// "" if there are none, or if `stop` is requested. see(c): describes contact c of the problem;
/// called for the contacts of the text.
std::string contradiction(const Model& model, const ContactProblem& problem,
                          const std::function<SeenContact(int)>& see, Stop* stop);

}  // namespace saltus
