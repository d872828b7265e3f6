#include "amity/sys/cpus.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "amity/sys/cpu_mask.hpp"

namespace amity::sys {
namespace {

namespace fs = std::filesystem;

// A folder that stands for "/" with the files of a machine.
class fake_machine {
 public:
  fake_machine() {
    std::string name = fs::temp_directory_path() / "amity-cpus-XXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~fake_machine() { fs::remove_all(root_); }
  fake_machine(const fake_machine&) = delete;
  fake_machine& operator=(const fake_machine&) = delete;

  fake_machine& file(const std::string& path, const std::string& text) {
    fs::create_directories((root_ + path).substr(0, (root_ + path).rfind('/')));
    std::ofstream(root_ + path) << text;
    return *this;
  }
  [[nodiscard]] cpu_quota quota() const { return read_cpu_quota(root_.c_str()); }
  [[nodiscard]] const char* root() const { return root_.c_str(); }

 private:
  std::string root_;
};

const std::string v2_mount = "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n";

TEST(cut_by_quota, rounds_up_and_never_gives_less_than_one) {
  EXPECT_EQ(cut_by_quota(8, 0), 8);
  EXPECT_EQ(cut_by_quota(8, 1.0), 1);
  EXPECT_EQ(cut_by_quota(8, 1.01), 2);
  EXPECT_EQ(cut_by_quota(8, 0.1), 1);
  EXPECT_EQ(cut_by_quota(8, 3.0), 3);
  EXPECT_EQ(cut_by_quota(2, 1e12), 2);
  EXPECT_EQ(cut_by_quota(0, 0), 1);
}

TEST(cpu_max, is_quota_over_period) {
  EXPECT_DOUBLE_EQ(cgroup::parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(cgroup::parse_cpu_max("max 100000\n"), 0);
  EXPECT_EQ(cgroup::parse_cpu_max(""), 0);
  EXPECT_EQ(cgroup::parse_cpu_max("100000"), 0);
  EXPECT_EQ(cgroup::parse_cpu_max("100000 0\n"), 0);
  EXPECT_EQ(cgroup::parse_cpu_max("99999999999999999999 100000\n"), 0);
}

TEST(cpu_quota, of_version_2_is_the_smallest_of_all_ancestors) {
  fake_machine machine;
  machine.file("/proc/self/cgroup", "0::/user/job/step\n")
      .file("/proc/self/mountinfo", v2_mount)
      .file("/sys/fs/cgroup/user/job/step/cpu.max", "400000 100000\n")
      .file("/sys/fs/cgroup/user/job/cpu.max", "250000 100000\n")
      .file("/sys/fs/cgroup/user/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(machine.quota().cpus, 2.5);
  EXPECT_STREQ(machine.quota().source, "/sys/fs/cgroup/user/job/cpu.max");
}

TEST(cpu_quota, of_a_container_with_its_own_namespace_is_at_the_mount_point) {
  fake_machine machine;
  machine.file("/proc/self/cgroup", "0::/\n")
      .file("/proc/self/mountinfo", v2_mount)
      .file("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(machine.quota().cpus, 0.5);
  EXPECT_STREQ(machine.quota().source, "/sys/fs/cgroup/cpu.max");
}

TEST(cpu_quota, of_version_1_is_quota_over_period) {
  fake_machine machine;
  machine.file("/proc/self/cgroup", "9:name=systemd:/x\n4:cpu,cpuacct:/docker/abc\n3:cpuset:/docker/abc\n0::/x\n")
      .file("/proc/self/mountinfo",
            "30 23 0:27 / /proc rw - proc proc rw\n"
            "31 23 0:28 /docker/abc /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n"
            "32 23 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "120000\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "50000\n");
  EXPECT_DOUBLE_EQ(machine.quota().cpus, 2.4);
  EXPECT_STREQ(machine.quota().source, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us");
}

TEST(cpu_quota, of_version_1_minus_one_is_no_limit) {
  fake_machine machine;
  machine.file("/proc/self/cgroup", "1:cpu:/\n")
      .file("/proc/self/mountinfo", "32 23 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n")
      .file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
      .file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(machine.quota().cpus, 0);
  EXPECT_STREQ(machine.quota().source, "");
}

TEST(cpu_quota, of_a_group_named_in_another_namespace_is_that_of_the_mount_root) {
  fake_machine machine;
  machine.file("/proc/self/cgroup", "0::/docker/abc\n")
      .file("/proc/self/mountinfo", v2_mount)
      .file("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(machine.quota().cpus, 2);

  machine.file("/proc/self/cgroup", "0::/../outside\n");
  EXPECT_DOUBLE_EQ(machine.quota().cpus, 2);
}

TEST(cpu_quota, prefers_the_mount_that_shows_the_group) {
  fake_machine machine;
  machine.file("/proc/self/cgroup", "0::/a/b\n")
      .file("/proc/self/mountinfo",
            "31 23 0:28 /other /mnt/other rw - cgroup2 cgroup2 rw\n"
            "32 23 0:28 /a /mnt/with\\040blank rw shared:1 master:2 - cgroup2 cgroup2 rw\n")
      .file("/mnt/other/cpu.max", "100000 100000\n")
      .file("/mnt/with blank/b/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(machine.quota().cpus, 3);
}

TEST(cpu_quota, is_not_confused_by_a_sibling_with_the_same_prefix) {
  char line[] = "32 23 0:28 /a /mnt rw - cgroup2 cgroup2 rw";
  const cgroup::mount where = cgroup::parse_mount(line);
  EXPECT_TRUE(cgroup::shows(where, "/a/b"));
  EXPECT_TRUE(cgroup::shows(where, "/a"));
  EXPECT_FALSE(cgroup::shows(where, "/ab"));
}

TEST(cpu_quota, survives_lines_longer_than_its_buffer) {
  fake_machine machine;
  machine.file("/proc/self/cgroup", "0::/\n")
      .file("/proc/self/mountinfo",
            "30 23 0:27 / / rw - overlay overlay rw,lowerdir=" + std::string(20000, 'x') + "\n" + v2_mount)
      .file("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(machine.quota().cpus, 1);
}

TEST(cpu_quota, without_files_is_no_limit) {
  fake_machine machine;
  EXPECT_EQ(machine.quota().cpus, 0);
  machine.file("/proc/self/cgroup", "\n:\n::\n0\n").file("/proc/self/mountinfo", "\n - \n1 2 - cgroup2\n - cgroup2\n");
  EXPECT_EQ(machine.quota().cpus, 0);
}

TEST(usable_cpus, is_the_mask_cut_by_the_quota) {
  fake_machine machine;
  machine.file("/proc/self/cgroup", "0::/\n")
      .file("/proc/self/mountinfo", v2_mount)
      .file("/sys/fs/cgroup/cpu.max", "10000 100000\n");
  const cpu_budget budget = usable_cpus(machine.root());
  EXPECT_EQ(budget.usable, 1);
  EXPECT_EQ(budget.in_mask, cpu_mask::of_calling_thread().count());
  EXPECT_DOUBLE_EQ(budget.quota, 0.1);
  EXPECT_STREQ(budget.quota_source, "/sys/fs/cgroup/cpu.max");
}

TEST(usable_cpus, of_this_machine_is_between_one_and_the_mask) {
  const cpu_budget budget = usable_cpus();
  EXPECT_GE(budget.usable, 1);
  EXPECT_LE(budget.usable, budget.in_mask);
}

TEST(cpu_mask, grows_until_the_kernel_is_content) {
  const cpu_mask mask = cpu_mask::read_with([](std::size_t bytes, cpu_set_t* into) {
    if (bytes * 8 < 5000) return errno = EINVAL, -1;
    CPU_SET_S(4999, bytes, into);
    CPU_SET_S(3, bytes, into);
    return 0;
  });
  EXPECT_EQ(mask.count(), 2);
  EXPECT_EQ(mask.first(), 3);
  EXPECT_EQ(mask.next(3), 4999);
  EXPECT_EQ(mask.next(4999), -1);
}

TEST(cpu_mask, is_empty_when_the_kernel_refuses_and_leaves_errno_alone) {
  errno = 0;
  EXPECT_TRUE(cpu_mask::read_with([](std::size_t, cpu_set_t*) { return errno = EINVAL, -1; }).empty());
  EXPECT_TRUE(cpu_mask::read_with([](std::size_t, cpu_set_t*) { return errno = EPERM, -1; }).empty());
  EXPECT_EQ(errno, 0);
}

TEST(cpu_mask, formats_ranges) {
  cpu_mask mask;
  char text[64];
  EXPECT_STREQ(format_cpus(mask, text, sizeof text), "");
  for (int cpu : {0, 1, 2, 7, 9, 10}) EXPECT_TRUE(mask.add(cpu));
  EXPECT_STREQ(format_cpus(mask, text, sizeof text), "0-2,7,9-10");
  EXPECT_STREQ(format_cpus(mask, text, 9), "0-2,7...");
  EXPECT_STREQ(format_cpus(mask, text, 4), "...");
}

TEST(cpu_mask, intersects_masks_of_different_sizes) {
  cpu_mask a;
  cpu_mask b;
  for (int cpu : {1, 2, 3000}) a.add(cpu);
  for (int cpu : {2, 3}) b.add(cpu);
  a.intersect(b);
  EXPECT_EQ(a.count(), 1);
  EXPECT_TRUE(a.contains(2));
  EXPECT_FALSE(a.contains(-1));
  EXPECT_FALSE(a.contains(1 << 20));
}

}  // namespace
}  // namespace amity::sys
