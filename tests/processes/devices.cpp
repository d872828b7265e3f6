// Devices of other processes: each operation, errors in their types, handles that travel, copies between processes.
// Skipped where there is no device.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

#include "amity/accel.hpp"
#include "amity/finish/finish.hpp"
#include "check.hpp"

namespace accel = amity::accel;
using test::check;
using test::thrown;

namespace {

const char* const kernels = R"(
AMITY_KERNEL void add(AMITY_GLOBAL const int* in, AMITY_GLOBAL int* out, int n) {
  unsigned const i = AMITY_GLOBAL_ID(0);
  out[i] += in[i] + n;
}
AMITY_KERNEL void reverse(AMITY_GLOBAL int* x AMITY_SHARED_PARAMETER(int, tile)) {
  AMITY_SHARED(int, tile);
  unsigned const i = AMITY_LOCAL_ID(0), n = AMITY_LOCAL_SIZE(0);
  tile[i] = x[i];
  AMITY_BARRIER();
  x[i] = tile[n - 1 - i];
}
)";

void every_operation(const accel::device& d) {
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), 0);
  auto in = d.upload(values), out = d.allocate<int>(64);
  out.fill(100);
  auto program = d.program(accel::source(kernels));
  auto add = program.kernel<void(const int*, int*, int)>("add");
  add({.grid = 4, .block = 16}, in, out, 7);
  auto result = out.read().get();
  check(result[63] == 63 + 107 && result[0] == 107, "a kernel adds");
  program.kernel<void(int*)>("reverse")({.block = 64, .shared_bytes = 64 * sizeof(int)}, out);
  check(out.read(0, 1).get().at(0) == 170, "a kernel with local memory");
  copy(in, 0, out, 32, 32);
  check(out.read(40, 1).get().at(0) == 8, "a copy within a device");
  out.write(std::vector<int>{-1, -2}, 62);
  int last[2] = {};
  out.read(std::span<int>(last), 62).get();
  check(last[0] == -1 && last[1] == -2, "a part is written and read");
  std::vector<int> box(4);
  in.read_box({.origin = {2 * sizeof(int), 1, 0}, .row_pitch = 8 * sizeof(int)}, box.data(),
              {.row_pitch = 2 * sizeof(int)}, {2 * sizeof(int), 2, 1})
      .get();
  check(box == std::vector<int>({10, 11, 18, 19}), "a box is read");
  in.write_box({.origin = {0, 3, 0}, .row_pitch = 8 * sizeof(int)}, box.data(), {.row_pitch = 2 * sizeof(int)},
               {2 * sizeof(int), 2, 1})
      .get();
  check(in.read(32, 2).get() == std::vector<int>({18, 19}), "a box is written");
  // A thousand operations without a wait.
  out.fill(0);
  for (int i = 0; i < 1000; ++i) add({.grid = 4, .block = 16}, in, out, 0);
  check(out.read().get().at(1) == 1000, "operations keep their order");
  int const me = amity::rank_me();
  amity::finish([&] {
    out.fill(me);
    add({.grid = 4, .block = 16}, in, out, 1);
  });
  check(out.read().get().at(2) == me + 3, "a finish waits for them");
  auto again = d.program(accel::binary(program.binary().get()));
  again.kernel<void(const int*, int*, int)>("add")({.grid = 4, .block = 16}, in, out, 1).get();
  d.synchronize().get();
}

void build_with_blanks(const accel::device& d) {
  auto o = d.allocate<int>(1);
  d.program(accel::source("AMITY_KERNEL void k(AMITY_GLOBAL int* o) { o[0] = sizeof(KIND) + COUNT; }"),
            {.defines = {{"KIND", "unsigned char"}}, .options = {"-DCOUNT=1 + 1"}})
      .kernel<void(int*)>("k")({}, o);
  check(o.read().get().at(0) == 3, "a macro with a blank");
}

void errors(const accel::device& d) {
  auto b = d.upload(std::vector<int>{1, 2, 3});
  auto program = d.program(accel::source(kernels));
  check(thrown<accel::build_error>([&] { d.program(accel::source("this is not C")).build().get(); }).find(d.name()) !=
            std::string::npos,
        "a build error names the device");
  try {
    d.program(accel::source("AMITY_KERNEL void k() { nowhere; }")).build().get();
    check(false, "a program that is wrong is not built");
  } catch (const accel::build_error& e) {
    check(e.log().find("nowhere") != std::string::npos, "a build error brings the compiler's log");
  }
  check(thrown<accel::kernel_error>([&] {
          program.kernel<void(int*)>("missing")({}, b).get();
        }).find("which has add, reverse") != std::string::npos,
        "an unknown kernel is named");
  check(thrown<accel::kernel_error>([&] {
          program.kernel<void(float*, int)>("add")({}, d.allocate<float>(1), 1).get();
        }).find("takes 3 arguments") != std::string::npos,
        "a signature is compared");
  check(thrown<std::out_of_range>([&] { b.write(std::vector<int>(3), 1); }) != "nothing", "a range is checked");
  check(thrown<accel::out_of_memory>([&] { static_cast<void>(d.allocate<char>(std::size_t{1} << 50)); }) != "nothing",
        "too much memory is refused");
  check(b.read().get() == std::vector<int>({1, 2, 3}), "the device works afterwards");
}

// What users get wrong is refused here and there, in words.
void misuse(const accel::device& d) {
  auto b = d.upload(std::vector<int>{1, 2, 3, 4});
  std::vector<int> host(4);
  std::size_t const far = std::size_t{1} << 63;
  check(thrown<std::out_of_range>([&] {
          b.read_box({.origin = {0, far, 0}, .row_pitch = 2}, host.data(), {.row_pitch = 2}, {2, 1, 1}).get();
        }).find("beyond all memory") != std::string::npos,
        "a box beyond all memory");
  check(thrown<accel::empty_handle>([&] { accel::buffer<int>().read().get(); }).find("stands for nothing") !=
            std::string::npos,
        "a buffer of nothing");
  check(amity::rpc(
            d.rank(), [](accel::buffer<int> none) { return none.size(); }, accel::buffer<int>())
                .get() == 0,
        "a buffer of nothing travels");
  build_with_blanks(d);
  auto one = amity::async([] { return 1; });
  auto add = d.program(accel::source(kernels)).kernel<void(const int*, int*, int)>("add");
  auto out = d.upload(std::vector<int>(4, 0));
  add({.block = 4}, b, out, std::move(one));
  check(out.read().get() == std::vector<int>({2, 3, 4, 5}), "an argument that is a future");
  check(!thrown<std::invalid_argument>([&] { add({.grid = {1, 0}}, b, out, 1); }).empty(), "a grid of nothing");
  if (d.backend() != "opencl") return;
  auto p =
      d.program(accel::source("__kernel void k(__global int* o, __local int* t) { t[0] = 1; o[0] = t[0]; }\n"
                              "__kernel void image(read_only image2d_t i, __global int* o) { o[0] = 1; }"));
  check(thrown<std::invalid_argument>([&] {
          p.kernel<void(int*, accel::local<int>)>("k")({}, b, accel::local<int>{std::size_t{1} << 40}).get();
        }).find("local memory") != std::string::npos,
        "more local memory than there is");
  check(thrown<accel::kernel_error>([&] {
          p.kernel<void(int*, int*)>("image")({}, b, b).get();
        }).find("no launch can give") != std::string::npos,
        "an image");
  check(b.read().get() == std::vector<int>({1, 2, 3, 4}), "the device works afterwards");
}

// Rank 0 makes buffers on the devices of all, and hands them round.
void handles(const std::vector<accel::device>& devices) {
  int const me = amity::rank_me(), n = amity::rank_n();
  for (const accel::device& d : devices) {
    auto b = d.upload(std::vector<int>(8, 10 * me + d.rank()));
    for (int to = 0; to < n; ++to) {
      int const found = amity::rpc(
                            to, [](accel::buffer<int> there) { return there.read().get().at(7); }, b)
                            .get();
      check(found == 10 * me + d.rank(), "a handle means the same memory in process " + std::to_string(to));
      auto back = amity::rpc(
                      to,
                      [](accel::device on) {
                        auto made = on.allocate<int>(4);
                        made.fill(5);
                        made.ready().get();
                        return made;
                      },
                      d)
                      .get();
      check(back.device() == d && back.read().get() == std::vector<int>(4, 5), "a handle comes back");
      amity::rpc(
          to, [](accel::buffer<int> there, int value) { there.fill(value).get(); }, b, 100 + to)
          .get();
      check(b.read().get().at(0) == 100 + to, "what another process writes is seen");
      b.fill(10 * me + d.rank());
    }
  }
}

void copies(const std::vector<accel::device>& devices) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), amity::rank_me());
  auto b = devices.front().upload(values);
  for (const accel::device& d : devices) {  // from one to the next, round all of them
    auto next = d.allocate<int>(1000);
    copy(b, next);
    b = next;
  }
  check(b.read().get() == values, "copies go from process to process");
}

// Between two others, whatever comes before and after.
void copies_between_others(const std::vector<accel::device>& devices) {
  for (const accel::device& a : devices)
    for (const accel::device& b : devices) {
      auto program = a.program(accel::source(kernels));
      auto add = program.kernel<void(const int*, int*, int)>("add");
      auto one = a.upload(std::vector<int>(16, 1)), from = a.upload(std::vector<int>(16, 0));
      auto to = b.upload(std::vector<int>(32, -1));
      int expected = 0;
      for (int round = 1; round <= 5; ++round) {
        add({.block = 16}, one, from, round);  // 1 + round more
        expected += 1 + round;
        copy(from, 4, to, 8, 8);
        from.fill(expected);  // after the copy
        to.fill(round, 0, 1);
      }
      auto const values = to.read().get();
      // Its source is poisoned by a kernel that there is not: the copy fails with that, in its type.
      auto bad = a.allocate<int>(4);
      static_cast<void>(program.kernel<void(int*)>("no such")({}, bad));
      std::string const words = thrown<accel::kernel_error>([&] { copy(bad, 0, to, 0, 4).get(); });
      check(words.starts_with("there is no kernel 'no such'"), "a copy fails as its source did: " + words);
      check(values[8] == expected && values[15] == expected && values[7] == -1 && values[16] == -1 && values[0] == 5,
            "a copy between two devices of others: " + std::to_string(values[8]));
    }
}

// What a program includes goes with it.
void includes(const accel::device& d) {
  auto const folder = std::filesystem::temp_directory_path() / ("amity-devices-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "more.h") << "#define MORE " << 40 + amity::rank_me() << "\n";
  std::ofstream(folder / "k.cl") << "#include \"more.h\"\nAMITY_KERNEL void k(AMITY_GLOBAL int* x) { x[0] = MORE; }\n";
  auto x = d.allocate<int>(1);
  auto k = d.program(accel::file((folder / "k.cl").string())).kernel<void(int*)>("k");
  std::filesystem::remove_all(folder);
  k({}, x);
  check(x.read().get().at(0) == 40 + amity::rank_me(), "a program includes a file of its process");
}

void parts(const accel::device& d) {
  check(thrown<accel::device_error>([&] { static_cast<void>(d.split(1'000'000)); }).find("can't be divided") !=
            std::string::npos,
        "a device has not so many parts");
  if (d.compute_units() < 2) return;
  std::vector<accel::device> all;
  try {
    all = d.split(1);
  } catch (const accel::device_error&) {
    return;  // it has no parts, and says so
  }
  check(all.size() > 1 && all[0].rank() == d.rank() && all[0].compute_units() == 1, "a device of a process is divided");
  auto in = all[0].upload(std::vector<int>(16, 5)), out = all[1].upload(std::vector<int>(16, 0));
  auto there = all[1].allocate<int>(16);
  copy(in, there);
  all[1].program(accel::source(kernels)).kernel<void(const int*, int*, int)>("add")({.block = 16}, there, out, 1);
  check(out.read().get().at(15) == 6, "a part computes");
  int const next = (d.rank() + 1) % amity::rank_n();
  int const seen = amity::rpc(
                       next,
                       [](accel::buffer<int> b, accel::device part) {
                         check(b.device() == part && part.number() > 0, "a part's buffer knows its device");
                         return b.read().get().at(0);
                       },
                       out, all[1])
                       .get();
  check(seen == 6, "a part's buffer travels");
}

}  // namespace

int main() {
  auto const devices = accel::devices().get();
  int const here = static_cast<int>(accel::local_devices().get().size());
  if (devices.empty()) {
    std::printf("skipped: %s\n", accel::status().c_str());
    return 77;
  }
  check(static_cast<int>(devices.size()) == here * amity::rank_n(), "the devices of all processes are listed");
  check(devices.front().rank() == amity::rank_me(), "those of this process come first");
  for (const accel::device& d : devices) {
    every_operation(d);
    includes(d);
    parts(d);
    errors(d);
    misuse(d);
  }
  handles(devices);
  copies(devices);
  copies_between_others(devices);
  return test::end();
}
