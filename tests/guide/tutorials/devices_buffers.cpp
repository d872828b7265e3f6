// The ways in and out of a buffer.
#include <amity/accel.hpp>
#include <cstdio>
#include <span>
#include <vector>

namespace accel = amity::accel;

int main() try {
  accel::device const device = accel::default_device();
  // [in]
  std::vector<int> mine(100, 1);
  auto a = device.upload(std::vector<int>(100, 7));
  auto b = device.upload(std::span<const int>(mine));
  auto c = device.allocate<int>(100);  // no values yet
  c.fill(0);
  c.fill(5, 10, 3);                // elements 10, 11, 12
  c.write(std::vector{1, 2}, 98);  // the last two
  copy(a, 0, c, 50, 10);           // a[0..9] to c[50..59]
  b.ready().get();  // `mine` may be changed from now on
  // [end]
  mine.assign(100, 9);
  // [out]
  std::vector<int> all = c.read().get();
  std::vector<int> some = c.read(9, 3).get();  // 0 5 5
  int last[2];
  c.read(std::span<int>(last), 98).get();  // into my memory
  // [end]
  // [box]
  // c as rows of 10: 3 elements, from element 2 on, of
  // each of 2 rows, from row 5 on.
  std::size_t const row = 10 * sizeof(int);
  int box[2][3];
  c.read_box(
       {.origin = {2 * sizeof(int), 5}, .row_pitch = row},
       box, {}, {3 * sizeof(int), 2, 1})
      .get();
  // [end]
  bool const is_right = all[55] == 7 && some[1] == 5 &&
                        last[1] == 2 && box[0][0] == 7 &&
                        box[1][0] == 0 &&
                        b.read(0, 1).get().at(0) == 1;
  std::puts(is_right ? "right" : "wrong");
  return is_right ? 0 : 1;
} catch (const accel::no_such_device& e) {
  std::printf("%s\n", e.what());
}
