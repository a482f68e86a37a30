// Nesterov-Todd scaling of one cone: the half line (size 1) or a second-order cone (size 2 or 3).
#pragma once
#include <cmath>

namespace saltus {

/// F = F^T of  F^-1 x = F y = lambda  for x, y inside the cone:
///     det x = x_N^2 - |x_T|^2,  x- = x/sqrt(det x),  J = diag(1, -1, -1)
///     w = (x- + J y-)/sqrt(2 (1 + x- . y-)),   F^2 = eta^2 (2 w w^T - J),   eta^4 = det x/det y
/// Yu. E. Nesterov, M. J. Todd, Math. Oper. Res. 22 (1997) 1-42.
class NesterovTodd {
 public:
  static double norm_T(int size, const double* x) {
    return size == 3 ? std::sqrt(x[1] * x[1] + x[2] * x[2]) : size == 2 ? std::abs(x[1]) : 0.0;
  }
  static double det(int size, const double* x) {
    const double slip = norm_T(size, x);
    return (x[0] - slip) * (x[0] + slip);
  }
  static double dot(int size, const double* x, const double* y) {
    double sum = x[0] * y[0];
    for (int i = 1; i < size; ++i) sum += x[i] * y[i];
    return sum;
  }

  void make(int size, const double* x, const double* y) {
    size_ = size;
    const double root_x = std::sqrt(det(size, x)), root_y = std::sqrt(det(size, y));
    eta_ = std::sqrt(root_x / root_y);
    double w2 = 1.0;
    for (int i = 0; i < size; ++i) {
      w_[i] = x[i] / root_x + (i == 0 ? y[i] : -y[i]) / root_y;
      w2 += x[i] / root_x * (y[i] / root_y);
    }
    for (int i = 0; i < size; ++i) w_[i] /= std::sqrt(2.0 * w2);
    // compute w_N from w_T, so that det w = 1 to round-off
    double tangent2 = 0.0;
    for (int i = 1; i < size; ++i) tangent2 += w_[i] * w_[i];
    w_[0] = std::sqrt(1.0 + tangent2);
  }
  /// z = F x and z = F^-1 x
  void scale(const double* x, double* z) const { product(x, z, eta_, 1.0); }
  void scale_back(const double* x, double* z) const { product(x, z, 1.0 / eta_, -1.0); }
  /// (F^-2)_ij
  double inverse_square(int i, int j) const {
    const double J = i != j ? 0.0 : i == 0 ? 1.0 : -1.0, sign = (i == 0) == (j == 0) ? 1.0 : -1.0;
    return (2.0 * sign * w_[i] * w_[j] - J) / (eta_ * eta_);
  }

  /// z = x o y = (x . y, x_N y_T + y_N x_T)
  static void product(int size, const double* x, const double* y, double* z) {
    const double normal = dot(size, x, y);
    for (int i = 1; i < size; ++i) z[i] = x[0] * y[i] + y[0] * x[i];
    z[0] = normal;
  }
  /// z with l o z = r
  static void divide(int size, const double* l, const double* r, double* z) {
    const double d = det(size, l);
    double tangent = 0.0;
    for (int i = 1; i < size; ++i) tangent += l[i] * r[i];
    const double normal = (l[0] * r[0] - tangent) / d;
    for (int i = 1; i < size; ++i) z[i] = (r[i] - normal * l[i]) / l[0];
    z[0] = normal;
  }
  /// Largest t with x + t d in the cone, for x inside, but at most `most`.
  static double step(int size, const double* x, const double* d, double most) {
    // first positive root of q(t) = det(x + t d) = c + 2 b t + a t^2; inside while q > 0
    const double c = det(size, x);
    double b = x[0] * d[0], a = d[0] * d[0];
    for (int i = 1; i < size; ++i) b -= x[i] * d[i], a -= d[i] * d[i];
    if (size == 1) return d[0] < 0.0 && -x[0] / d[0] < most ? -x[0] / d[0] : most;
    double t = most;
    const double D = b * b - a * c;
    if (D >= 0.0) {
      // roots: c/(-b + r) and c/(-b - r) with r = sqrt(D), stable for any sign of b
      const double r = std::sqrt(D);
      const double t1 = c / (-b + r), t2 = c / (-b - r);
      if (t1 > 0.0 && t1 < t) t = t1;
      if (t2 > 0.0 && t2 < t) t = t2;
    }
    if (d[0] < 0.0 && -x[0] / d[0] < t) t = -x[0] / d[0];
    return t;
  }

 private:
  void product(const double* x, double* z, double factor, double sign) const {
    // [w_N, w_T^T; w_T, I + w_T w_T^T/(1 + w_N)], w_T -> -w_T for the inverse
    double tangent = 0.0;
    for (int i = 1; i < size_; ++i) tangent += w_[i] * x[i];
    const double normal = w_[0] * x[0] + sign * tangent;
    const double along = sign * x[0] + tangent / (1.0 + w_[0]);
    for (int i = 1; i < size_; ++i) z[i] = factor * (x[i] + along * w_[i]);
    z[0] = factor * normal;
  }

  int size_ = 1;
  double eta_ = 1.0, w_[3] = {1.0, 0.0, 0.0};
};

}  // namespace saltus
