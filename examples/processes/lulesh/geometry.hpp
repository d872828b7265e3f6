#pragma once

// Hexahedra: volume, faces, and how both change when a corner moves.
//
// Corners 0 to 3 go round the lower face, 4 to 7 round the upper one, each above the one that is 4 less:
//
//          7------6
//         /|     /|         zeta  eta
//        4------5 |            | /
//        | 3----|-2            |/
//        |/     |/             +---- xi
//        0------1
#include <algorithm>
#include <array>
#include <cmath>

namespace lulesh {

struct vec3 {
  double x = 0, y = 0, z = 0;
};
inline vec3 operator+(const vec3& a, const vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline vec3 operator-(const vec3& a, const vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline vec3 operator*(double f, const vec3& a) { return {f * a.x, f * a.y, f * a.z}; }
inline vec3& operator+=(vec3& a, const vec3& b) { return a = a + b; }
inline double dot(const vec3& a, const vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline vec3 cross(const vec3& a, const vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// What each corner of an element has: its place, its velocity, or a force. It is kept by coordinates, so that a loop
// over the corners can be done with vector instructions.
struct corners {
  double x[8], y[8], z[8];

  vec3 operator[](int c) const { return {x[c], y[c], z[c]}; }
  void set(int c, const vec3& v) { x[c] = v.x, y[c] = v.y, z[c] = v.z; }
  void add(int c, const vec3& v) { x[c] += v.x, y[c] += v.y, z[c] += v.z; }
};

// The sum of all corners, each times its factor, in an order that suits vector instructions.
inline double sum(const double (&factors)[8], const double (&values)[8]) {
  double part[4];
  for (int i = 0; i < 4; ++i) part[i] = factors[i] * values[i] + factors[i + 4] * values[i + 4];
  return (part[0] + part[2]) + (part[1] + part[3]);
}
inline vec3 sum(const double (&factors)[8], const corners& c) {
  return {sum(factors, c.x), sum(factors, c.y), sum(factors, c.z)};
}

// The corners of each face, such that the cross product of its diagonals points outwards.
inline constexpr int faces[6][4] = {{0, 3, 2, 1}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}};

// Of any hexahedron whose faces are bilinear: J. Grandy, "Efficient computation of volume of hexahedral cells", 1997.
inline double volume(const corners& p) {
  return (dot(p[3] - p[1] + p[7] - p[2], cross(p[6] - p[3], p[2] - p[0])) +
          dot(p[4] - p[3] + p[5] - p[7], cross(p[6] - p[4], p[7] - p[0])) +
          dot(p[1] - p[4] + p[2] - p[5], cross(p[6] - p[1], p[5] - p[0]))) /
         12;
}

// What a corner has of the faces around it: a quarter of each one's area, as a vector outwards; and how much the volume
// grows when the corner moves, which is not the same where a face is no parallelogram.
//
// Where a face goes outwards by d, the volume grows by the integral of d over the face. If corner c alone moves, d goes
// down from there bilinearly. The area of a bilinear face, from its diagonals a and b, is cross(a, b) / 2 on the whole;
// from place to place it changes with the twist, the difference of two opposite edges.
struct surface {
  corners area{}, gradient{};

  explicit surface(const corners& p) {
    for (const auto& c : faces) {
      vec3 const a = p[c[2]] - p[c[0]], b = p[c[3]] - p[c[1]], twist = p[c[0]] - p[c[1]] + p[c[2]] - p[c[3]];
      vec3 const quarter = 1.0 / 8 * cross(a, b), more_a = 1.0 / 24 * cross(twist, a),
                 more_b = 1.0 / 24 * cross(twist, b);
      for (int i : c) area.add(i, quarter);
      gradient.add(c[0], quarter - more_b);
      gradient.add(c[1], quarter - more_a);
      gradient.add(c[2], quarter + more_b);
      gradient.add(c[3], quarter + more_a);
    }
  }
};

// How the trilinear map from the cube [-1, 1]^3 to the element goes at its centre: its derivatives along three axes.
struct axes {
  vec3 xi, eta, zeta;
};
inline axes axes_of(const corners& p) {
  vec3 const a = p[6] - p[0], b = p[5] - p[3], c = p[7] - p[1], d = p[4] - p[2];  // the diagonals
  return {0.125 * (a + b - c - d), 0.125 * (a - b + c - d), 0.125 * (a + b + c + d)};
}

// Areas across the axes: each the cross product of the two others.
inline axes across(const axes& a) { return {cross(a.eta, a.zeta), cross(a.zeta, a.xi), cross(a.xi, a.eta)}; }

// How far a wave has to go through an element: its volume over its largest face.
inline double shortest_way(const corners& p, double of_volume) {
  double largest = 0;
  for (const auto& c : faces) {
    vec3 const twice_area = cross(p[c[2]] - p[c[0]], p[c[3]] - p[c[1]]);
    largest = std::max(largest, dot(twice_area, twice_area));
  }
  return 2 * of_volume / std::sqrt(largest);
}

}  // namespace lulesh
