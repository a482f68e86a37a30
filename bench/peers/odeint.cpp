// Boost.odeint: what smooth motion costs when the user writes the right side himself. METHOD: rk4 (PARAMETER: step),
// dopri5, rkf78 (controlled), bulirsch-stoer (PARAMETER: tolerance). Impacts are found by bisection in the dense output of
// dopri5, as in the manual's example.
#include <boost/numeric/odeint.hpp>
#include <boost/version.hpp>
#include <stdexcept>

#include "smooth.h"

namespace {

using namespace peers;
using namespace boost::numeric::odeint;
using Y = std::vector<double>;

/// To `end`, with a look at `rows` of it.
template <class Rate, class Look>
Outcome go(Rate&& rate, Y y, double end, int rows, double parameter, const std::string& method,
           Look&& look) {
  Outcome outcome;
  long evaluations = 0;
  const auto f = [&](const Y& x, Y& dxdt, double t) {
    ++evaluations;
    rate(x, dxdt, t);
  };
  const auto all = [&](auto stepper, double h) {
    const Clock clock;
    for (int row = 0; row < rows; ++row) {
      outcome.steps += static_cast<long>(
          integrate_adaptive(stepper, f, y, end * row / rows, end * (row + 1) / rows, h));
      look(y, outcome.values);
    }
    outcome.seconds = clock.seconds();
  };
  const double first = 1e-3 * end;
  if (method == "rk4") {
    runge_kutta4<Y> stepper;
    const long every = steps_to(end / rows, parameter);
    const Clock clock;
    for (int row = 0; row < rows; ++row) {
      for (long k = 0; k < every; ++k)
        stepper.do_step(f, y, end * row / rows + static_cast<double>(k) * parameter, parameter);
      look(y, outcome.values);
    }
    outcome.seconds = clock.seconds();
    outcome.steps = every * rows;
  } else if (method == "dopri5") {
    all(make_controlled<runge_kutta_dopri5<Y>>(parameter, parameter), first);
  } else if (method == "rkf78") {
    all(make_controlled<runge_kutta_fehlberg78<Y>>(parameter, parameter), first);
  } else if (method == "bulirsch-stoer") {
    all(bulirsch_stoer<Y>(parameter, parameter), first);
  } else {
    throw std::runtime_error("method rk4, dopri5, rkf78, bulirsch-stoer");
  }
  return outcome;
}

Outcome top(double parameter, const std::string& method) {
  return go([](const Y& y, Y& f, double) { top_rate(y.data(), f.data()); }, top_start(),
            scenes::top::end, 1, parameter, method,
            [](const Y& y, Y& values) { values.insert(values.end(), y.begin(), y.begin() + 4); });
}

Outcome chain(double parameter, const std::string& method) {
  const Chain model;
  return go([&](const Y& y, Y& f, double) { model.rate(y.data(), f.data()); }, Y(2 * Chain::n, 0.0),
            scenes::chain::end, scenes::chain::rows, parameter, method,
            [](const Y& y, Y& values) { Chain::places(y.data(), values); });
}

Outcome linear(double parameter, const std::string& method) {
  return go([](const Y& y, Y& f, double) { linear_rate(y.data(), f.data()); }, linear_start(),
            scenes::linear::end, 1, parameter, method,
            [](const Y& y, Y& values) {
              values.insert(values.end(), y.begin(), y.begin() + scenes::linear::masses);
            });
}

/// With impacts where gap(y) passes through zero: `look` at the rows; `hit` changes the velocity. Bounces that are shorter than
/// a hundredth of a row are not in these scenes.
template <class Rate, class Gap, class Hit, class Look>
Outcome bounce(Rate&& rate, Y y, const std::vector<double>& rows, double parameter, Gap&& gap,
               Hit&& hit, Look&& look) {
  Outcome outcome;
  auto stepper = make_dense_output(parameter, parameter, runge_kutta_dopri5<Y>());
  const Clock clock;
  double t = 0.0;
  Y at(y.size());
  stepper.initialize(y, t, 1e-3);
  std::size_t row = 0;
  while (row < rows.size()) {
    auto [begin, end] = stepper.do_step(rate);
    begin = std::max(begin, t);
    ++outcome.steps;
    double hits = -1.0;
    constexpr int kParts = 8;  // looks for a change of sign in the parts of a step
    double low = begin;
    for (int k = 1; k <= kParts && hits < 0.0; ++k) {
      const double high = begin + (end - begin) * k / kParts;
      stepper.calc_state(high, at);
      if (gap(at) < 0.0) {
        double a = low, b = high;
        for (int i = 0; i < 60 && b - a > 1e-15 * b; ++i) {
          const double c = 0.5 * (a + b);
          stepper.calc_state(c, at);
          (gap(at) < 0.0 ? b : a) = c;
        }
        hits = a;
      }
      low = high;
    }
    const double until = hits < 0.0 ? end : hits;
    while (row < rows.size() && rows[row] <= until) {
      stepper.calc_state(rows[row++], at);
      look(at, outcome.values);
    }
    if (hits >= 0.0) {
      stepper.calc_state(hits, at);
      hit(at);
      t = hits;
      stepper.initialize(at, t, end - begin);
    } else {
      t = end;
    }
  }
  outcome.seconds = clock.seconds();
  return outcome;
}

Outcome ball(double parameter, const std::string&) {
  using namespace scenes::ball;
  Y when;
  for (int k = 1; k <= rows; ++k) when.push_back(end * k / rows);
  return bounce([](const Y& y, Y& f, double) { f[0] = y[1], f[1] = -scenes::kGravity; },
                {height, 0.0}, when, parameter, [](const Y& y) { return y[0]; },
                [](Y& y) {
                  y[0] = 0.0;
                  y[1] *= -restitution;
                },
                [](const Y& y, Y& values) { values.push_back(y[0]); });
}

Outcome impact(double parameter, const std::string&) {
  using namespace scenes::impact;
  Y when;
  for (int k = 0; k < periods; ++k) when.push_back((2 * k + 1) * M_PI / angular_frequency);
  return bounce([](const Y& y, Y& f, double t) { impact_rate(t, y.data(), f.data()); },
                {stop, -restitution * speed}, when, parameter,
                [](const Y& y) { return stop - y[0]; },
                [](Y& y) {
                  y[0] = stop;
                  y[1] *= -restitution;
                },
                [](const Y& y, Y& values) { values.push_back(y[0]); });
}

}  // namespace

int main(int argc, char** argv) {
  return main_of(
      argc, argv, "Boost.odeint " BOOST_LIB_VERSION,
      {{"top", top}, {"chain", chain}, {"linear", linear}, {"ball", ball}, {"impact", impact}});
}
