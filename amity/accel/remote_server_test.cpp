/// Requests of another process that make no sense, as a fault on its side could send them: each is refused, and the
/// process that has the device goes on. The requests come from this process itself, in the place of a client.

#include <gtest/gtest.h>

#include "amity/accel/device.hpp"
#include "amity/accel/operation.hpp"
#include "amity/accel/remote/exports.hpp"
#include "amity/accel/remote/wire.hpp"
#include "amity/net/job.hpp"

namespace amity::accel::remote {
namespace {

using kind = detail::command::kind;
using argument = detail::parameter::kind;

struct Server : testing::Test {
  void SetUp() override {
    auto const found = local_devices().get();
    if (found.empty()) GTEST_SKIP() << status();
    d = found.front();
    b = d.upload(std::vector<int>{1, 2, 3, 4});
    its = export_buffer(b.object());
  }
  void ask(request r) {
    static std::uint64_t number = 0;
    take_request(rank_me(), number++, std::move(r));
  }
  do_command of(kind is) {
    do_command c;
    c.command = new_name();
    c.stream = stream;
    c.device = d.number();
    c.is = is;
    c.to = c.from = its;
    return c;
  }
  void expect_unharmed() {
    d.synchronize().get();
    EXPECT_EQ(b.read().get(), (std::vector<int>{1, 2, 3, 4}));
  }
  device d;
  buffer<int> b;
  name its = 0, stream = new_name();
};

TEST_F(Server, RangesAndBoxesOfNoMemoryAreRefused) {
  std::uint64_t const all = ~std::uint64_t{0}, far = std::uint64_t{1} << 63;
  for (kind const is : {kind::write, kind::read, kind::copy, kind::fill}) {
    do_command c = of(is);
    c.data.resize(64);
    c.pattern_bytes = 4;
    c.bytes = 64;
    ask(c);
    c.bytes = all - 3;
    ask(c);
    c.to_offset = c.from_offset = all - 3;
    c.bytes = 8;
    ask(c);
  }
  for (kind const is : {kind::write_box, kind::read_box, kind::copy_box}) {
    do_command c = of(is);
    c.data.resize(64);
    for (auto const& [x, y, z] : {std::array{all, all, all}, std::array{far, std::uint64_t{2}, std::uint64_t{1}},
                                  std::array{std::uint64_t{2}, far, std::uint64_t{2}},
                                  std::array{std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1}}}) {
      c.region[0] = x, c.region[1] = y, c.region[2] = z;
      ask(c);
    }
    c.region[0] = 4, c.region[1] = 2, c.region[2] = 1;
    c.to_box = c.from_box = {.origin = {0, far, 0}, .row_pitch = 8};
    ask(c);
    c.to_box = c.from_box = {.row_pitch = far};
    ask(c);
  }
  expect_unharmed();
}

TEST_F(Server, CommandsWithoutWhatTheyNeedAreRefused) {
  do_command c = of(kind::write);
  c.bytes = 16;
  ask(c);  // no data
  c = of(kind::write_box);
  c.region[0] = 16;
  ask(c);
  for (std::uint64_t const pattern : {0u, 3u, 256u}) {
    c = of(kind::fill);
    c.bytes = 12;
    c.data.resize(pattern);
    c.pattern_bytes = pattern;
    c.to = new_name();
    ask(c);
    c.to = its;
    c.bytes = 13;
    ask(c);
  }
  c = of(static_cast<kind>(77));
  ask(c);
  c = of(kind::read);
  c.device = 99;
  ask(c);
  c.device = -1;
  ask(c);
  c = of(kind::read);
  c.from = new_name();
  c.bytes = 4;
  ask(c);
  take_request(-1, 0, drop_program{});
  take_request(rank_n(), 0, drop_program{});
  expect_unharmed();
}

TEST_F(Server, LaunchesThatFitNoKernelAreRefused) {
  make_program m;
  m.program = new_name();
  m.device = d.number();
  m.has_source = true;
  m.source = "AMITY_KERNEL void k(AMITY_GLOBAL int* o, int n) { o[0] = n; }";
  ask(m);
  do_command right = of(kind::launch);
  right.program = m.program;
  right.kernel = "k";
  right.values.resize(4);
  right.arguments = {{argument::memory, its, true, 0, 0}, {argument::value, 0, false, 4, 0}};
  const auto but = [&](auto change) {
    do_command c = right;
    change(c);
    ask(std::move(c));
  };
  but([](do_command& c) { c.grid.x = 0; });
  but([](do_command& c) { c.block.y = 0; });
  but([](do_command& c) { c.block = {1u << 31, 1u << 31, 1u << 31}; });
  but([](do_command& c) { c.kernel = "no such"; });
  but([](do_command& c) { c.program = 0; });
  but([](do_command& c) { c.values.clear(); });
  but([](do_command& c) { c.arguments.pop_back(); });
  but([](do_command& c) { c.arguments.push_back(c.arguments.front()); });
  but([](do_command& c) { c.arguments[1].at = ~std::uint64_t{0}; });
  but([](do_command& c) { c.arguments[1].bytes = 2; });
  but([](do_command& c) { c.arguments[1] = c.arguments[0]; });
  but([](do_command& c) { c.arguments[0] = c.arguments[1]; });
  but([](do_command& c) { c.arguments[0].buffer = 0; });
  but([](do_command& c) { c.arguments[0].is = argument::opaque; });
  but([](do_command& c) { c.arguments[0].is = static_cast<argument>(99); });
  but([](do_command& c) { c.arguments[1] = {argument::local, 0, false, ~std::uint64_t{0}, 0}; });
  but([](do_command& c) { c.shared_bytes = ~std::uint64_t{0}; });
  // What only the compiled kernel can refuse fails as it is handed over, and so does what reads the buffer meanwhile.
  const auto is_told = [&] {
    try {
      b.read().get();
    } catch (const kernel_error&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(is_told());
  while (is_told()) {
  }
  expect_unharmed();
  right.values[0] = std::byte{9};
  ask(right);
  EXPECT_EQ(b.read().get().at(0), 9);
}

}  // namespace
}  // namespace amity::accel::remote
