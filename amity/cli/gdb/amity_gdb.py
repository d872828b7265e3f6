"""Amity for gdb 13 and newer: the threads and tasks of a process that have no OS thread at the moment, also in a core file.

    info amity                       what there is, with numbers
    amity bt 3 [OPTIONS]             the stack of number 3; OPTIONS are backtrace's, such as -full or 5
    amity apply all bt               the same of all; also: amity apply 1 4 info locals
    amity select 3                   bt, up, frame, print and others look at number 3 from here on
    amity select none                at the thread again

gdb knows registers of OS threads. Those of a fiber that waits lie on its stack, where the context switch has saved them
(amity/sys/context_x86_64.S); a table in libamity.so says where its stack is (amity/sched/monitor/report_table.hpp). An
unwinder makes gdb believe that the innermost frame of the selected thread was called from there: nothing is written to
the process, so a core file will do.
"""

import os
import re
import struct

import gdb
import gdb.printing
import gdb.unwinder

KINDS = ("", "something", "a mutex", "a condition variable", "a semaphore", "a latch", "an event", "a barrier", "a shared_mutex",
         "a once_flag", "a channel", "a future", "the end of a finish", "a phaser", "the clock", "tasks")  # as cli/dump.cpp
GUEST = 1  # carrier_kind::guest
TABLE = struct.Struct("<8sIIQQQ19I4x")
TABLE_WORDS = ("fiber_next fiber_sp fiber_native fiber_claimed fiber_place fiber_identity fiber_kind fiber_object fiber_where "
               "fiber_since carrier_kind carrier_thread_id carrier_running carrier_wait_frame carrier_slot carrier_asleep "
               "group_ready context_frame context_return").split()
FAILURES = gdb.error, gdb.MemoryError, gdb.GdbError  # of what is read of one fiber
MOST_FIBERS = 1_000_000  # a damaged list may have no end


def number_at(address, size=8):
    return int.from_bytes(gdb.selected_inferior().read_memory(address, size).tobytes(), "little")


def read_threads(address):
    """report_threads: where the number of an OpenMP thread is; None: there are none."""
    layout = struct.Struct("<qIIII")
    fields = layout.unpack(gdb.selected_inferior().read_memory(address, layout.size).tobytes())
    return fields if fields[0] != 0 else None


def read_table():
    """The offsets by their names, and `first`."""
    if not gdb.selected_inferior().threads():
        raise gdb.GdbError("there is no process, and no core file: start or name one first")
    try:
        address = int(gdb.parse_and_eval("(unsigned long)&amity_report_table"))
    except gdb.error:
        raise gdb.GdbError("this process has no libamity.so, or its symbols are not known yet") from None
    fields = TABLE.unpack(gdb.selected_inferior().read_memory(address, TABLE.size).tobytes())
    if fields[0] != b"amity-r2" or fields[1] != TABLE.size:
        raise gdb.GdbError("the libamity.so of this process is of another version than this script")
    return dict(zip(TABLE_WORDS, fields[6:]), first=fields[3], threads=read_threads(fields[5]))


class Fiber:
    """A thread of the program's own (a guest), or what runs threads of OpenMP and tasks."""

    def __init__(self, address, table):
        self.address, self.number = address, 0
        word = lambda name, base=address: number_at(base + table[name])
        native = word("fiber_native")
        self.is_guest = number_at(native + table["carrier_kind"], 1) == GUEST
        self.thread_id = number_at(native + table["carrier_thread_id"], 4)
        self.carries = word("carrier_running", native)  # the fiber that the OS thread of this one runs
        self.runs = self.carries == address if self.is_guest else number_at(address + table["fiber_claimed"], 4) != 0
        self.rests = self.thread_id == 0 if self.is_guest else word("fiber_place") == 0
        kind = number_at(address + table["fiber_kind"], 1)
        self.kind = KINDS[kind] if kind < len(KINDS) else KINDS[1]
        self.object = word("fiber_object")
        self.where = word("fiber_where")
        self.openmp = self._openmp(word, table["threads"])
        self.registers = {} if self.runs or self.rests else self._saved(word, native)

    @staticmethod
    def _openmp(word, layout):
        """", OpenMP thread 1 of 4", if it is one."""
        identity = word("fiber_identity")
        if layout is None or identity == 0:
            return ""
        variable, number, team, size, level = layout
        thread = number_at(identity + variable)
        its_team = number_at(thread + team) if thread != 0 else 0
        if its_team == 0:
            return ""
        words = f", OpenMP thread {number_at(thread + number, 4)} of {number_at(its_team + size, 4)}"
        return words + (" of an inner team," if number_at(its_team + level, 4) > 1 else ",")

    def _saved(self, word, native):
        """Of where it waits. A guest's OS thread runs others meanwhile, on a loop above the guest's frames: of its registers
        those that the frame beneath the loop keeps are known, and unwinding needs no others."""
        if self.is_guest:
            frame = word("carrier_wait_frame", native)
            return {} if frame == 0 else {"rip": number_at(frame + 8), "rsp": frame + 16, "rbp": number_at(frame)}
        sp = word("fiber_sp")
        if sp == 0:
            return {}
        names = ("r15", "r14", "r13", "r12", "rbx", "rbp", "rip")  # from sp + 8 on
        return {name: number_at(sp + 8 * i) for i, name in enumerate(names, 1)} | {"rsp": sp + 64}

    @property
    def is_idle(self):
        """Nobody has given it anything to do."""
        nothing = not self.runs and self.kind == "" and self.where == 0
        return self.rests or (nothing and not self.is_guest) or (not self.runs and self.kind == "tasks")

    @property
    def name(self):
        return f"thread {self.thread_id}" if self.is_guest else f"fiber {self.address:#x}"


def all_fibers():
    """By number: the oldest is 1."""
    table = read_table()
    if gdb.selected_inferior().architecture().name() != "i386:x86-64":
        raise gdb.GdbError("Amity's fibers can be looked at on x86-64 only")
    fibers, at = [], number_at(table["first"])
    while at != 0 and len(fibers) < MOST_FIBERS:
        fibers.append(Fiber(at, table))
        at = number_at(at + table["fiber_next"])
    fibers.reverse()
    for number, fiber in enumerate(fibers, 1):
        fiber.number = number
    return fibers


def thread_that_carries(fiber, fibers):
    """gdb's thread on which it runs, or None."""
    carrier = fiber if fiber.is_guest else next((each for each in fibers if each.carries == fiber.address), None)
    if carrier is None:
        return None
    return next((each for each in gdb.selected_inferior().threads() if each.ptid[1] == carrier.thread_id), None)


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class FiberUnwinder(gdb.unwinder.Unwinder):
    """While `registers` are set: what has called the innermost frame of the thread that was selected then."""

    def __init__(self):
        super().__init__("amity-fibers")
        self.registers = None
        self.innermost = None

    def __call__(self, pending):
        if self.registers is None:
            return None
        sp, pc = pending.read_register("rsp"), pending.read_register("rip")
        if (int(sp), int(pc)) != self.innermost:
            return None
        info = pending.create_unwind_info(FrameId(sp, pc))
        for name, value in self.registers.items():
            info.add_saved_register(name, gdb.Value(value).cast(pending.architecture().integer_type(64, False)))
        return info

    def look_at(self, fiber):
        """None: at the thread itself. The frame of the fiber's that waits is selected."""
        self.registers = None
        gdb.invalidate_cached_frames()
        if fiber is None:
            return
        top = gdb.newest_frame()
        self.innermost = (int(top.read_register("rsp")), int(top.read_register("rip")))
        self.registers = fiber.registers
        gdb.invalidate_cached_frames()
        first_frame().select()


unwinder = FiberUnwinder()
gdb.unwinder.register_unwinder(None, unwinder, replace=True)


def first_frame():
    """The innermost frame of the fiber that is looked at. Before it are the thread's own: one, and those inlined in it."""
    frame = gdb.newest_frame()
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    frame = frame.older()
    if frame is None:
        raise gdb.GdbError("its stack can't be unwound")
    return frame


def backtrace(options):
    """bt of the fiber that is looked at: the thread's own frames go, the others are numbered from 0 on."""
    first = first_frame().level()
    count = re.fullmatch(r"(.*?)(?<!\S)(\d+)\s*", options)
    if count is not None:
        options = f"{count[1]} {int(count[2]) + first}"
    lines = gdb.execute(f"backtrace {options}", to_string=True).splitlines()
    shown = []
    for line in lines:
        frame = re.match(r"#(\d+) +", line)
        if frame is None:
            if shown:
                shown.append(line)
        elif int(frame[1]) >= first:
            shown.append(f"#{int(frame[1]) - first:<3}{line[frame.end():]}")
    return "\n".join(shown)


def is_programs(frame):
    """Neither the runtime's nor one of the templates, Amity's and std's, that lie in the program."""
    library = os.path.basename(gdb.solib_name(frame.pc()) or "")
    return not library.startswith(("libamity", "libomp_amity")) and not (frame.name() or "").startswith(("amity::", "std::"))


def place_of(fiber):
    """The innermost frame that is the program's, as "in work at main.cpp:12"."""
    with looking_at(fiber):
        frame = first_frame()
        for _ in range(64):
            if is_programs(frame) or frame.older() is None:
                break
            frame = frame.older()
        function = frame.name() or f"{frame.pc():#x}"
        library = os.path.basename(gdb.solib_name(frame.pc()) or "")
        line = frame.find_sal()
        if line.symtab is None:
            return f"in {function}" + (f" ({library})" if library else "")
        return f"in {function} at {os.path.basename(line.symtab.filename)}:{line.line}"


class looking_at:
    """with looking_at(fiber): ... the selected thread and frame are as before at the end."""

    def __init__(self, fiber):
        self.fiber = fiber

    def __enter__(self):
        self.before = unwinder.registers, unwinder.innermost
        self.level = gdb.selected_frame().level()
        try:
            unwinder.look_at(self.fiber)
        except BaseException:  # __exit__ is not called then, and bt would go on showing that fiber
            self.__exit__()
            raise

    def __exit__(self, *failed):
        unwinder.registers, unwinder.innermost = self.before
        gdb.invalidate_cached_frames()
        frame = gdb.newest_frame()
        while frame.level() < self.level and frame.older() is not None:
            frame = frame.older()
        frame.select()


def describe(fiber, fibers):
    text = f"{fiber.number:>4}  {fiber.name}{fiber.openmp}"
    if fiber.runs:
        thread = thread_that_carries(fiber, fibers)
        return text + (" runs" if thread is None else f" runs on gdb's thread {thread.num} (LWP {thread.ptid[1]})")
    text += " waits"
    if fiber.kind:
        text += f" for {fiber.kind}" + (f" at {fiber.object:#x}" if fiber.object else "")
    if not fiber.registers:
        return text
    try:
        return f"{text}, {place_of(fiber)}"
    except FAILURES as failed:
        return f"{text}; its stack can't be read ({failed})"


def chosen(text, fibers):
    """"3" -> that fiber, with words where there is none."""
    if not re.fullmatch(r"[0-9]+", text):
        raise gdb.GdbError(f"'{text}' is no number of 'info amity'")
    if not 1 <= int(text) <= len(fibers):
        raise gdb.GdbError(f"there is no number {text}: 'info amity' has those from 1 to {len(fibers)}")
    return fibers[int(text) - 1]


def must_wait(fiber, fibers):
    if fiber.registers:
        return
    if not fiber.runs:
        raise gdb.GdbError(f"number {fiber.number} rests: it has no stack to look at")
    thread = thread_that_carries(fiber, fibers)
    where = "on an OS thread" if thread is None else f"on gdb's thread {thread.num}: 'thread {thread.num}'"
    raise gdb.GdbError(f"number {fiber.number} runs {where}")


class InfoAmity(gdb.Command):
    """The threads of OpenMP and C++ tasks that run on Amity or wait, one a line, with the numbers that `amity bt` takes."""

    def __init__(self):
        super().__init__("info amity", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        fibers = all_fibers()
        shown = [each for each in fibers if not each.is_idle]
        for each in shown:
            print(describe(each, fibers))
        print(f"{len(shown)} of {len(fibers)} fibers; the others rest, or are spare for tasks")


class Amity(gdb.Command):
    """Threads and tasks that run on Amity: amity bt, amity apply, amity select. `info amity` lists them."""

    def __init__(self):
        super().__init__("amity", gdb.COMMAND_STACK, prefix=True)


class AmityBacktrace(gdb.Command):
    """amity bt NUMBER [OPTIONS]: the stack of one that `info amity` lists. OPTIONS are those of backtrace."""

    def __init__(self):
        super().__init__("amity bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        number, _, options = argument.strip().partition(" ")
        if not number:
            raise gdb.GdbError("amity bt: which? amity bt NUMBER, and 'info amity' lists the numbers")
        fibers = all_fibers()
        fiber = chosen(number, fibers)
        thread = thread_that_carries(fiber, fibers) if fiber.runs else None
        if thread is not None:
            gdb.execute(f"thread apply {thread.num} -q backtrace {options}")
            return
        must_wait(fiber, fibers)
        with looking_at(fiber):
            print(backtrace(options))


class AmityApply(gdb.Command):
    """amity apply all COMMAND, amity apply NUMBER... COMMAND: runs a command of gdb's for those that wait, each with its
    innermost frame selected."""

    def __init__(self):
        super().__init__("amity apply", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = re.fullmatch(r"\s*(all|[0-9]+(?:\s+[0-9]+)*)\s+(\S.*?)\s*", argument)
        if words is None:
            raise gdb.GdbError("amity apply: to which, and what? amity apply all bt, amity apply 1 4 info locals")
        fibers = all_fibers()
        if words[1] == "all":
            fibers_to_show = [each for each in fibers if each.registers and not each.is_idle]
        else:
            fibers_to_show = [chosen(each, fibers) for each in words[1].split()]
        for fiber in fibers_to_show:
            must_wait(fiber, fibers)
            print(f"\n{describe(fiber, fibers).strip()}:")
            command = re.fullmatch(r"(?:bt|backtrace|where)\b(.*)", words[2])
            try:
                with looking_at(fiber):
                    if command is not None:
                        print(backtrace(command[1]))
                    else:
                        gdb.execute(words[2])
            except FAILURES as failed:  # the next may do better
                print(f"  {failed}")


class AmitySelect(gdb.Command):
    """amity select NUMBER: bt, up, frame, print look at that fiber, until the process goes on or `amity select none`. The
    frame that bt shows before it is the selected thread's."""

    def __init__(self):
        super().__init__("amity select", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if argument.strip() == "none":
            unwinder.look_at(None)
            return
        fibers = all_fibers()
        fiber = chosen(argument.strip(), fibers)
        must_wait(fiber, fibers)
        try:
            unwinder.look_at(fiber)
        except FAILURES:
            unwinder.look_at(None)
            raise
        print(describe(fiber, fibers).strip())
        gdb.execute("frame")


def forget(event):
    unwinder.registers = None


gdb.events.cont.connect(forget)
for command in (InfoAmity, Amity, AmityBacktrace, AmityApply, AmitySelect):
    command()


# --- printers


def plain_value(atomic):
    """What a std::atomic<T> holds."""
    value = atomic
    for name in ("_M_b", "_M_p", "_M_i"):  # libstdc++: of a pointer, and of a number
        fields = [field.name for field in value.type.strip_typedefs().fields()] if value.type.strip_typedefs().code in (
            gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) else []
        if name in fields:
            value = value[name]
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:  # std::atomic<int> is derived from __atomic_base<int>
        return plain_value(value[value.type.strip_typedefs().fields()[0]])
    return value


class FuturePrinter:
    """amity::future, shared_future and promise: what their state holds (amity/future/state.hpp)."""

    def __init__(self, value, kind):
        self.value, self.kind = value, kind

    def to_string(self):
        state = self.value["state_"]
        name = f"amity::{self.kind}<{self.value.type.strip_typedefs().template_argument(0)}>"
        if int(state) == 0:
            return f"{name}, without a state"
        if int(plain_value(state["waiters"])) != 1:  # done_mark()
            return f"{name}, not ready, state at {int(state):#x}"
        how = str(state["how"]).rpartition("::")[2]
        if how == "error":
            return f"{name}, failed, state at {int(state):#x}"
        if how == "taken":
            return f"{name}, whose value was taken"
        result = self.stored(state)
        return f"{name}, ready" + ("" if result is None else f": {result}")

    def stored(self, state):
        kind = self.value.type.strip_typedefs().template_argument(0)
        if kind.strip_typedefs().code == gdb.TYPE_CODE_VOID:
            return None
        refers = kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
        stored = kind.target().pointer() if refers else kind
        end, alignment = int(state) + state.dereference().type.sizeof, stored.alignof
        place = gdb.Value((end + alignment - 1) // alignment * alignment).cast(stored.pointer()).dereference()
        return place.dereference() if refers else place


class ChannelPrinter:
    """amity::sync::channel: what lies in it."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        capacity = int(self.value["capacity_"])
        unbounded = 2 ** (8 * self.value["capacity_"].type.sizeof) - 1
        closed = "closed, " if self.value["closed_"] else ""
        waits = [who for who in ("senders", "receivers") if int(self.value[f"{who}_"]["first_"]) != 0]
        return (f"amity channel, {closed}capacity {'unbounded' if capacity == unbounded else capacity}"
                f"{''.join(f', {who} wait' for who in waits)}")

    def children(self):
        yield "items", self.value["items_"]


printers = gdb.printing.RegexpCollectionPrettyPrinter("amity")
for kind in ("future", "shared_future", "promise"):
    printers.add_printer(kind, rf"^amity::{kind}<.*>$", lambda value, kind=kind: FuturePrinter(value, kind))
printers.add_printer("channel", r"^amity::sync::channel<.*>$", ChannelPrinter)
gdb.printing.register_pretty_printer(gdb.current_objfile(), printers, replace=True)
