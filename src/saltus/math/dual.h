// Numbers that carry a derivative: a + b eps with eps^2 = 0, so that f(a + b eps) = f(a) + f'(a) b
// eps exactly.
//
// Dual<Dual<double>> carries the mixed second derivative in rate.rate, and so on: each level adds
// one direction.
#pragma once
#include <cmath>
#include <type_traits>

namespace saltus {

/// T is double or another Dual. Call functions unqualified, next to those of <cmath>: write
/// `using std::sin; sin(x)`. Comparisons use only the values, so that branches follow the number
/// without eps.
template <class T>
struct Dual {
  T value{}, rate{};

  Dual() = default;
  Dual(const T& a, const T& b = T(0.0)) : value(a), rate(b) {}  // NOLINT: a number is a Dual
  Dual(double a)                                                // NOLINT
      requires(!std::is_same_v<T, double>)
      : value(a), rate(0.0) {}

  Dual& operator+=(const Dual& y) { return *this = *this + y; }
  Dual& operator-=(const Dual& y) { return *this = *this - y; }
  Dual& operator*=(const Dual& y) { return *this = *this * y; }
  Dual& operator/=(const Dual& y) { return *this = *this / y; }

  friend Dual operator+(const Dual& x) { return x; }
  friend Dual operator-(const Dual& x) { return {-x.value, -x.rate}; }
  friend Dual operator+(const Dual& x, const Dual& y) {
    return {x.value + y.value, x.rate + y.rate};
  }
  friend Dual operator-(const Dual& x, const Dual& y) {
    return {x.value - y.value, x.rate - y.rate};
  }
  friend Dual operator*(const Dual& x, const Dual& y) {
    return {x.value * y.value, x.rate * y.value + x.value * y.rate};
  }
  friend Dual operator/(const Dual& x, const Dual& y) {
    const T z = x.value / y.value;
    return {z, (x.rate - z * y.rate) / y.value};
  }
  friend Dual operator+(const Dual& x, double s) { return {x.value + s, x.rate}; }
  friend Dual operator+(double s, const Dual& x) { return {s + x.value, x.rate}; }
  friend Dual operator-(const Dual& x, double s) { return {x.value - s, x.rate}; }
  friend Dual operator-(double s, const Dual& x) { return {s - x.value, -x.rate}; }
  friend Dual operator*(const Dual& x, double s) { return {x.value * s, x.rate * s}; }
  friend Dual operator*(double s, const Dual& x) { return {s * x.value, s * x.rate}; }
  friend Dual operator/(const Dual& x, double s) { return {x.value / s, x.rate / s}; }
  friend Dual operator/(double s, const Dual& y) { return Dual(T(s)) / y; }

  friend bool operator<(const Dual& x, const Dual& y) { return x.value < y.value; }
  friend bool operator>(const Dual& x, const Dual& y) { return x.value > y.value; }
  friend bool operator<=(const Dual& x, const Dual& y) { return x.value <= y.value; }
  friend bool operator>=(const Dual& x, const Dual& y) { return x.value >= y.value; }
};

// f(a + b eps) = f(a) + f'(a) b eps

template <class T>
Dual<T> sin(const Dual<T>& x) {
  using std::cos, std::sin;
  return {sin(x.value), cos(x.value) * x.rate};
}
template <class T>
Dual<T> cos(const Dual<T>& x) {
  using std::cos, std::sin;
  return {cos(x.value), -(sin(x.value) * x.rate)};
}
template <class T>
Dual<T> tan(const Dual<T>& x) {
  using std::tan;
  const T y = tan(x.value);
  return {y, (1.0 + y * y) * x.rate};
}
template <class T>
Dual<T> atan(const Dual<T>& x) {
  using std::atan;
  return {atan(x.value), x.rate / (1.0 + x.value * x.value)};
}
template <class T>
Dual<T> exp(const Dual<T>& x) {
  using std::exp;
  const T y = exp(x.value);
  return {y, y * x.rate};
}
template <class T>
Dual<T> log(const Dual<T>& x) {
  using std::log;
  return {log(x.value), x.rate / x.value};
}
template <class T>
Dual<T> sinh(const Dual<T>& x) {
  using std::cosh, std::sinh;
  return {sinh(x.value), cosh(x.value) * x.rate};
}
template <class T>
Dual<T> cosh(const Dual<T>& x) {
  using std::cosh, std::sinh;
  return {cosh(x.value), sinh(x.value) * x.rate};
}
template <class T>
Dual<T> tanh(const Dual<T>& x) {
  using std::tanh;
  const T y = tanh(x.value);
  return {y, (1.0 - y * y) * x.rate};
}
/// Not defined at 0, where the derivative is infinite.
template <class T>
Dual<T> sqrt(const Dual<T>& x) {
  using std::sqrt;
  const T y = sqrt(x.value);
  return {y, x.rate / (2.0 * y)};
}
/// x^p with a constant exponent.
template <class T>
Dual<T> pow(const Dual<T>& x, double p) {
  using std::pow;
  if (p == 0.0) return Dual<T>(T(1.0));
  return {pow(x.value, p), p * pow(x.value, p - 1.0) * x.rate};
}
template <class T>
Dual<T> abs(const Dual<T>& x) {
  return x < Dual<T>(T(0.0)) ? -x : x;
}
template <class T>
Dual<T> atan2(const Dual<T>& y, const Dual<T>& x) {
  using std::atan2;
  return {atan2(y.value, x.value),
          (x.value * y.rate - y.value * x.rate) / (x.value * x.value + y.value * y.value)};
}

}  // namespace saltus
