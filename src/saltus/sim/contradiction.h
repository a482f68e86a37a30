// Words for contacts that no impulses keep apart.
#pragma once
#include <span>
#include <string>

#include "saltus/contact/contact_solver.h"
#include "saltus/sim/contact_view.h"

namespace saltus {

/// "'lid' with 'ball', and 'ball' with what is fixed; 'lid' has prescribed motion": the contacts of `problem` that contradict
/// each other (contact/certificate.h), and what is driven among the bodies near them. "" where they do not, and where `stop` is requested.
/// contacts: those of the problem, in its order.
std::string contradiction(const Model& model, const ContactProblem& problem,
                          std::span<const SeenContact> contacts, Stop* stop);

}  // namespace saltus
