// Polynomials on [0, 1] in Bernstein form, where roots can be isolated with certainty.
//
//     p(x) = sum_k b_k B_k(x),   B_k(x) = (n choose k) x^k (1 - x)^(n - k)
//
// p lies in the convex hull of its coefficients: if none of them is negative, p is nowhere
// negative. Degrees are limited to 32, and coefficients must be finite (UsageError). Only the first
// use of the nodes allocates memory. Source: R. T. Farouki, V. T. Rajan, Comput. Aided Geom. Design
// 4 (1987) 191-216.
#pragma once
#include <optional>
#include <span>

#include "saltus/base/base.h"

namespace saltus {

/// Chebyshev-Lobatto nodes on [0, 1]: x_k = (1 - cos(pi k/n))/2, k = 0 .. n, ends included, for
/// n = 1 .. 16.
std::span<const double> lobatto_nodes(int n);
/// Coefficients of the polynomial of degree n through values at lobatto_nodes(n), one column per
/// coefficient; each row of `values` is one polynomial. B must not alias values. b_0 and b_n equal
/// the values at the ends bit for bit; the other coefficients may lose digits: their round-off is
/// at most that of the values times 12 (n = 4), 184 (n = 8), 2900 (n = 12), 47000 (n = 16).
void bernstein_through(const Matrix& values, Matrix& B);

/// p(x) by de Casteljau's algorithm, b_0 .. b_n.
double bernstein_value(std::span<const double> b, double x);
/// B_0(x) .. B_n(x); `out` has n + 1 elements.
void bernstein_weights(double x, std::span<double> out);
/// p(x) for many polynomials, one per row of B.
void bernstein_values(const Matrix& B, double x, Out values);
/// As bernstein_values(), from the weights at x.
void bernstein_sum(const Matrix& B, std::span<const double> weights, Out values);
/// Largest degree.
inline constexpr int kMostDegree = 32;
/// W_k, such that sum_k b_k W_k is the integral of p from 0 to x; `out` has n + 1 elements.
void bernstein_integral_weights(double x, std::span<double> out);
/// Coefficients of p', one fewer than of p. `out` may overlap b.
void bernstein_derivative(std::span<const double> b, std::span<double> out);
/// Integral of p from 0 to x.
double bernstein_integral(std::span<const double> b, double x);
/// Coefficients of p on [from, to], as a polynomial on [0, 1].
void bernstein_part(std::span<const double> b, double from, double to, std::span<double> out);

/// The first x in [0, 1] at which p, which is required to stay >= 0, becomes negative by more than
/// `noise` >= 0; none if it does not. Leading coefficients of magnitude <= noise count as zero: a p
/// that leaves 0 at the start has its root there divided out, and its return is found. 0 means that
/// p is negative immediately. The result is certain for the given coefficients, even with two close
/// roots; p >= 0 to the left of x. x is accurate to 1e-15, or as accurate as round-off in b permits
/// at a flat root. Dips that are no deeper than noise are ignored: x is the zero crossing that
/// begins the first deeper dip.
std::optional<double> first_negative(std::span<const double> b, double noise);

}  // namespace saltus
