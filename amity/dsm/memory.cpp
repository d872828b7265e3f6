#include "amity/dsm/memory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "amity/dsm/words.hpp"
#include "amity/sys/raw_syscall.hpp"

#ifndef UFFDIO_CONTINUE_MODE_WP  // Linux 6.4; these headers may be older
#define UFFDIO_CONTINUE_MODE_WP (std::uint64_t{1} << 1)
#endif
#ifndef USERFAULTFD_IOC_NEW  // Linux 6.1
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif

namespace amity::dsm {
namespace {

constexpr std::uint64_t needed = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_MISSING_SHMEM |
                                 UFFD_FEATURE_MINOR_SHMEM | UFFD_FEATURE_WP_HUGETLBFS_SHMEM | UFFD_FEATURE_THREAD_ID;

// Where the process may not call userfaultfd(2) for faults of the kernel's own, too, the device may let it.
int open_faults() noexcept {
  long const fd = sys::raw_syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) return static_cast<int>(fd);
  long const device =
      sys::raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/dev/userfaultfd"), O_RDWR | O_CLOEXEC);
  if (device < 0) return static_cast<int>(fd);
  long const by_device = sys::raw_syscall(SYS_ioctl, device, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
  sys::raw_syscall(SYS_close, device);
  return static_cast<int>(by_device);
}

// Null: `fd` has what is needed.
const char* shake_hands(int fd, bool to_the_byte = false) noexcept {
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = needed | (to_the_byte ? UFFD_FEATURE_EXACT_ADDRESS : 0);
  if (ioctl(fd, UFFDIO_API, &api) == 0) return nullptr;
  return "this kernel's userfaultfd(2) lacks what pages need. Linux 5.19 has it, built with "
         "CONFIG_HAVE_ARCH_USERFAULTFD_WP and _MINOR";
}

// A mode that the kernel doesn't know is EINVAL, and one that it knows gets as far as to a page that is none of ours.
bool knows_mapping_for_reading(int fd) noexcept {
  alignas(page_size) static char none_of_ours[page_size];
  uffdio_continue c{};
  c.range = {reinterpret_cast<std::uint64_t>(none_of_ours), page_size};
  c.mode = UFFDIO_CONTINUE_MODE_WP;
  return ioctl(fd, UFFDIO_CONTINUE, &c) != 0 && errno != EINVAL;
}

void* map(std::uintptr_t at, std::size_t bytes, int access, int how, int file, std::size_t offset) noexcept {
  long const got = sys::raw_syscall(SYS_mmap, static_cast<long>(at), static_cast<long>(bytes), access, how, file,
                                    static_cast<long>(offset));
  if (got < 0 && got > -4096) {
    errno = static_cast<int>(-got);
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(got);
}

}  // namespace

const char* why_no_faults() noexcept {
  int const fd = open_faults();
  if (fd < 0)
    return "this process may not handle its own page faults (userfaultfd(2)). Cures: run as root, or with the "
           "capability CAP_SYS_PTRACE, or set vm.unprivileged_userfaultfd=1 by sysctl(8), or give access to "
           "/dev/userfaultfd. AMITY_NODES_MEMORY=shared needs none of this, on one machine";
  const char* const why = shake_hands(fd);
  ::close(fd);
  return why;
}

int descriptor_out_of_the_way(int descriptor) noexcept {
  constexpr int high = 512;
  if (descriptor < 0) return descriptor;
  int const moved = fcntl(descriptor, F_DUPFD_CLOEXEC, high);
  if (moved < 0) return descriptor;  // a limit (ulimit -n)
  ::close(descriptor);
  return moved;
}

void memory::make(std::size_t bytes) noexcept {
  size_ = bytes;
  file_ = descriptor_out_of_the_way(memfd_create("amity-pages", MFD_CLOEXEC));
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes)) != 0)
    end_process("%zu GiB for pages can't be had: %s", bytes >> 30, strerror(errno));
  void* const at = map(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (at == MAP_FAILED)
    end_process("%zu GiB of address space for pages can't be had: %s. A limit (ulimit -v) must leave so much",
                bytes >> 30, strerror(errno));
  contents_ = static_cast<std::byte*>(at);
  madvise(at, bytes, MADV_DONTDUMP);
  madvise(at, bytes, MADV_NOHUGEPAGE);
}

void memory::add(page_range r, int own) noexcept {
  own_ = own;
  if (range_count_ == most_ranges) end_process("more than %d ranges of shared memory", most_ranges);
  r.first_page = next_page_;
  std::size_t const offset = std::size_t{r.first_page} * page_size;
  if (offset + r.bytes > size_) end_process("%zu bytes more of shared memory can't be had", r.bytes);
  if (r.replaces && r.home == own) memcpy(contents_ + offset, reinterpret_cast<const void*>(r.from), r.bytes);
  void* const at = map(r.from, r.bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE | (r.replaces ? MAP_FIXED : MAP_FIXED_NOREPLACE), file_, offset);
  if (at != reinterpret_cast<void*>(r.from))
    end_process("%zu bytes of memory at %#zx can't be mapped: %s", r.bytes, r.from,
                at == MAP_FAILED ? strerror(errno) : "they are in use");
  madvise(at, r.bytes, MADV_NOHUGEPAGE);
  // Contents that are here from the start: without this, the first use of each page would be a fault.
  if (r.replaces && r.home == own) {
    madvise(at, r.bytes, MADV_POPULATE_WRITE);
  } else {
    madvise(at, r.bytes, MADV_DONTDUMP);  // a core file would have all of it, and to write it would touch it all
  }
  int i = range_count_++;
  by_page_[i] = r;
  for (; i > 0 && by_page_[by_address_[i - 1]].from > r.from; --i) by_address_[i] = by_address_[i - 1];
  by_address_[i] = static_cast<std::uint16_t>(range_count_ - 1);
  next_page_ += static_cast<std::uint32_t>(r.bytes / page_size);
}

void memory::begin_faults(bool to_the_byte) noexcept {
  faults_ = descriptor_out_of_the_way(open_faults());
  if (faults_ < 0) end_process("%s", why_no_faults());
  if (const char* const why = shake_hands(faults_, to_the_byte); why != nullptr) end_process("%s", why);
  maps_for_reading_ = knows_mapping_for_reading(faults_);
  for (int i = 0; i < range_count_; ++i) {
    const page_range& r = by_page_[i];
    uffdio_register all{};
    all.range = {r.from, r.bytes};
    // The first touch of an own page is no fault of ours: the kernel fills it with zeros, and that is right.
    all.mode = UFFDIO_REGISTER_MODE_MINOR | UFFDIO_REGISTER_MODE_WP;
    if (r.home != own_) all.mode |= UFFDIO_REGISTER_MODE_MISSING;
    if (ioctl(faults_, UFFDIO_REGISTER, &all) != 0)
      end_process("page faults of %zu bytes at %#zx can't be handled: %s", r.bytes, r.from, strerror(errno));
  }
}

const page_range& memory::range_of(std::uint32_t page) const noexcept {
  int from = 0, to = range_count_;
  while (to - from > 1) {
    int const middle = from + (to - from) / 2;
    (by_page_[middle].first_page <= page ? from : to) = middle;
  }
  return by_page_[from];
}

memory::found memory::find(std::uintptr_t address) const noexcept {
  int from = 0, to = range_count_;
  while (to - from > 1) {
    int const middle = from + (to - from) / 2;
    (by_page_[by_address_[middle]].from <= address ? from : to) = middle;
  }
  const page_range& r = by_page_[by_address_[from]];
  if (range_count_ == 0 || address - r.from >= r.bytes) return {};
  auto const before = static_cast<std::uint32_t>((address - r.from) / page_size);
  return {true, r.first_page + before, r.home, static_cast<std::uint32_t>(r.bytes / page_size) - before};
}

std::uintptr_t memory::address_of(std::uint32_t page) const noexcept {
  const page_range& r = range_of(page);
  return r.from + std::size_t{page - r.first_page} * page_size;
}

// --- by the pager alone

namespace {

long control(int fd, unsigned long what, void* with) noexcept {
  return sys::raw_syscall(SYS_ioctl, fd, static_cast<long>(what), reinterpret_cast<long>(with));
}

// The page is in the file from here on, so that the next use of it is a fault of ours (a minor one), and not the
// kernel's to fill with zeros.
void be_there(const std::byte* contents) noexcept {
  auto const* const first = reinterpret_cast<const volatile std::byte*>(contents);
  static_cast<void>(*first);
}

}  // namespace

void memory::protect(std::uint32_t page, bool from_writing) noexcept {
  uffdio_writeprotect p{};
  p.range = {address_of(page), page_size};
  p.mode = from_writing ? UFFDIO_WRITEPROTECT_MODE_WP : 0;
  for (;;) {
    long const result = control(faults_, UFFDIO_WRITEPROTECT, &p);
    if (result == 0) return;
    if (result != -EAGAIN) end_process("a page can't be protected: %s", strerror(static_cast<int>(-result)));
  }
}

void memory::empty(std::uint32_t first, std::uint32_t end) noexcept {
  auto* const at = contents(first);
  std::size_t const bytes = (end - first) * page_size;
  if (sys::raw_syscall(SYS_madvise, reinterpret_cast<long>(at), static_cast<long>(bytes), MADV_REMOVE) != 0)
    memset(at, 0, bytes);  // it is locked in memory
}

void memory::open(std::uint32_t page, access to) noexcept {
  bool const for_reading = to == access::read;
  be_there(contents(page));
  uffdio_continue c{};
  c.range = {address_of(page), page_size};
  c.mode = for_reading ? UFFDIO_CONTINUE_MODE_WP : 0;
  long result;
  do {
    c.mapped = 0;
    result = control(faults_, UFFDIO_CONTINUE, &c);
  } while (result == -EAGAIN);
  if (result == 0) {
    // Where the page was closed while it was protected, the mark of that has stayed, and the mapping has it again.
    if (!for_reading) protect(page, false);
    return;
  }
  if (result != -EEXIST) end_process("a page can't be opened: %s", strerror(static_cast<int>(-result)));
  // It is mapped: only what may be done with it changes.
  protect(page, for_reading);
  uffdio_range all{address_of(page), page_size};
  control(faults_, UFFDIO_WAKE, &all);
}

void memory::close(std::uint32_t page, access to) noexcept {
  be_there(contents(page));
  if (to == access::read) {
    protect(page, true);
    return;
  }
  long const result = sys::raw_syscall(SYS_madvise, static_cast<long>(address_of(page)), page_size, MADV_DONTNEED);
  if (result != 0) end_process("a page can't be closed: %s", strerror(static_cast<int>(-result)));
}

}  // namespace amity::dsm
