"""Strict mode: each mistake that hardware does not tell is reported once, and the exit status says so."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support.simulators import LIBRARIES, Done, Simulator

STATUS = 97
START = """
#include "programs/expect.h"
#include "aclnnop/aclnn_prelu.h"

struct Call {
  void* memory = upload(std::vector<float>{-1, 2, -3, 4});
  void* slope = upload(std::vector<float>{0.5f});
  void* target = upload(std::vector<float>(4, 0.0f));
  aclTensor* self = floats({4}, memory);
  aclTensor* weight = floats({1}, slope);
  aclTensor* out = floats({4}, target);
  void* workspace = nullptr;
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  void check() {
    EXPECT(aclnnPreluGetWorkspaceSize(self, weight, out, &size, &executor) == 0);
    if (workspace == nullptr) EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  }
  int launch() { return aclnnPrelu(workspace, size, executor, nullptr); }
  void call() { check(); EXPECT(launch() == 0); }
  void end() {
    aclDestroyTensor(self); aclDestroyTensor(weight); aclDestroyTensor(out);
    for (void* each : {memory, slope, target}) aclrtFree(each);
    if (workspace != nullptr) aclrtFree(workspace);
  }
};

[[maybe_unused]] static aclTensor* view(int64_t size, int64_t stride, int64_t offset, int64_t storage, void* memory) {
  return aclCreateTensor(&size, 1, ACL_FLOAT, &stride, offset, ACL_FORMAT_ND, &storage, 1, memory);
}

"""
MAIN = """
int main(int, char** names) {
  start();
  Call c;
  const std::string chosen = names[1];
  CASES
  c.end();
  return finish();
}
"""
MISTAKES = {
    "double-destroy": (
        "int64_t n = 1; aclIntArray* a = aclCreateIntArray(&n, 1); aclDestroyIntArray(a); aclDestroyIntArray(a);",
        ["The aclIntArray (0x", "is already destroyed.", "while calling aclDestroyIntArray", "aclCreateIntArray"],
    ),
    "destroyed-by-its-list": (
        "const aclTensor* t = floats({1}, nullptr); aclTensorList* l = aclCreateTensorList(&t, 1);"
        "aclDestroyTensorList(l); aclDestroyTensor(t);",
        ["The aclTensor (0x", "is already destroyed.", "while calling aclDestroyTensor"],
    ),
    "use-after-destroy": (
        "aclTensor* t = floats({1}, nullptr); aclDestroyTensor(t); aclFormat f; aclGetFormat(t, &f);",
        ["The aclTensor (0x", "is already destroyed.", "while calling aclGetFormat", "floats"],
    ),
    "not-a-handle": (
        "int x = 0; aclDestroyTensor(reinterpret_cast<aclTensor*>(&x));",
        ["is not one of aclTensor.", "while calling aclDestroyTensor"],
    ),
    "another-kind": (
        "int64_t n = 1; aclIntArray* a = aclCreateIntArray(&n, 1);"
        "aclDestroyTensor(reinterpret_cast<aclTensor*>(a)); aclDestroyIntArray(a);",
        ["is one of aclIntArray", "not of aclTensor.", "while calling aclDestroyTensor"],
    ),
    "spent-executor": (
        "c.call(); aclrtSynchronizeStream(nullptr); c.launch();",
        ["The aclOpExecutor (0x", "is already spent or destroyed.", "while calling aclnnPrelu", "GetWorkspaceSize"],
    ),
    "tensor-destroyed-between-the-phases": (
        "aclTensor* t = floats({4}, c.memory); aclnnPreluGetWorkspaceSize(t, c.weight, c.out, &c.size, &c.executor);"
        "aclDestroyTensor(t); aclrtMalloc(&c.workspace, c.size, ACL_MEM_MALLOC_HUGE_FIRST); EXPECT(c.launch() == 0);"
        "aclrtSynchronizeStream(nullptr);",
        [
            "The aclTensor (0x",
            "of self (created by aclCreateTensor",
            "is destroyed between the two phases.",
            "aclnnPrelu",
        ],
    ),
    "buffer-freed-before-the-launch": (
        "void* m = upload(std::vector<float>(4)); aclTensor* t = floats({4}, m);"
        "aclnnPreluGetWorkspaceSize(t, c.weight, c.out, &c.size, &c.executor);"
        "aclrtMalloc(&c.workspace, c.size, ACL_MEM_MALLOC_HUGE_FIRST); aclrtFree(m); c.launch(); aclDestroyTensor(t);",
        ["The device memory (0x", "of self", "is freed before the call is launched.", "aclrtMalloc, called in"],
    ),
    "buffer-freed-while-launched": (
        "c.call(); aclrtFree(c.workspace); c.workspace = nullptr; aclrtSynchronizeStream(nullptr);",
        ["is freed while a launched call uses it: the stream is not synchronized.", "while calling aclrtFree"],
    ),
    "workspace-freed-before-the-launch": (
        "c.check(); aclrtFree(c.workspace); c.launch(); c.workspace = nullptr;",
        ["The workspace (0x", "is freed before the call is launched.", "while calling aclnnPrelu"],
    ),
    "copy-of-freed-memory": (
        "float x; void* m = upload(std::vector<float>(1)); aclrtFree(m);"
        "aclrtMemcpy(&x, 4, m, 4, ACL_MEMCPY_DEVICE_TO_HOST);",
        ["The source (0x", "is device memory", "that is freed.", "while calling aclrtMemcpy"],
    ),
    "freed-twice": (
        "void* m = upload(std::vector<float>(1)); aclrtFree(m); aclrtFree(m);",
        ["The device memory (0x", "is already freed.", "while calling aclrtFree", "upload"],
    ),
    "strides-outside-the-storage": (
        "aclTensor* t = view(4, 1, 1, 4, upload(std::vector<float>(8)));"
        "aclnnPreluGetWorkspaceSize(t, c.weight, c.out, &c.size, &c.executor);"
        "aclrtMalloc(&c.workspace, c.size, ACL_MEM_MALLOC_HUGE_FIRST); EXPECT(c.launch() == 0);"
        "aclrtSynchronizeStream(nullptr); void* m; aclGetRawTensorAddr(t, &m); aclDestroyTensor(t); aclrtFree(m);",
        [
            "The strides of the aclTensor (0x",
            "of self (created by aclCreateTensor, called ",
            "reach from element 1 to 4, outside of its storage of 4 elements.",
            "while calling aclnnPrelu",
        ],
    ),
    "strides-beyond-every-number": (
        "aclTensor* t = view(5, int64_t{1} << 62, 0, 4, c.memory);"
        "aclTensor* o = view(5, 1, 0, 5, c.target);"
        "aclnnPreluGetWorkspaceSize(t, c.weight, o, &c.size, &c.executor);"
        "aclrtMalloc(&c.workspace, c.size, ACL_MEM_MALLOC_HUGE_FIRST); EXPECT(c.launch() == 361001);"
        "aclDestroyTensor(t); aclDestroyTensor(o);",
        [
            "The strides of the aclTensor (0x",
            "of self",
            "reach from element 0 to 9223372036854775807, outside of its storage",
        ],
    ),
    "misaligned-address": (
        "void* m = upload(std::vector<float>(8)); aclTensor* t = floats({4}, static_cast<char*>(m) + 4);"
        "aclnnPreluGetWorkspaceSize(t, c.weight, c.out, &c.size, &c.executor);"
        "aclrtMalloc(&c.workspace, c.size, ACL_MEM_MALLOC_HUGE_FIRST); EXPECT(c.launch() == 0);"
        "aclrtSynchronizeStream(nullptr); aclDestroyTensor(t); aclrtFree(m);",
        [
            "The address (0x",
            "of the aclTensor (0x",
            "of self (created by aclCreateTensor, called ",
            "is not a multiple of 32.",
            "while calling aclnnPrelu",
        ],
    ),
    "no-synchronize": (
        "c.call(); download<float>(c.target, 4); aclrtSynchronizeStream(nullptr);",
        ["is read before the call that writes to it is over: the stream is not synchronized.", "aclrtMemcpy"],
    ),
    "another-stream-synchronized": (
        "aclrtStream s; aclrtCreateStream(&s); c.call(); aclrtSynchronizeStream(s); download<float>(c.target, 4);"
        "aclrtSynchronizeDevice(); aclrtDestroyStream(s);",
        ["is read before the call that writes to it is over", "while calling aclrtMemcpy"],
    ),
    "input-overwritten-early": (
        "c.call(); float x = 7; aclrtMemcpy(c.memory, 4, &x, 4, ACL_MEMCPY_HOST_TO_DEVICE); aclrtSynchronizeDevice();",
        [
            "is overwritten while a launched call uses it: the stream is not synchronized.",
            "calling aclrtMemcpy",
            "upload",
        ],
    ),
    "output-filled-early": (
        "c.call(); aclrtMemset(c.target, 4, 0, 4); aclrtSynchronizeDevice();",
        ["is overwritten while a launched call uses it: the stream is not synchronized.", "while calling aclrtMemset"],
    ),
    "two-streams-without-an-event": (
        "aclrtStream s; aclrtCreateStream(&s); c.call(); aclrtMemsetAsync(c.target, 4, 0, 4, s);"
        "aclrtSynchronizeDevice(); aclrtDestroyStream(s);",
        ["is used by two streams at a time: no event lets the second wait for the first.", "calling aclrtMemsetAsync"],
    ),
    "leaked-tensor": ("floats({1}, nullptr);", ["The aclTensor (0x", "is not destroyed.", "aclFinalize", "floats"]),
    "leaked-executor": ("c.check();", ["The aclOpExecutor (0x", "aclnnPreluGetWorkspaceSize", "is not destroyed."]),
    "leaked-memory": ("upload(std::vector<float>(3));", ["The device memory (0x", "of 12 bytes", "is not freed."]),
    "leaked-host-memory": (
        "void* m; EXPECT(aclrtMallocHost(&m, 5) == 0);",
        ["The host memory (0x", "of 5 bytes", "is not freed.", "aclFinalize"],
    ),
    "leaked-stream": ("aclrtStream s; aclrtCreateStream(&s);", ["The aclrtStream (0x", "is not destroyed."]),
    "leaked-context": (
        "aclrtContext x, y; aclrtGetCurrentContext(&x); aclrtCreateContext(&y, 0); aclrtSetCurrentContext(x);",
        ["The aclrtContext (0x", "created by aclrtCreateContext", "is not destroyed.", "while calling aclFinalize"],
    ),
    "stream-destroyed-early": (
        "aclrtStream s; aclrtCreateStream(&s); c.check(); EXPECT(aclnnPrelu(c.workspace, c.size, c.executor, s) == 0);"
        "aclrtDestroyStream(s);",
        ["The aclrtStream (0x", "is destroyed before it is synchronized.", "while calling aclrtDestroyStream"],
    ),
}


OTHERS = {
    "one-mistake-five-times": "aclTensor* t = floats({1}, nullptr); for (int i = 0; i < 6; ++i) aclDestroyTensor(t);",
    "three-leaks": "for (int i = 0; i < 3; ++i) floats({1}, nullptr);",
    "correct": """
  aclrtStream one, two;
  aclrtEvent event;
  EXPECT(aclrtCreateStream(&one) == 0 && aclrtCreateStream(&two) == 0 && aclrtCreateEvent(&event) == 0);
  c.check();
  EXPECT(aclnnPrelu(c.workspace, c.size, c.executor, one) == 0);
  EXPECT(aclrtRecordEvent(event, one) == 0 && aclrtStreamWaitEvent(two, event) == 0);
  EXPECT(aclrtSynchronizeStream(two) == 0);  // which waited for the other
  EXPECT(download<float>(c.target, 4) == std::vector<float>({-0.5f, 2, -1.5f, 4}));
  c.check();
  EXPECT(aclnnPrelu(c.workspace, c.size, c.executor, one) == 0);
  EXPECT(aclrtRecordEvent(event, one) == 0 && aclrtSynchronizeEvent(event) == 0);
  EXPECT(download<float>(c.target, 4).size() == 4);
  c.check();
  EXPECT(aclSetAclOpExecutorRepeatable(c.executor) == 0 && c.launch() == 0 && c.launch() == 0);
  EXPECT(aclrtSynchronizeDevice() == 0 && aclDestroyAclOpExecutor(c.executor) == 0);
  c.check();
  EXPECT(aclrtMemcpyAsync(c.memory, 8, c.slope, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, two) == 0);
  EXPECT(aclrtRecordEvent(event, two) == 0 && aclrtStreamWaitEvent(one, event) == 0);
  EXPECT(aclnnPrelu(c.workspace, c.size, c.executor, one) == 0);
  EXPECT(aclrtMemsetAsync(c.target, 16, 0, 4, one) == 0);
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  while (status != ACL_STREAM_STATUS_COMPLETE) EXPECT(aclrtStreamQuery(one, &status) == 0);
  EXPECT(download<float>(c.target, 4) == std::vector<float>({0, 2, -1.5f, 4}));
  EXPECT(aclrtDestroyEvent(event) == 0 && aclrtDestroyStream(one) == 0 && aclrtDestroyStream(two) == 0);
""",
}


def chosen(simulator: Simulator, name: str, strict: str = "1") -> Done:
    """Run one of the cases, which are compiled into one program."""
    bodies = {one: body for one, (body, _) in MISTAKES.items()} | OTHERS
    cases = "\n".join(f'if (chosen == "{one}") {{ {body} }}' for one, body in bodies.items())
    program = simulator.compile(START + MAIN.replace("CASES", cases), f"-I{Path(__file__).parent}", "-rdynamic")
    return simulator.run(program, name, variables={"ACLSPEC_STRICT": strict})


def reports(done: Done) -> list[str]:
    """Each report with the line below it."""
    lines = done.err.splitlines()
    return [f"{line}\n{lines[at + 1]}" for at, line in enumerate(lines) if line.startswith("aclspec strict: The ")]


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(simulator: Simulator, name: str) -> None:
    told = MISTAKES[name][1]
    done = chosen(simulator, name)
    assert done.status == STATUS, done
    found = reports(done)
    assert len(found) == 1, found
    assert [part for part in told if part not in found[0]] == [], found
    assert done.err.endswith(f"aclspec strict: 1 report; the exit status is {STATUS}.\n")
    assert "expectations" in done.out  # flushed before the process is left


def test_the_same_mistake_is_reported_once(simulator: Simulator) -> None:
    assert len(reports(chosen(simulator, "one-mistake-five-times"))) == 1


def test_mistakes_are_counted(simulator: Simulator) -> None:
    done = chosen(simulator, "three-leaks")
    assert len(reports(done)) == 3
    assert "3 reports" in done.err


def test_a_correct_program_is_left_alone(simulator: Simulator) -> None:
    done = chosen(simulator, "correct")
    assert (done.status, done.err) == (0, "")


def test_what_is_launched_runs_when_the_program_waits(simulator: Simulator) -> None:
    """The program looks at the memory before and after; what it does too early on purpose is all that is reported."""
    place = Path(__file__).parent
    program = simulator.compile(place / "strict" / "late.cpp", f"-I{place}")
    done = simulator.run(program, variables={"ACLSPEC_STRICT": "1"})
    assert re.fullmatch(r"\d{3} expectations\n", done.out)
    assert done.status == STATUS
    assert [
        next(part for part in ("read", "overwritten", "two streams", "freed", "destroyed") if part in line)
        for line in reports(done)
    ] == ["read", "overwritten", "two streams", "freed", "destroyed"]


@pytest.mark.parametrize("name", ["executors", "runtime", "tensors", "threads"])
def test_what_is_answered_is_the_same(simulator: Simulator, name: str) -> None:
    """The programs that expect every status and value get them in strict mode too; one of them makes no mistake."""
    program = simulator.compile(Path(__file__).parent / "programs" / f"{name}.cpp")
    done = simulator.run(program, variables={"ACLSPEC_STRICT": "1"})
    assert re.search(r"^\d+ expectations$", done.out, re.MULTILINE)
    assert (done.status, done.err) == (0, "") if name == "threads" else done.status == STATUS


@pytest.mark.parametrize("name", MISTAKES)
def test_nothing_is_reported_where_nobody_asks(simulator: Simulator, name: str) -> None:
    done = chosen(simulator, name, strict="0")
    assert (done.status, done.err) == (0, "")


POOL = """
#include "acl/acl.h"
extern "C" void fill() {
  void* each = nullptr;
  for (int at = 0; at < 3; ++at) aclrtCreateStream(&each);
  aclrtMalloc(&each, 100, ACL_MEM_MALLOC_HUGE_FIRST);
}
"""
HOLDER = """
#include "programs/expect.h"
extern "C" void fill();
int main(int count, char** words) {
  start();
  fill();
  const std::string chosen = count > 1 ? words[1] : "";
  aclrtStream stream = nullptr;
  if (chosen == "leak") EXPECT(aclrtCreateStream(&stream) == 0);
  if (chosen == "end") EXPECT(aclFinalize() == 0);
  return 0;
}
"""
KEPT = (
    "aclspec strict: libpool.so keeps 3 of aclrtStream to the end: a pool or a leak.\n"
    "aclspec strict: libpool.so keeps 1 of device memory, of 100 bytes, to the end: a pool or a leak.\n"
)


def held(simulator: Simulator, *words: str, strict: str = "1", lines: str = "") -> Done:
    """A program with a library that keeps three streams and a block, and suppressions."""
    shutil.copyfile(simulator.compile(POOL, "-shared", "-fPIC"), simulator.work / "libpool.so")
    flags = (f"-I{Path(__file__).parent}", f"-L{simulator.work}", "-Wl,-rpath,$ORIGIN")
    program = simulator.compile(HOLDER, *flags, libraries=("-lpool", *LIBRARIES))
    (simulator.work / "suppressions").write_text(lines, encoding="utf-8")
    variables = {"ACLSPEC_STRICT": strict, "ACLSPEC_STRICT_SUPPRESSIONS": "suppressions"}
    return simulator.run(program, *words, variables=variables)


@pytest.mark.parametrize("word", ["", "end"])
def test_what_a_library_keeps_to_the_end_is_told_and_is_no_report(simulator: Simulator, word: str) -> None:
    done = held(simulator, word)
    assert (done.status, done.err) == (0, KEPT)


def test_a_leak_of_the_program_is_reported_when_the_process_ends(simulator: Simulator) -> None:
    done = held(simulator, "leak")
    assert done.status == STATUS
    (report,) = reports(done)
    assert "The aclrtStream (0x" in report
    assert "while calling exit" in report
    assert KEPT in done.err


def test_what_a_library_keeps_can_be_reported(simulator: Simulator) -> None:
    done = held(simulator, strict="pools")
    assert (done.status, len(reports(done))) == (STATUS, 4)


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ("leak:libpool\n", 1),
        ("# a comment\n\nleak:stream # all\n", 1),
        ("leak:fill\nleak:aclrtCreate*\n", 0),
        ("leak:memory\n", 4),
        ("leak:nothing of this\n", 5),
    ],
)
def test_suppressions(simulator: Simulator, lines: str, count: int) -> None:
    done = held(simulator, "leak", strict="pools", lines=lines)
    assert len(reports(done)) == count
    assert done.status == (STATUS if count else 0)


def test_a_line_that_is_no_suppression_is_told(simulator: Simulator) -> None:
    done = held(simulator, lines="race:x\n")
    assert "The line (race:x) of ACLSPEC_STRICT_SUPPRESSIONS is not leak: and a pattern." in done.err


FAILING = """
#include "programs/expect.h"
#include "aclnnop/aclnn_prelu.h"

static uint32_t found[5];
static void note(aclrtExceptionInfo* info) {
  const uint32_t all[5] = {aclrtGetTaskIdFromExceptionInfo(info), aclrtGetStreamIdFromExceptionInfo(info),
                           aclrtGetThreadIdFromExceptionInfo(info), aclrtGetDeviceIdFromExceptionInfo(info),
                           aclrtGetErrorCodeFromExceptionInfo(info)};
  std::memcpy(found, all, sizeof found);
}

int main() {
  start();
  int32_t stream = -1;
  EXPECT(aclrtSetExceptionInfoCallback(note) == 0 && aclrtStreamGetId(nullptr, &stream) == 0);
  void* memory = upload(std::vector<float>{1});
  aclTensor* tensor = floats({1}, memory);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  void* workspace = nullptr;
  EXPECT(aclnnPreluGetWorkspaceSize(tensor, tensor, tensor, &size, &executor) == 0);
  if (size > 0) EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclnnPrelu(workspace, size, executor, nullptr) == 0);
  EXPECT(aclrtFree(memory) == 0);  // too early
  EXPECT(aclrtSynchronizeStream(nullptr) == 507015);
  EXPECT(found[0] == 1 && found[1] == static_cast<uint32_t>(stream) && found[2] > 0);
  EXPECT(found[3] == 0 && found[4] == 507015);
  const std::string said = aclGetRecentErrMsg();
  EXPECT(said.find("has failed") != std::string::npos && said.find("is freed") != std::string::npos);  // of one call
  return 0;
}
"""


def test_the_program_is_told_of_a_task_that_fails(simulator: Simulator) -> None:
    done = simulator.run(simulator.compile(FAILING, f"-I{Path(__file__).parent}"), variables={"ACLSPEC_STRICT": "1"})
    assert "is false" not in done.out, done
    assert done.status == STATUS


CACHE = """
#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_prelu.h"
extern "C" void fill() {
  const int64_t shape[1] = {1};
  void* memory = nullptr;
  aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  aclTensor* tensor = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, memory);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (aclnnPreluGetWorkspaceSize(tensor, tensor, tensor, &size, &executor) == 0) KEEP
}
"""


@pytest.mark.parametrize(
    ("keep", "count"), [("aclSetAclOpExecutorRepeatable(executor);", 0), ("aclDestroyAclOpExecutor(executor);", 1)]
)
def test_the_handles_of_a_library_that_keeps_executors(simulator: Simulator, keep: str, count: int) -> None:
    library = simulator.compile(CACHE.replace("KEEP", keep), "-shared", "-fPIC")
    shutil.copyfile(library, simulator.work / f"libcache{count}.so")
    flags = (f"-I{Path(__file__).parent}", f"-L{simulator.work}", "-Wl,-rpath,$ORIGIN")
    program = simulator.compile(HOLDER, *flags, libraries=(f"-lcache{count}", *LIBRARIES))
    done = simulator.run(program, variables={"ACLSPEC_STRICT": "1"})
    assert len(reports(done)) == count, done
    assert ("keeps 1 of aclTensor to the end" in done.err) == (count == 0)
