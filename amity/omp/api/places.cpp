// omp_*: places and binding.
#include "amity/omp/api/fortran.hpp"
#include "amity/omp/rt/placement.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"

using namespace amity::omp;
using namespace amity::omp::fortran;

namespace {

const amity::sys::cpu_mask* place(int number) noexcept {
  const amity::sys::cpu_mask_list& places = environment().places;
  return number < 0 || static_cast<std::size_t>(number) >= places.size() ? nullptr
                                                                         : &places[static_cast<std::size_t>(number)];
}

template <class Int>
void list_cpus(int number, Int* ids) noexcept {
  const amity::sys::cpu_mask* p = place(number);
  if (p == nullptr) return;
  for (int cpu = p->first(); cpu >= 0; cpu = p->next(cpu)) *ids++ = cpu;
}

// A thread that asks for its place stays there from then on.
thread& settled() noexcept {
  thread& t = this_thread();
  settle(t);
  return t;
}

template <class Int>
void list_partition(Int* numbers) noexcept {
  const thread_place& mine = settled().place;
  for (int i = 0; i < mine.count; ++i) *numbers++ = static_cast<Int>(mine.first + i);
}

}  // namespace

extern "C" {

int omp_get_proc_bind() { return static_cast<int>(icvs(this_thread()).bind); }
int4 omp_get_proc_bind_() { return omp_get_proc_bind(); }

int omp_get_num_places() { return static_cast<int>(environment().places.size()); }
int4 omp_get_num_places_() { return omp_get_num_places(); }

int omp_get_place_num_procs(int number) {
  const amity::sys::cpu_mask* p = place(number);
  return p == nullptr ? 0 : p->count();
}
int4 omp_get_place_num_procs_(const int4* number) { return omp_get_place_num_procs(*number); }
int4 omp_get_place_num_procs_8_(const int8* number) { return omp_get_place_num_procs(narrow(number)); }

void omp_get_place_proc_ids(int number, int* ids) { list_cpus(number, ids); }
void omp_get_place_proc_ids_(const int4* number, int4* ids) { list_cpus(*number, ids); }
void omp_get_place_proc_ids_8_(const int8* number, int8* ids) { list_cpus(narrow(number), ids); }

int omp_get_place_num() { return settled().place.number; }
int4 omp_get_place_num_() { return omp_get_place_num(); }

int omp_get_partition_num_places() { return this_thread().place.count; }
int4 omp_get_partition_num_places_() { return omp_get_partition_num_places(); }

void omp_get_partition_place_nums(int* numbers) { list_partition(numbers); }
void omp_get_partition_place_nums_(int4* numbers) { list_partition(numbers); }
void omp_get_partition_place_nums_8_(int8* numbers) { list_partition(numbers); }

}  // extern "C"
