// Elimination and inversion of a dense front. Results are bitwise identical on every machine,
// whatever its register width.
#pragma once
#include <cstddef>

namespace saltus {

class Stop;

/// Eliminates p rows and columns of  [F11 F12; F21 F22],  F11 p x p, F22 q x q:
///     P F11 = L11 U11,  F12 <- U12 = L11^-1 P F12,  F21 <- L21 = F21 U11^-1,  F22 <- F22 - L21 U12
/// upper: [F11 F12], p x (p + q); lower: F21, q x p; exchange[i] >= i is the row that was exchanged
/// with row i. Each pivot is the largest entry of its column in F11. Returns false if a pivot is 0
/// or not finite, or if `stop` is requested.
bool eliminate(int p, int q, double* upper, double* lower, double* F22, int* exchange,
               Stop* stop = nullptr);

/// Size of the work space for invert().
std::size_t invert_work(int p, int q);

/// Inverts a front after eliminate(), as part of the inverse of the whole symmetric matrix A: with
/// X = F11^-1 F12 and Z22 the block of A^-1 on the border, q x q,
///     Z12 = -X Z22,   Z11 = F11^-1 - Z12 X^T,   Z = [Z11 Z12; Z12^T Z22], (p + q) x (p + q)
void invert(int p, int q, const double* upper, const int* exchange, const double* Z22, double* Z,
            double* work);

}  // namespace saltus
