#include "amity/cli/node_contenders.hpp"

#include <algorithm>

#include "amity/base/report.hpp"
#include "amity/cli/contenders.hpp"
#include "amity/cli/own_folder.hpp"
#include "amity/dsm/memory.hpp"

namespace amity::cli {
namespace {

using words = std::vector<std::string>;

// `amity run ...` of the program: `options` for so many nodes.
contender of_amity(const std::string& label, const std::string& program, std::function<words(int nodes)> options) {
  contender one{label, program, "", "amity run", true};
  one.start = [program, options = std::move(options)](int nodes) {
    words all{own_program().string(), "run"};
    const words own = options(nodes);
    all.insert(all.end(), own.begin(), own.end());
    all.insert(all.end(), {"--", program});
    return all;
  };
  return one;
}

}  // namespace

std::vector<contender> find_node_contenders(const suite& of, const bench_options& options, std::string& error) {
  bench_options others = options;
  others.arguments.clear();
  std::vector<contender> all = find_contenders(of, others, error);
  if (!error.empty()) return all;
  std::erase_if(all, [](const contender& one) { return one.amity; });
  const int threads = std::stoi(options.threads_of_node);
  const auto together = [threads](int nodes) { return std::to_string(nodes * threads); };
  // The rivals run in one process.
  for (contender& one : all)
    one.start = [together, program = one.program](int nodes) {
      return words{"env", "OMP_NUM_THREADS=" + together(nodes), program};
    };
  std::string program = find_bench_file(options.programs, of.program("gcc"));
  if (program.empty()) program = find_bench_file(options.programs, of.program("clang"));
  contender single = of_amity("amity(1 node)", program, [together](int nodes) { return words{"-t", together(nodes)}; });
  single.measure = true;
  all.push_back(single);
  const auto over_nodes = [threads](int nodes) {
    return words{"--nodes", std::to_string(nodes), "-t", std::to_string(threads)};
  };
  if (const char* const why = dsm::why_no_faults(); why != nullptr)
    base::warn("bench: by pages is left out: %s", why);
  else
    all.push_back(of_amity("amity(pages)", program, over_nodes));
  contender shared = of_amity("amity(shared)", program, over_nodes);
  shared.measure = true;
  shared.environment = {{"AMITY_NODES_MEMORY", "shared"}};
  all.push_back(shared);
  return all;
}

}  // namespace amity::cli
