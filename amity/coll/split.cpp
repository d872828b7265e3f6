#include "amity/coll/split.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace amity::collectives::detail {

communicator chosen(const communicator& of, std::uint64_t use, const split_wish& mine, std::vector<split_wish> all) {
  if (mine.color == no_color) return {};
  std::erase_if(all, [&](const split_wish& w) { return w.color != mine.color; });
  std::sort(all.begin(), all.end(),
            [](const split_wish& a, const split_wish& b) { return std::tie(a.key, a.site) < std::tie(b.key, b.site); });
  std::vector<int> ranks;
  int site = 0;
  for (const split_wish& w : all) {
    if (w.site == mine.site) site = static_cast<int>(ranks.size());
    ranks.push_back(w.rank);
  }
  communicator::state& s = of.checked();
  std::string name = s.name + "/" + std::to_string(use) + "." + std::to_string(mine.color);
  return of_known(name, hash_of(name, s.met_id()), site, std::move(ranks));
}

}  // namespace amity::collectives::detail
