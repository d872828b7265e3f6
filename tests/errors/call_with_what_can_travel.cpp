// fine
#include <amity/pgas/async_any.hpp>
#include <map>

struct by_value {
  int n;
};
int plain(int n) { return n; }

int main() {
  std::map<int, std::vector<std::pair<std::string_view, std::optional<by_value>>>> const views;
  amity::rpc(
      1, [](auto m) { return m.size(); }, views)
      .get();
  auto call = [](int (*f)(int), std::tuple<char, bool> t) { return f(std::get<0>(t)); };
  amity::rpc(1, call, &plain, std::tuple('c', true)).get();
  amity::rpc_ff(1, [] { return new int; });
  amity::async_any([n = 1]() mutable { return std::string_view(++n > 1 ? "a" : "b"); });
}
