// Polynomials on [0, 1] in Bernstein form, where roots can be isolated with certainty.
//
//     p(x) = sum_k b_k B_k(x),   B_k(x) = (n choose k) x^k (1 - x)^(n - k)
//
// p lies in the convex hull of its coefficients: when none of them is negative, p has no root where
// it would become negative. Degrees up to 32 and finite coefficients (UsageError). Nothing is taken
// from the heap but by the first use of the nodes. Source: R. T. Farouki, V. T. Rajan, Comput.
// Aided Geom. Design 4 (1987) 191-216.
#pragma once
#include <optional>
#include <span>

#include "saltus/base/base.h"

namespace saltus {

/// Nodes of Chebyshev and Lobatto on [0, 1]:  x_k = (1 - cos(pi k/n))/2,  k = 0 .. n, ends
/// included. n in 1 .. 16.
std::span<const double> lobatto_nodes(int n);
/// Coefficients of the polynomial of degree n through values at lobatto_nodes(n), one column a
/// coefficient; every row of `values` is one polynomial. B may not alias values. b_0 and b_n are
/// the values at the ends, to the last bit; the others may lose digits: their round-off is at most
/// that of the values times 12 (n = 4), 184 (n = 8), 2900 (n = 12), 47000 (n = 16).
void bernstein_through(const Matrix& values, Matrix& B);

/// p(x) by de Casteljau's algorithm, b_0 .. b_n.
double bernstein_value(std::span<const double> b, double x);
/// B_0(x) .. B_n(x): out has n + 1 of them.
void bernstein_weights(double x, std::span<double> out);
/// p(x) of many polynomials: every row of B is one.
void bernstein_values(const Matrix& B, double x, Out values);
/// The same by the weights of x.
void bernstein_sum(const Matrix& B, std::span<const double> weights, Out values);
/// Degrees up to this one.
inline constexpr int kMostDegree = 32;
/// W_k, with sum_k b_k W_k the integral of p from 0 to x: out has n + 1 of them.
void bernstein_integral_weights(double x, std::span<double> out);
/// Coefficients of p', one fewer. `out` may lie in b.
void bernstein_derivative(std::span<const double> b, std::span<double> out);
/// Integral of p from 0 to x.
double bernstein_integral(std::span<const double> b, double x);
/// Coefficients of p on [from, to], as a polynomial on [0, 1].
void bernstein_part(std::span<const double> b, double from, double to, std::span<double> out);

/// The first x in [0, 1] at which p, which is to stay >= 0, becomes negative by more than `noise`
/// >= 0; none if it does not. Leading coefficients of size <= noise are zero: p that leaves 0 at
/// the start has its root there divided out, and is found when it comes back. 0: it is negative at
/// once. Certain for the coefficients given, two roots close to each other included; p >= 0 on the
/// left of x, which is good to 1e-15 or to what round-off of b leaves of a flat root.
/// Dips that go no deeper than noise are passed over: x is where p leaves + for the first dip that
/// does.
std::optional<double> first_negative(std::span<const double> b, double noise);

}  // namespace saltus
