// error: this class has more than the container that it is derived from
#include <amity/pgas/remote_call.hpp>

struct matrix : std::vector<double> {
  int rows = 0;
};

int main() {
  amity::rpc(
      1, [](matrix m) { return m.rows; }, matrix())
      .get();
}
