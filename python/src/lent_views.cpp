// Trials and states as lent to Python.
#include <array>
#include <unordered_map>

#include "py_scheme.h"

namespace saltus::python {

void keep(Loan& loan, std::vector<Loan>& kept) {
  if (loan.kept()) kept.push_back(std::move(loan));
}

py::list StateView::memory() {
  auto& vectors = get().memory;
  memory_.resize(vectors.size());
  py::list made;
  for (std::size_t i = 0; i < vectors.size(); ++i) made.append(array(memory_[i], vectors[i]));
  return made;
}

void StateView::refresh() {
  if (!at) return;
  if (q_.get()) q();
  if (v_.get()) v();
  for (std::size_t i = 0; i < memory_.size() && i < at->memory.size(); ++i)
    if (memory_[i].get()) array(memory_[i], at->memory[i]);
}

void StateView::end(std::vector<Loan>& kept) {
  keep(q_, kept);
  keep(v_, kept);
  for (Loan& loan : memory_) keep(loan, kept);
}

namespace {

Vector& vector_at(Trial& trial, int which) {
  return which == 0 ? trial.q : which == 1 ? trial.v : which == 2 ? trial.r : trial.v_free;
}
constexpr std::array kVectorNames{"x.q", "x.v", "x.r", "x.v_free"};

}  // namespace

namespace {
std::unordered_map<const Trial*, const Scheme*>& work_owners() {
  static auto* const owners = new std::unordered_map<const Trial*, const Scheme*>;
  return *owners;
}
}  // namespace

TrialView::~TrialView() {
  if (own) work_owners().erase(own.get());
  std::vector<Loan> kept;
  end(kept);
}

py::object TrialView::vector(int which) {
  Vector& of = vector_at(get(), which);
  return py::reinterpret_borrow<py::object>(vectors_[which].over(of.data(), of.size(), true));
}
void TrialView::set_vector(int which, py::handle value) {
  assign(vector_at(get(), which), value, kVectorNames[static_cast<std::size_t>(which)]);
}

py::list TrialView::work() {
  auto& vectors = get().work;
  work_.resize(vectors.size());
  py::list made;
  for (std::size_t i = 0; i < vectors.size(); ++i)
    made.append(py::reinterpret_borrow<py::object>(
        work_[i].over(vectors[i].data(), vectors[i].size(), true)));
  return made;
}

void TrialView::set_work(const py::object& values) {
  std::vector<Vector> made;
  for (const py::handle value : values) {
    if (py::isinstance<py::int_>(value))
      made.push_back(Vector::Zero(value.cast<Eigen::Index>()));
    else
      made.push_back(
          *Brought(value, static_cast<Eigen::Index>(py::len(value)), "a vector of x.work"));
  }
  Trial& trial = get();
  own_work(trial, nullptr);
  work_.clear();  // arrays still in use get a copy
  trial.work = std::move(made);
}

// Vectors of Trial::work belong to one scheme, which depends on their number. Entries of deleted
// trials do no harm: a new trial has no vectors.
void own_work(const Trial& trial, const Scheme* scheme) {
  const auto [entry, fresh] = work_owners().try_emplace(&trial, scheme);
  if (fresh || trial.work.empty()) {
    entry->second = scheme;
    return;
  }
  if (entry->second != scheme)
    throw UsageError(std::string("the vectors of x.work belong to ") +
                     (entry->second ? "another scheme" : "the scheme written in Python") +
                     ": a trial can be used by one scheme of the engine only, and a scheme that "
                     "delegates to one must not use x.work");
}

void TrialView::point(Trial& trial) {
  at = &trial;
  const Eigen::Index n = trial.v.size();
  if (A.use_count() > 1 || M.use_count() > 1) {  // still in use from another step: no longer valid
    A = std::make_shared<FactorView>();
    M = std::make_shared<FactorView>();
  }
  *A = {&trial.A, n, own ? std::shared_ptr<Factor>(own, &trial.A) : nullptr};
  *M = {&trial.M, n, own ? std::shared_ptr<Factor>(own, &trial.M) : nullptr};
  start->at = const_cast<GroupState*>(trial.start);
}

void TrialView::refresh() {
  if (!at) return;
  for (int i = 0; i < 4; ++i)
    if (vectors_[i].get()) vector(i);
  if (work_.size() > at->work.size()) work_.resize(at->work.size());
  for (std::size_t i = 0; i < work_.size(); ++i)
    if (work_[i].get()) work_[i].over(at->work[i].data(), at->work[i].size(), true);
  start->refresh();
}

void TrialView::end(std::vector<Loan>& kept) {
  for (Loan& loan : vectors_) keep(loan, kept);
  for (Loan& loan : work_) keep(loan, kept);
  start->end(kept);
  if (!own) A->at = M->at = nullptr;
  start->at = nullptr;
  at = nullptr;
}

}  // namespace saltus::python
