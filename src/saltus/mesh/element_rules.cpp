// Quadrature rules: products of Gauss points; on simplices and the pyramid the product is collapsed
// to a corner,
//
//     triangle     (a (1 - b), b),  weight (1 - b)
//     tetrahedron  (a (1 - b)(1 - c), b (1 - c), c),  weight (1 - b)(1 - c)^2
//     pyramid      (r (1 - c), s (1 - c), c),  weight (1 - c)^2
//
// with a, b, c in [0, 1] and r, s in [-1, 1]. These rules are for masses, which are computed once.
// The stiffness of a pyramid needs only one plane of points, because F does not depend on c.
#include <cmath>
#include <vector>

#include "saltus/mesh/element.h"

namespace saltus {
namespace {

using Rule = std::vector<RulePoint>;

struct Point1 {
  double x, w;
};

// n points on [-1, 1], exact to degree 2 n - 1
std::vector<Point1> gauss(int n) {
  switch (n) {
    case 1:
      return {{0.0, 2.0}};
    case 2: {
      const double x = 1.0 / std::sqrt(3.0);
      return {{-x, 1.0}, {x, 1.0}};
    }
    case 3: {
      const double x = std::sqrt(0.6);
      return {{-x, 5.0 / 9.0}, {0.0, 8.0 / 9.0}, {x, 5.0 / 9.0}};
    }
    default: {
      const double root = 2.0 * std::sqrt(1.2), in = std::sqrt((3.0 - root) / 7.0),
                   out = std::sqrt((3.0 + root) / 7.0), half = std::sqrt(30.0) / 36.0;
      return {{-out, 0.5 - half}, {-in, 0.5 + half}, {in, 0.5 + half}, {out, 0.5 - half}};
    }
  }
}

std::vector<Point1> gauss_unit(int n) {  // on [0, 1]
  std::vector<Point1> points = gauss(n);
  for (Point1& p : points) p = {0.5 * (1.0 + p.x), 0.5 * p.w};
  return points;
}

Rule brick(int d, int n) {
  Rule rule;
  const std::vector<Point1> line = gauss(n), none{{0.0, 1.0}};
  for (const Point1& c : d > 2 ? line : none)
    for (const Point1& b : d > 1 ? line : none)
      for (const Point1& a : line) rule.push_back({{a.x, b.x, c.x}, a.w * b.w * c.w});
  return rule;
}

Rule collapsed_triangle(int n) {
  Rule rule;
  for (const Point1& b : gauss_unit(n))
    for (const Point1& a : gauss_unit(n))
      rule.push_back({{a.x * (1.0 - b.x), b.x, 0.0}, a.w * b.w * (1.0 - b.x)});
  return rule;
}

Rule collapsed_tetrahedron(int n) {
  Rule rule;
  for (const Point1& c : gauss_unit(n))
    for (const Point1& b : gauss_unit(n))
      for (const Point1& a : gauss_unit(n)) {
        const double nc = 1.0 - c.x, nb = 1.0 - b.x;
        rule.push_back({{a.x * nb * nc, b.x * nc, c.x}, a.w * b.w * c.w * nb * nc * nc});
      }
  return rule;
}

Rule collapsed_pyramid(int n) {
  Rule rule;
  for (const Point1& c : gauss_unit(n))
    for (const Point1& s : gauss(n))
      for (const Point1& r : gauss(n)) {
        const double nc = 1.0 - c.x;
        rule.push_back({{r.x * nc, s.x * nc, c.x}, r.w * s.w * c.w * nc * nc});
      }
  return rule;
}

Rule times_line(const Rule& triangle, int n) {
  Rule rule;
  for (const Point1& c : gauss(n))
    for (const RulePoint& p : triangle) rule.push_back({{p.xi.x(), p.xi.y(), c.x}, p.weight * c.w});
  return rule;
}

Rule triangle3() {
  const double near = 1.0 / 6.0, far = 2.0 / 3.0, w = 1.0 / 6.0;
  return {{{near, near, 0.0}, w}, {{far, near, 0.0}, w}, {{near, far, 0.0}, w}};
}

Rule tetrahedron4() {
  const double root = std::sqrt(5.0), near = (5.0 - root) / 20.0, far = (5.0 + 3.0 * root) / 20.0,
               w = 1.0 / 24.0;
  return {{{near, near, near}, w},
          {{far, near, near}, w},
          {{near, far, near}, w},
          {{near, near, far}, w}};
}

// The mean of c under (1 - c)^2 is 1/4: polynomials of degree 1 in c are integrated exactly.
Rule pyramid4() {
  Rule rule;
  for (const RulePoint& p : brick(2, 2))
    rule.push_back({{0.75 * p.xi.x(), 0.75 * p.xi.y(), 0.25}, p.weight / 3.0});
  return rule;
}

Rule for_stiffness(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3:
      return {{{1.0 / 3.0, 1.0 / 3.0, 0.0}, 0.5}};
    case ElementKind::tri6:
      return triangle3();
    case ElementKind::tet4:
      return {{{0.25, 0.25, 0.25}, 1.0 / 6.0}};
    case ElementKind::tet10:
      return tetrahedron4();
    case ElementKind::wedge6:
      return times_line(triangle3(), 2);
    case ElementKind::pyramid5:
      return pyramid4();
    case ElementKind::bar2:
      return brick(1, 1);
    case ElementKind::bar3:
      return brick(1, 2);
    default:
      return brick(info(kind).dimension, info(kind).quadratic() ? 3 : 2);
  }
}

Rule for_mass(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3:
    case ElementKind::tri6:
      return collapsed_triangle(3);
    case ElementKind::tet4:
    case ElementKind::tet10:
      return collapsed_tetrahedron(4);
    case ElementKind::wedge6:
      return times_line(collapsed_triangle(3), 3);
    case ElementKind::pyramid5:
      return collapsed_pyramid(3);
    default:
      return brick(info(kind).dimension, info(kind).quadratic() ? 4 : 3);
  }
}

std::vector<Rule> all(Rule (*make)(ElementKind)) {
  std::vector<Rule> rules;
  for (const ElementInfo& i : element_kinds()) rules.push_back(make(i.kind));
  return rules;
}

}  // namespace

std::span<const RulePoint> stiffness_rule(ElementKind kind) {
  static const std::vector<Rule> kRules = all(for_stiffness);
  return kRules[static_cast<std::size_t>(kind)];
}

std::span<const RulePoint> mass_rule(ElementKind kind) {
  static const std::vector<Rule> kRules = all(for_mass);
  return kRules[static_cast<std::size_t>(kind)];
}

}  // namespace saltus
