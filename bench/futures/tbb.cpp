// oneTBB's flow graph, made anew each time, as futures are; and its task_group where one waits for each task.
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_group.h>

#include <deque>
#include <vector>

#include "common/tbb_begin.hpp"
#include "futures/futures.hpp"

namespace {

namespace flow = tbb::flow;
using flow::continue_msg;
using futures::step;

template <class Policy>
long chain(int n) {
  using node = flow::continue_node<continue_msg, Policy>;
  flow::graph g;
  std::deque<node> nodes;
  long x = 0;
  for (int i = 0; i < n; ++i) {
    nodes.emplace_back(g, [&x](const continue_msg&) { x = step(x); });
    if (i > 0) flow::make_edge(nodes[static_cast<unsigned>(i) - 1], nodes.back());
  }
  nodes.front().try_put(continue_msg());
  g.wait_for_all();
  return x;
}

using sum_node = flow::continue_node<continue_msg>;

/// A node for each part, behind `start`.
void add_parts(flow::graph& g, std::deque<sum_node>& nodes, flow::broadcast_node<continue_msg>& start,
               std::vector<long>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    nodes.emplace_back(g, [&part = parts[i], i](const continue_msg&) { part = step(static_cast<long>(i)); });
    flow::make_edge(start, nodes.back());
  }
}

long fan(int n) {
  flow::graph g;
  flow::broadcast_node<continue_msg> start(g);
  std::deque<sum_node> nodes;
  std::vector<long> parts(static_cast<unsigned>(n));
  add_parts(g, nodes, start, parts);
  long sum = 0;
  sum_node all(g, [&](const continue_msg&) {
    for (long const x : parts) sum += x;
  });
  for (auto& node : nodes) flow::make_edge(node, all);
  start.try_put(continue_msg());
  g.wait_for_all();
  return sum;
}

long tree(int n) {
  struct made {
    sum_node* node;
    long* value;
  };
  flow::graph g;
  flow::broadcast_node<continue_msg> start(g);
  std::deque<sum_node> nodes;
  std::vector<long> parts(static_cast<unsigned>(n));
  std::deque<long> sums;
  add_parts(g, nodes, start, parts);
  std::vector<made> row;
  for (std::size_t i = 0; i < parts.size(); ++i) row.push_back({&nodes[i], &parts[i]});
  while (row.size() > 1) {
    std::size_t const pairs = row.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      made const a = row[2 * i], b = row[2 * i + 1];
      long* const sum = &sums.emplace_back();
      nodes.emplace_back(g, [=](const continue_msg&) { *sum = *a.value + *b.value; });
      flow::make_edge(*a.node, nodes.back());
      flow::make_edge(*b.node, nodes.back());
      row[i] = {&nodes.back(), sum};
    }
    if (row.size() % 2 != 0) row[pairs] = row.back();
    row.resize(row.size() - pairs);
  }
  start.try_put(continue_msg());
  g.wait_for_all();
  return *row[0].value;
}

long ping_pong(int n) {
  flow::graph g;
  long last = 0;
  flow::function_node<long, long> there(g, flow::serial, [](long x) { return x; });
  flow::function_node<long, continue_msg> back(g, flow::serial, [&](long x) {
    last = step(x);
    if (last < n) there.try_put(last);
    return continue_msg();
  });
  flow::make_edge(there, back);
  there.try_put(0);
  g.wait_for_all();
  return last;
}

long await(int n) {
  long sum = 0;
  tbb::task_group group;
  for (int i = 0; i < n; ++i) {
    group.run([&sum, i] { sum += step(i); });
    group.wait();
  }
  return sum;
}

}  // namespace

const futures::idiom futures::this_idiom = {.begin = bench::begin_tbb,
                                            .chain = chain<flow::queueing>,
                                            .chain_sync = chain<flow::lightweight>,
                                            .fan = fan,
                                            .tree = tree,
                                            .ping_pong = ping_pong,
                                            .await = await,
                                            .nested = nullptr,
                                            .generate = nullptr};
