#include "saltus/detection/face_overlap.h"

#include <utility>

namespace saltus {
namespace {

/// A corner of the polygon that is being cut, and the side that starts there: an edge of the
/// subject, or side `side` of the clip polygon.
struct CutCorner {
  Vector3 x;
  int subject, clip;  // codes
  int side;
  bool of_clip;
};

struct OverlapWork {
  std::vector<CutCorner> polygon, cut;
  std::vector<double> distance;
  std::vector<OverlapCorner> result;
};

OverlapWork& overlap_work() {
  static thread_local OverlapWork work;  // written before it is read
  return work;
}

/// Side i of a polygon as a line in the plane perpendicular to k: m . x = offset, with m outwards.
struct Side {
  Vector3 m;
  double offset;
  int from, to;  // vertices
  Vector3 along;
  double begin, end;  // ends of the side along it

  /// The vertex at that end of the side where x lies, or -1 if x lies between the ends.
  int vertex_at(const Vector3& x, double snap) const {
    const double t = along.dot(x);
    return t <= begin + snap ? from : t >= end - snap ? to : -1;
  }
};

Side side_of(const Polyhedron& P, int face, int i, const Vector3& k) {
  const int size = P.face_size(face);
  Side s;
  s.from = P.face_corner(face, i);
  s.to = P.face_corner(face, i + 1 < size ? i + 1 : 0);
  s.m = (P.vertex[s.to] - P.vertex[s.from]).cross(k).normalized();
  s.offset = s.m.dot(P.vertex[s.from]);
  s.along = k.cross(s.m);
  s.begin = s.along.dot(P.vertex[s.from]);
  s.end = s.along.dot(P.vertex[s.to]);
  return s;
}

/// The vertex shared by sides i and j of a face.
int meeting_vertex(const Polyhedron& P, int face, int i, int j) {
  const int size = P.face_size(face);
  return P.face_corner(face, (j + 1) % size == i ? i : (i + 1) % size == j ? j : i);
}

void cut_segment(const Polyhedron& subject, const Polyhedron& clip, int clip_face, const Vector3& k,
                 double snap, OverlapWork& work) {
  CutCorner end[2];
  for (int i = 0; i < 2; ++i) end[i] = {subject.vertex[i], subject.vertex_code(i), 0, 0, false};
  for (int i = 0; i < clip.face_size(clip_face); ++i) {
    const Side s = side_of(clip, clip_face, i, k);
    const double d[2] = {s.m.dot(end[0].x) - s.offset, s.m.dot(end[1].x) - s.offset};
    if (d[0] > snap && d[1] > snap) return;
    for (int j = 0; j < 2; ++j) {
      if (!(d[j] > snap)) continue;
      if (d[1 - j] >= -snap) {  // only the other end remains
        end[j] = end[1 - j];
        continue;
      }
      const double t = d[j] / (d[j] - d[1 - j]);
      end[j].x += t * (end[1 - j].x - end[j].x);
      end[j].subject = subject.edge_code(0);
      end[j].clip = clip.edge_code(clip.edge_between(s.from, s.to));
    }
  }
  work.polygon.assign(end, end + 2);
  if (end[0].subject == end[1].subject && end[0].clip == end[1].clip) work.polygon.pop_back();
}

/// Cuts the convex polygon with one side of the clip polygon (Sutherland, Hodgman); d are the
/// outward distances.
void cut_polygon(const Polyhedron& subject, const Polyhedron& clip, int clip_face, int i,
                 const Side& s, double snap, OverlapWork& work) {
  const std::size_t n = work.polygon.size();
  work.distance.resize(n);
  bool any = false;
  for (std::size_t j = 0; j < n; ++j) {
    CutCorner& c = work.polygon[j];
    const double d = work.distance[j] = s.m.dot(c.x) - s.offset;
    any = any || d > snap;
    if (c.clip != 0 || d > snap || d < -snap) continue;
    const int vertex = s.vertex_at(c.x, snap);  // a corner of both polygons
    if (vertex >= 0) c.clip = clip.vertex_code(vertex);
  }
  if (!any) return;
  work.cut.clear();
  for (std::size_t j = 0; j < n; ++j) {
    const CutCorner &here = work.polygon[j], &there = work.polygon[(j + 1) % n];
    const double d = work.distance[j], e = work.distance[(j + 1) % n];
    if (d <= snap) {
      work.cut.push_back(here);
      if (d >= -snap && e > snap) {  // continues along the cutting side
        work.cut.back().side = i;
        work.cut.back().of_clip = true;
      }
    }
    const bool leaves = d < -snap && e > snap, enters = d > snap && e < -snap;
    if (!leaves && !enters) continue;
    CutCorner c;
    c.x = here.x + d / (d - e) * (there.x - here.x);
    const int vertex = s.vertex_at(c.x, snap);
    if (vertex >= 0) {
      c.subject = 0;
      c.clip = clip.vertex_code(vertex);
    } else if (here.of_clip) {
      c.subject = 0;
      c.clip = clip.vertex_code(meeting_vertex(clip, clip_face, i, here.side));
    } else {
      c.subject = subject.edge_code(here.side);
      c.clip = clip.edge_code(clip.edge_between(s.from, s.to));
    }
    c.side = leaves ? i : here.side;
    c.of_clip = leaves || here.of_clip;
    work.cut.push_back(c);
  }
  std::swap(work.polygon, work.cut);
}

}  // namespace

std::span<const OverlapCorner> face_overlap(const Polyhedron& subject, int subject_face,
                                            const Polyhedron& clip, int clip_face, const Vector3& k,
                                            double snap) {
  OverlapWork& work = overlap_work();
  work.polygon.clear();
  work.result.clear();
  if (subject_face < 0) {
    cut_segment(subject, clip, clip_face, k, snap, work);
  } else {
    const int size = subject.face_size(subject_face);
    for (int j = 0; j < size; ++j) {
      const int from = subject.face_corner(subject_face, j);
      const int to = subject.face_corner(subject_face, j + 1 < size ? j + 1 : 0);
      work.polygon.push_back({subject.vertex[from], subject.vertex_code(from), 0,
                              subject.edge_between(from, to), false});
    }
    for (int i = 0; i < clip.face_size(clip_face) && !work.polygon.empty(); ++i)
      cut_polygon(subject, clip, clip_face, i, side_of(clip, clip_face, i, k), snap, work);
  }
  const Vector3& n = clip.normal[clip_face];
  const double n_k = n.dot(k), offset = clip.face_offset(clip_face);
  for (const CutCorner& c : work.polygon)
    work.result.push_back({c.x, (n.dot(c.x) - offset) / n_k, c.subject, c.clip});
  return work.result;
}

}  // namespace saltus
