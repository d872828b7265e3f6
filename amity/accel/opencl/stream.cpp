/// A stream is a queue of OpenCL's that runs its commands in order; a mark is the event of a command.

#include <mutex>
#include <utility>

#include "amity/accel/opencl/objects.hpp"
#include "amity/sched/tasks/observed.hpp"
#include "amity/sys/clock.hpp"

namespace amity::accel::opencl {
namespace {

cl_mem handle_of(detail::native_memory* m) noexcept { return static_cast<memory*>(m)->its; }

class stream final : public detail::native_stream {
 public:
  stream(cl_command_queue q, const device& d) noexcept : queue_(q), handles_{q, d.context, d.id} {}

  detail::mark enqueue(const detail::command& c, std::span<const detail::mark> after) override {
    cl_event made = nullptr;
    wait_list const w{static_cast<cl_uint>(after.size()),
                      after.empty() ? nullptr : reinterpret_cast<const cl_event*>(after.data())};
    using kind = detail::command::kind;
    switch (c.is) {
      case kind::write:
        check(cl().EnqueueWriteBuffer(queue_, handle_of(c.to), CL_FALSE, c.to_offset, c.bytes, c.host_from, w.n, w.all,
                                      &made),
              "clEnqueueWriteBuffer");
        break;
      case kind::read:
        check(cl().EnqueueReadBuffer(queue_, handle_of(c.from), CL_FALSE, c.from_offset, c.bytes, c.host_to, w.n, w.all,
                                     &made),
              "clEnqueueReadBuffer");
        break;
      case kind::copy:
        check(cl().EnqueueCopyBuffer(queue_, handle_of(c.from), handle_of(c.to), c.from_offset, c.to_offset, c.bytes,
                                     w.n, w.all, &made),
              "clEnqueueCopyBuffer");
        break;
      case kind::fill:
        check(cl().EnqueueFillBuffer(queue_, handle_of(c.to), c.host_from, c.pattern_bytes, c.to_offset, c.bytes, w.n,
                                     w.all, &made),
              "clEnqueueFillBuffer");
        break;
      case kind::write_box:
        check(cl().EnqueueWriteBufferRect(queue_, handle_of(c.to), CL_FALSE, c.to_box.origin, c.from_box.origin,
                                          c.region, c.to_box.row_pitch, c.to_box.slice_pitch, c.from_box.row_pitch,
                                          c.from_box.slice_pitch, c.host_from, w.n, w.all, &made),
              "clEnqueueWriteBufferRect");
        break;
      case kind::read_box:
        check(cl().EnqueueReadBufferRect(queue_, handle_of(c.from), CL_FALSE, c.from_box.origin, c.to_box.origin,
                                         c.region, c.from_box.row_pitch, c.from_box.slice_pitch, c.to_box.row_pitch,
                                         c.to_box.slice_pitch, c.host_to, w.n, w.all, &made),
              "clEnqueueReadBufferRect");
        break;
      case kind::copy_box:
        check(cl().EnqueueCopyBufferRect(queue_, handle_of(c.from), handle_of(c.to), c.from_box.origin, c.to_box.origin,
                                         c.region, c.from_box.row_pitch, c.from_box.slice_pitch, c.to_box.row_pitch,
                                         c.to_box.slice_pitch, w.n, w.all, &made),
              "clEnqueueCopyBufferRect");
        break;
      case kind::launch:
        launch(c, w, made);
        break;
      case kind::foreign:
        hand_over_foreign(c, w, made);
        break;
      case kind::nothing:
        check(cl().EnqueueMarkerWithWaitList(queue_, w.n, w.all, &made), "clEnqueueMarkerWithWaitList");
        break;
    }
    return made;
  }

  void flush() noexcept override { cl().Flush(queue_); }

  detail::mark_state look(detail::mark m, int& code) noexcept override {
    int status = CL_QUEUED;
    int const error = cl().GetEventInfo(event(m), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    code = error != CL_SUCCESS ? error : status;
    if (code < 0) return detail::mark_state::failed;
    return code == CL_COMPLETE ? detail::mark_state::done : detail::mark_state::runs;
  }

  // Where the driver takes none, the watchdog sees the end.
  void announce(detail::mark m) noexcept override {
    cl().SetEventCallback(
        event(m), CL_COMPLETE, [](cl_event, cl_int, void*) { detail::announce_end(); }, nullptr);
  }

  void release(detail::mark m) noexcept override { cl().ReleaseEvent(event(m)); }

  std::string words_of(detail::mark, int code) const override { return words_of_error(code); }

  // The driver notes when it is called, by the device's clock; we note it by the host's. The two are one moment, up to
  // the time that the call takes.
  bool times_of(detail::mark m, std::uint64_t handed_over_at, detail::device_times& times) noexcept override {
    cl_ulong queued = 0, begin = 0, end = 0;
    for (auto const& [what, into] :
         {std::pair{CL_PROFILING_COMMAND_QUEUED, &queued}, std::pair{CL_PROFILING_COMMAND_START, &begin},
          std::pair{CL_PROFILING_COMMAND_END, &end}})
      if (cl().GetEventProfilingInfo(event(m), static_cast<cl_profiling_info>(what), sizeof *into, into, nullptr) !=
          CL_SUCCESS)
        return false;
    if (queued > begin || begin > end) return false;
    times = {handed_over_at + ticks_of(begin - queued), handed_over_at + ticks_of(end - queued)};
    return true;
  }

 private:
  struct wait_list {
    cl_uint n;
    const cl_event* all;
  };

  static std::uint64_t ticks_of(std::uint64_t ns) noexcept { return ns * sys::ticks_per_microsecond / 1000; }
  static cl_event event(detail::mark m) noexcept { return static_cast<cl_event>(m); }

  // The queue runs its commands in order: the other library's come between two markers.
  void hand_over_foreign(const detail::command& c, const wait_list& w, cl_event& made) {
    if (w.n != 0) {
      cl_event others_are_over = nullptr;
      check(cl().EnqueueMarkerWithWaitList(queue_, w.n, w.all, &others_are_over), "clEnqueueMarkerWithWaitList");
      cl().ReleaseEvent(others_are_over);
    }
    (*c.hand_over)(handles_);
    check(cl().EnqueueMarkerWithWaitList(queue_, 0, nullptr, &made), "clEnqueueMarkerWithWaitList");
  }

  void launch(const detail::command& c, const wait_list& w, cl_event& made) {
    cl_kernel const k = static_cast<kernel*>(c.kernel)->handle;
    cl_uint number = 0;
    for (const detail::argument& a : c.arguments) {
      int error = 0;
      if (a.is == detail::parameter::kind::memory) {
        cl_mem const m = handle_of(a.memory);
        error = cl().SetKernelArg(k, number, sizeof m, &m);
      } else {
        bool const is_value = a.is == detail::parameter::kind::value;
        error = cl().SetKernelArg(k, number, a.bytes, is_value ? c.values + a.at : nullptr);
      }
      if (error == CL_INVALID_ARG_SIZE || error == CL_INVALID_ARG_VALUE || error == CL_INVALID_SAMPLER)
        throw kernel_error("parameter " + std::to_string(number) + " of a kernel is none that takes the " +
                               std::to_string(a.bytes) + " bytes that a launch gives: " + words_of_error(error),
                           error);
      if (error != CL_SUCCESS) check(error, ("argument " + std::to_string(number) + " of a kernel").c_str());
      ++number;
    }
    std::size_t const block[3] = {c.block.x, c.block.y, c.block.z};
    std::size_t const all[3] = {block[0] * c.grid.x, block[1] * c.grid.y, block[2] * c.grid.z};
    cl_uint const dimensions = all[2] != 1 ? 3 : all[1] != 1 ? 2 : 1;
    check(cl().EnqueueNDRangeKernel(queue_, k, dimensions, nullptr, all, block, w.n, w.all, &made),
          "clEnqueueNDRangeKernel");
  }

  cl_command_queue queue_;
  detail::native_handles handles_;
};

}  // namespace

std::unique_ptr<detail::native_stream> device::open_stream() {
  int error = 0;
  cl_queue_properties const with_times[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_command_queue q = nullptr;
  if (sched::tasks_are_observed()) q = cl().CreateCommandQueueWithProperties(context, id, with_times, &error);
  if (q == nullptr) q = cl().CreateCommandQueueWithProperties(context, id, nullptr, &error);
  check(error, ("a queue of " + facts_.name).c_str());
  return std::make_unique<stream>(q, *this);
}

}  // namespace amity::accel::opencl
