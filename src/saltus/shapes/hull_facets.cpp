#include "saltus/shapes/hull_facets.h"

#include <libqhull_r/qhull_ra.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "saltus/base/error.h"

namespace saltus {
namespace {

// A memory stream for the output of Qhull.
class Notes {
 public:
  Notes() : stream_(open_memstream(&text_, &size_)) {
    if (!stream_) throw std::bad_alloc();
  }
  ~Notes() {
    std::fclose(stream_);
    std::free(text_);
  }
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;

  FILE* stream() { return stream_; }
  /// The first line that is not empty.
  std::string first_line() {
    std::fflush(stream_);
    const std::string_view all(text_, size_);
    const std::size_t begin = std::min(all.find_first_not_of("\r\n "), all.size());
    return std::string(all.substr(begin, all.find_first_of("\r\n", begin) - begin));
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  FILE* stream_ = nullptr;
};

// Qhull leaves its functions by longjmp on errors: no object in here may have a destructor. Returns
// its exit code, 0 for success.
int collect(qhT* qh, Polygons& polygons) {
  const int code = setjmp(qh->errexit);
  if (code == 0) {
    qh->NOerrexit = False;
    facetT* facet = nullptr;
    vertexT *vertex = nullptr, **vertexp = nullptr;
    FORALLfacets {
      setT* corners = qh_facet3vertex(qh, facet);
      FOREACHvertex_(corners) polygons.corner.push_back(qh_pointid(qh, vertex->point));
      polygons.first.push_back(static_cast<int>(polygons.corner.size()));
      qh_settempfree(qh, &corners);
    }
  }
  qh->NOerrexit = True;
  return code;
}

// Six times the volume, with positions relative to the first point.
double volume(std::span<const Vector3> points, const Polygons& polygons) {
  double sum = 0.0;
  for (int f = 0; f < polygons.count(); ++f)
    sum += (points[polygons[f][0]] - points[0]).dot(polygon_area(points, polygons[f]));
  return sum;
}

void turn(Polygons& polygons) {
  for (int f = 0; f < polygons.count(); ++f)
    std::reverse(polygons.corner.begin() + polygons.first[f],
                 polygons.corner.begin() + polygons.first[f + 1]);
}

}  // namespace

Polygons hull_facets(std::span<const Vector3> points, std::string& fault) {
  QHULL_LIB_CHECK
  static_assert(sizeof(Vector3) == 3 * sizeof(coordT));
  Notes notes;
  const auto qhull = std::make_unique<qhT>();
  qhT* qh = qhull.get();
  qh_zero(qh, notes.stream());
  std::vector<Vector3> copy(points.begin(), points.end());
  char command[] = "qhull Pp";  // merges facets that are not clearly convex, without warnings
  Polygons polygons;
  int code = qh_new_qhull(qh, 3, static_cast<int>(copy.size()), copy[0].data(), False, command,
                          nullptr, notes.stream());
  if (code == 0) code = collect(qh, polygons);
  qh_freeqhull(qh, !qh_ALL);
  int pieces = 0, bytes = 0;
  qh_memfreeshort(qh, &pieces, &bytes);
  if (code != 0) {
    fault = notes.first_line();
    if (fault.empty()) fault = "Qhull ended with code " + std::to_string(code);
    return {};
  }
  // the orientation of qh_facet3vertex depends on how the library was built
  if (volume(points, polygons) < 0.0) turn(polygons);
  return polygons;
}

}  // namespace saltus
