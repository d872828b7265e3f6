#pragma once

// What processes tell their neighbours: up to 26 of them, beside a face, an edge or a corner of the own cube.
//
// All are treated alike. A direction has -1, 0 or 1 for each axis. The nodes at that end of each axis that is not 0
// are those that both processes have. Each process puts what it has of them into the neighbour's memory.
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "amity/amity.hpp"
#include "clock.hpp"
#include "domain.hpp"

namespace lulesh {

class exchange {
 public:
  explicit exchange(const domain& d);
  ~exchange() {
    amity::deallocate(out_);
    amity::deallocate(in_);
  }
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  // A node of several processes gets the sum of what they have for it.
  void add_up(std::vector<vec3>& of_nodes) {
    put([&](const neighbour& n, vec3* to) { return pack(of_nodes, n.nodes, to); });
    for (const neighbour& n : neighbours_) {
      const vec3* from = n.came;
      for (int node : n.nodes) of_nodes[node] += *from++;
    }
  }

  // A node of several processes gets what the process nearest to the origin has for it: their sums differ in the last
  // bits, and the differences would grow.
  void agree(std::vector<vec3>& a, std::vector<vec3>& b) {
    put([&](const neighbour& n, vec3* to) { return n.is_further ? pack(b, n.nodes, pack(a, n.nodes, to)) : to; });
    for (const neighbour& n : neighbours_)
      if (n.is_nearer) unpack(b, n.nodes, unpack(a, n.nodes, n.came));
  }

  // Shows the elements at a face to the neighbour there.
  void show(std::vector<vec3>& of_elements) {
    put([&](const neighbour& n, vec3* to) { return pack(of_elements, n.elements, to); });
    for (const neighbour& n : neighbours_) unpack(of_elements, n.ghosts, n.came);
  }

  // The limits of all processes.
  static step_limits least(const step_limits& mine) {
    return amity::reduce_all(mine, [](step_limits a, const step_limits& b) { return a.lower(b), a; }).get();
  }

 private:
  using direction = std::array<int, 3>;
  struct neighbour {
    bool is_nearer, is_further;         // to the origin, or from it, and along no axis the other way
    std::vector<int> nodes;             // those that both have
    std::vector<int> elements, ghosts;  // at a face: the own ones that touch it, and places for the neighbour's
    amity::global_ptr<vec3> out;        // what this process tells, here
    amity::global_ptr<vec3> there;      // and where it goes
    const vec3* came;                   // what the neighbour has told
  };
  static neighbour make_neighbour(const domain& d, const direction& to);

  static vec3* pack(const std::vector<vec3>& from, const std::vector<int>& places, vec3* to) {
    for (int p : places) *to++ = from[p];
    return to;
  }
  static const vec3* unpack(std::vector<vec3>& to, const std::vector<int>& places, const vec3* from) {
    for (int p : places) to[p] = *from++;
    return from;
  }

  // A task for each neighbour packs and puts. The finish of all processes begins when all have read what came the last
  // time, and ends when all of this has come.
  template <class Pack>
  void put(Pack pack) {
    if (neighbours_.empty()) return;
    amity::finish_spmd([&] {
      for (const neighbour& n : neighbours_)
        amity::async([&n, &pack] {
          vec3* const first = n.out.local();
          auto const count = static_cast<std::size_t>(pack(n, first) - first);
          if (count != 0) amity::async_copy(n.out, n.there, count);
        });
    });
  }

  std::vector<neighbour> neighbours_;  // the nearest to the origin last
  amity::global_ptr<vec3> out_, in_;
};

inline exchange::exchange(const domain& d) {
  if (d.place.edge == 1) return;
  std::vector<direction> directions;  // one and its opposite stand as far from either end
  for (int z : {1, 0, -1})
    for (int y : {1, 0, -1})
      for (int x : {1, 0, -1}) directions.push_back({x, y, z});
  // Rooms for two vectors of each node, alike in all processes.
  std::vector<std::ptrdiff_t> rooms{0};
  for (const direction& to : directions) {
    std::ptrdiff_t room = 2;
    for (int step : to) room *= step == 0 ? d.node_edge() : 1;
    rooms.push_back(rooms.back() + room);
  }
  out_ = amity::new_array<vec3>(static_cast<std::size_t>(rooms.back()));
  in_ = amity::new_array<vec3>(static_cast<std::size_t>(rooms.back()));
  auto const all = amity::collectives::all_gather(amity::collectives::world(), in_).get();

  for (std::size_t i = 0; i < directions.size(); ++i) {
    const direction& to = directions[i];
    bool is_there = to != direction{};
    for (int axis = 0; axis < 3; ++axis) is_there = is_there && d.place.has_beside(axis, to[axis]);
    if (!is_there) continue;
    neighbour n = make_neighbour(d, to);
    direction at = d.place.at;
    for (int axis = 0; axis < 3; ++axis) at[axis] += to[axis];
    n.out = out_ + rooms[i];
    n.came = (in_ + rooms[i]).local();
    n.there = all[static_cast<std::size_t>(d.place.rank_of(at))] + rooms[directions.size() - 1 - i];
    neighbours_.push_back(std::move(n));
  }
}

inline exchange::neighbour exchange::make_neighbour(const domain& d, const direction& to) {
  // The places in a cube of `edge` that lie at the end where `to` goes.
  auto const at_end = [&to](int edge) {
    std::vector<int> places;
    auto const fits = [edge](int step, int i) { return step == 0 || i == (step < 0 ? 0 : edge - 1); };
    for (int k = 0; k < edge; ++k)
      for (int j = 0; j < edge; ++j)
        for (int i = 0; i < edge; ++i)
          if (fits(to[0], i) && fits(to[1], j) && fits(to[2], k)) places.push_back(i + edge * (j + edge * k));
    return places;
  };
  neighbour n{};
  n.is_nearer = n.is_further = true;
  for (int step : to) {
    n.is_nearer = n.is_nearer && step <= 0;
    n.is_further = n.is_further && step >= 0;
  }
  n.nodes = at_end(d.node_edge());
  for (int axis = 0; axis < 3; ++axis) {
    direction beside{};
    beside[axis] = to[axis];
    if (to[axis] == 0 || beside != to) continue;  // no face
    n.elements = at_end(d.edge);
    n.ghosts.resize(n.elements.size());
    std::iota(n.ghosts.begin(), n.ghosts.end(), d.first_ghost(axis, to[axis] < 0 ? 0 : 1));
  }
  return n;
}

}  // namespace lulesh
