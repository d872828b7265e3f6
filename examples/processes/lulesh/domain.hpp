#pragma once

// What a process has of the mesh: a cube of elements, and the nodes at their corners.
//
// The whole mesh is a cube too, one eighth of the explosion: its origin is the centre. Elements find nodes by lists, as
// in any mesh, and not by computing with indices; only the constructor knows that it is regular.
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "geometry.hpp"

namespace lulesh {

// Where a process has its part: the processes are a cube of `edge` x `edge` x `edge`.
struct place_in_cube {
  int edge = 1;
  std::array<int, 3> at{};  // from 0 in x, y, z

  // Ranks go along x first.
  [[nodiscard]] int rank_of(std::array<int, 3> p) const { return p[0] + edge * (p[1] + edge * p[2]); }
  // Whether there is another process `step` further.
  [[nodiscard]] bool has_beside(int axis, int step) const { return at[axis] + step >= 0 && at[axis] + step < edge; }
};

struct domain {
  domain(int elements_per_edge, const place_in_cube& where);

  int edge;  // elements along each edge here
  place_in_cube place;
  int elements, nodes;

  // Of the nodes.
  std::vector<vec3> position, velocity, force;
  std::vector<double> node_mass;
  std::vector<std::array<bool, 3>> held;  // by a plane of symmetry: along x, y, z
  // Which corner forces act on a node; `no_force` where there are fewer than 8.
  std::vector<std::array<int, 8>> forces_of_node;

  // Of the elements.
  std::vector<std::array<int, 8>> nodes_of;
  std::vector<std::array<int, 6>> beside;  // before and behind along xi, eta, zeta
  std::vector<double> energy, pressure, viscosity, sound_speed, mass, first_volume;
  std::vector<double> volume;         // over first_volume
  std::vector<double> volume_change;  // of the same, in this step
  std::vector<double> expansion;      // the rate of the volume's growth, over the volume
  std::vector<double> way;            // how far a wave has to go through the element
  std::vector<vec3> thickness;        // along xi, eta, zeta

  // How the velocity changes through the element along xi, eta, zeta, over the thickness. Behind the elements are those
  // of neighbouring processes that touch them, and one that stands still.
  std::vector<vec3> strain;

  std::vector<vec3> corner_force;  // of each element's corners; the last one stays zero

  [[nodiscard]] int node_edge() const { return edge + 1; }
  [[nodiscard]] int no_force() const { return 8 * elements; }
  // The first of the neighbour's elements before (`side` 0) or behind (1) along `axis`; they are in the order of ours.
  [[nodiscard]] int first_ghost(int axis, int side) const { return elements + (2 * axis + side) * edge * edge; }
  [[nodiscard]] int still() const { return first_ghost(3, 0); }

  // Those of an element's corners.
  [[nodiscard]] corners at_corners(const std::vector<vec3>& field, int element) const {
    corners c;
    for (int i = 0; i < 8; ++i) c.set(i, field[nodes_of[element][i]]);
    return c;
  }

 private:
  void make_nodes();
  void make_elements();
  [[nodiscard]] std::array<int, 6> find_beside(int element, std::array<int, 3> at) const;
};

inline domain::domain(int elements_per_edge, const place_in_cube& where)
    : edge(elements_per_edge),
      place(where),
      elements(edge * edge * edge),
      nodes(node_edge() * node_edge() * node_edge()) {
  make_nodes();
  make_elements();
}

inline void domain::make_nodes() {
  constexpr double side = 1.125;  // of the whole mesh
  auto const coordinate = [this](int axis, int n) { return side * (place.at[axis] * edge + n) / (place.edge * edge); };
  for (int k = 0; k <= edge; ++k)
    for (int j = 0; j <= edge; ++j)
      for (int i = 0; i <= edge; ++i) {
        vec3 const p{coordinate(0, i), coordinate(1, j), coordinate(2, k)};
        position.push_back(p);
        held.push_back({p.x == 0, p.y == 0, p.z == 0});
      }
  velocity.resize(nodes);
  force.resize(nodes);
  node_mass.resize(nodes);
  forces_of_node.resize(nodes);
  for (auto& list : forces_of_node) list.fill(no_force());
}

inline void domain::make_elements() {
  int const n = node_edge();
  std::vector<std::uint8_t> found(nodes);
  for (int k = 0, e = 0; k < edge; ++k)
    for (int j = 0; j < edge; ++j)
      for (int i = 0; i < edge; ++i, ++e) {
        int const first = i + n * (j + n * k);
        nodes_of.push_back({first, first + 1, first + n + 1, first + n, first + n * n, first + n * n + 1,
                            first + n * n + n + 1, first + n * n + n});
        beside.push_back(find_beside(e, {i, j, k}));
        first_volume.push_back(lulesh::volume(at_corners(position, e)));
        for (int c = 0; c < 8; ++c) {
          int const node = nodes_of[e][c];
          node_mass[node] += first_volume[e] / 8;  // the density is 1
          forces_of_node[node][found[node]++] = 8 * e + c;
        }
      }
  mass = first_volume;
  volume.resize(elements, 1.0);
  for (auto* field : {&energy, &pressure, &viscosity, &sound_speed, &volume_change, &expansion, &way})
    field->resize(elements);
  thickness.resize(elements);
  strain.resize(still() + 1);
  corner_force.resize(no_force() + 1);
}

// Behind a plane of symmetry the element meets itself. Where the gas is free, it meets one that stands still.
inline std::array<int, 6> domain::find_beside(int element, std::array<int, 3> at) const {
  std::array<int, 6> found{};
  for (int axis = 0, stride = 1; axis < 3; ++axis, stride *= edge) {
    int const u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;  // the axes of the face
    int const in_face = at[u] + edge * at[v];
    bool const first = at[axis] == 0, last = at[axis] == edge - 1;
    found[2 * axis] = !first ? element - stride : place.has_beside(axis, -1) ? first_ghost(axis, 0) + in_face : element;
    found[2 * axis + 1] = !last                       ? element + stride
                          : place.has_beside(axis, 1) ? first_ghost(axis, 1) + in_face
                                                      : still();
  }
  return found;
}

// Ends the program: the step was too long, or the mesh is beyond help.
[[noreturn, gnu::cold, gnu::noinline]] inline void tell_of_lost_volume() {
  throw std::domain_error("an element has no volume any more");
}

}  // namespace lulesh
