#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/sensitivity/parameter_differences_internal.h"

namespace saltus::sensitivity {
namespace {

bool same_structure(const Model& a, const Model& b) {
  if (a.groups().size() != b.groups().size() || a.pairs().size() != b.pairs().size() ||
      a.joints().size() != b.joints().size() || a.joint_laws().size() != b.joint_laws().size())
    return false;
  for (std::size_t g = 0; g < a.groups().size(); ++g)
    if (a.groups()[g].dynamics->velocities() != b.groups()[g].dynamics->velocities() ||
        a.groups()[g].dynamics->positions() != b.groups()[g].dynamics->positions())
      return false;
  for (std::size_t i = 0; i < a.pairs().size(); ++i)
    if (a.pairs()[i].key != b.pairs()[i].key) return false;
  return true;
}

}  // namespace

ParameterDifferences::ParameterDifferences(const Model& model,
                                           std::span<const SensitivityParameter> parameters,
                                           const SensitivityOptions& options)
    : model_(model), parameters_(parameters), options_(options) {
  expects(options.difference > 0.0 && options.difference < 0.1 && options.grazing > 0.0,
          "SensitivityOptions: difference must be above 0 and below 0.1, grazing above 0");
  runner_ = std::make_unique<Runner>(model);
  n_ = runner_->motion().size();
  for (const SensitivityParameter& p : parameters) {
    expects((p.w.size() == 0 || p.w.size() == n_) && (p.v.size() == 0 || p.v.size() == n_),
            "a direction of the start needs one increment per velocity of the model");
    expects(p.minus.has_value() == p.plus.has_value(),
            "a parameter of the model needs two models, minus and plus");
    Pair pair;
    if (p.minus) {
      expects(p.delta > 0.0, "SensitivityParameter::delta must be positive");
      expects(same_structure(model, *p.minus) && same_structure(model, *p.plus),
              "models of a parameter must have the groups, contacts and joints of the run");
      pair.minus = std::make_unique<Runner>(*p.minus);
      pair.plus = std::make_unique<Runner>(*p.plus);
    }
    pairs_.push_back(std::move(pair));
  }
}

void ParameterDifferences::measure(std::vector<Stretch>& stretches) {
  Vector most = Vector::Zero(n_);
  const auto first = runner_->motion().contacts().first();
  const auto take = [&](const Groups& groups) {
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (Eigen::Index i = 0; i < groups[g].v.size(); ++i)
        most[first[g] + i] = std::max(most[first[g] + i], std::abs(groups[g].v[i]));
  };
  time_ = 0.0;
  for (Stretch& s : stretches) {
    runner_->step(s.step->t0, s.dt, s.step->start, s.step->modes, s.e, *make_method(s.step->method),
                  s.end);
    take(s.step->start);
    take(s.end);
    time_ += s.dt / static_cast<double>(stretches.size());
  }
  const double all = n_ > 0 ? most.maxCoeff() : 0.0;
  for (std::size_t g = 0; g + 1 < first.size(); ++g) {
    if (first[g + 1] == first[g]) continue;
    auto part = most.segment(first[g], first[g + 1] - first[g]);
    const double least = std::max(1e-3 * part.maxCoeff(), 1e-6 * all);
    part = part.cwiseMax(least > 0.0 ? least : 1.0);
  }
  scale_.resize(2 * n_);
  scale_ << time_ * most, most;
  difference_ = std::make_unique<Difference>(model_, scale_, options_.difference);
}

std::vector<Direction> ParameterDifferences::at_start(const Groups& start) const {
  std::vector<Direction> all;
  for (std::size_t j = 0; j < parameters_.size(); ++j) {
    const SensitivityParameter& p = parameters_[j];
    Direction s{p.w.size() > 0 ? p.w : Vector::Zero(n_), p.v.size() > 0 ? p.v : Vector::Zero(n_)};
    if (p.plus) {
      const auto state = [&](const Model& model) {
        return Groups(model.initial().begin(), model.initial().end());
      };
      const Vector d =
          (difference_->local(start, state(*p.plus)) - difference_->local(start, state(*p.minus))) /
          (2.0 * p.delta);
      s.w += d.head(n_);
      s.v += d.tail(n_);
    }
    all.push_back(std::move(s));
  }
  return all;
}

Runner& ParameterDifferences::runner(std::size_t j, double sign) {
  return !of_model(j) ? *runner_ : sign > 0.0 ? *pairs_[j].plus : *pairs_[j].minus;
}

Vector ParameterDifferences::total(std::size_t j, const Groups& groups, double t,
                                   const Direction& s, const Difference::Function& f,
                                   double longest) {
  Vector d = difference_->along(*runner_, groups, t, s, f, longest);
  if (of_model(j)) d += through_model(j, groups, t, f);
  return d;
}

Vector ParameterDifferences::through_model(std::size_t j, const Groups& groups, double t,
                                           const Difference::Function& f) {
  return (f(*pairs_[j].plus, groups, t) - f(*pairs_[j].minus, groups, t)) /
         (2.0 * parameters_[j].delta);
}

double ParameterDifferences::size_of_row(std::size_t i, int a, const Vector& x) {
  Vector row = Vector::Zero(n_);
  runner_->motion().contacts().add_row(i, a, 1.0, row);
  return row.cwiseAbs().dot(x.cwiseAbs());
}

}  // namespace saltus::sensitivity
