"""The system call filters: identical to the generator's output, and their verdicts on single calls."""

import ctypes
import ctypes.util
import errno
import platform
import struct

import pytest

from engines.sandbox import SandboxUnavailable
from engines.sandbox.seccomp import filter_file
from engines.sandbox.seccomp.generate import make_filter

X86_64, I386 = 0xC000003E, 0x40000003
X32 = 0x40000000
ALLOW, KILL, IGNORE = "allow", "kill the process", "do nothing and report success"
UNIX = 1

# Names and numbers from the kernel's table for x86-64 (arch/x86/entry/syscalls/syscall_64.tbl).
NUMBERS = {"read": 0, "mmap": 9, "shmget": 29, "sched_yield": 24, "mincore": 27, "socket": 41, "socketpair": 53,
           "clone": 56, "execve": 59, "fcntl": 72, "ioctl": 16, "flock": 73, "ptrace": 101, "personality": 135,
           "mount": 165, "unshare": 272, "fadvise64": 221, "preadv2": 327, "pwritev2": 328, "cachestat": 451,
           "splice": 275, "perf_event_open": 298, "setns": 308, "process_vm_readv": 310, "kcmp": 312, "keyctl": 250,
           "inotify_init1": 294, "memfd_create": 319, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425,
           "clone3": 435, "sched_setaffinity": 203, "pidfd_getfd": 438, "memfd_secret": 447, "sync": 162,
           "mq_open": 240, "semget": 64, "msgget": 68, "prlimit64": 302, "setrlimit": 160}


def verdict(program, number, *arguments, arch=X86_64):
    """Return the kernel's verdict by interpreting the few BPF instructions that libseccomp writes."""
    data = struct.pack("<iIQ6Q", number, arch, 0, *(list(arguments) + [0] * 6)[:6])
    accumulator, at = 0, 0
    while True:
        code, true, false, k = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        if code == 0x20:  # load a word
            accumulator = struct.unpack_from("<I", data, k)[0]
        elif code == 0x54:  # and
            accumulator &= k
        elif code == 0x05:  # jump
            at += k
        elif code in (0x15, 0x25, 0x35):  # jump if equal, greater, greater or equal
            met = {0x15: accumulator == k, 0x25: accumulator > k, 0x35: accumulator >= k}[code]
            at += true if met else false
        else:
            assert code == 0x06, f"instruction {code:#x}"
            action = {0x7FFF0000: ALLOW, 0x80000000: KILL, 0x00050000: IGNORE}
            return action.get(k) or errno.errorcode[k & 0xFFFF]


@pytest.fixture(params=[True, False], ids=["standard", "reduced"])
def memory_counted(request):
    return request.param


@pytest.fixture
def program(memory_counted):
    if platform.machine() != "x86_64":
        pytest.skip("the filters are made for x86_64")
    return filter_file(memory_counted=memory_counted).read_bytes()


class TestTheFilter:
    def test_matches_the_generators_output(self, memory_counted, program):
        library = ctypes.util.find_library("seccomp")
        if library is None:
            pytest.skip("libseccomp2 is not installed")
        pytest.importorskip("pyseccomp", reason="pyseccomp is not installed")
        version = ctypes.CDLL(library).seccomp_version
        version.restype = ctypes.POINTER(ctypes.c_uint * 3)
        found = tuple(version().contents)[:2]
        if found != (2, 5):
            pytest.skip(f"the filters were made by libseccomp 2.5, and here is {found[0]}.{found[1]}")
        assert make_filter(memory_counted=memory_counted) == program

    def test_allows_what_programs_need_and_denies_the_rest(self, program):
        assert {verdict(program, NUMBERS[name]) for name in ("read", "execve", "sched_yield", "splice")} == {ALLOW}
        denied = ("bpf", "cachestat", "flock", "inotify_init1", "io_uring_setup", "kcmp", "keyctl", "memfd_secret",
                  "mincore", "mount", "mq_open", "msgget", "perf_event_open", "pidfd_getfd", "process_vm_readv",
                  "ptrace", "sched_setaffinity", "semget", "setns", "shmget", "sync", "unshare", "userfaultfd",
                  "clone3")
        assert [name for name in denied if verdict(program, NUMBERS[name]) != "ENOSYS"] == []

    def test_denies_unknown_calls(self, program):
        assert {verdict(program, number) for number in range(470, 2000)} == {"ENOSYS"}

    def test_allows_sockets_of_only_one_family(self, program):
        for name in ("socket", "socketpair"):
            answers = {family: verdict(program, NUMBERS[name], family) for family in (*range(64), UNIX | 1 << 32)}
            assert answers.pop(UNIX) == ALLOW
            assert set(answers.values()) == {"EAFNOSUPPORT"}

    def test_allows_threads_and_children_but_no_namespace(self, program):
        thread, child = 0x3D0F00, 17
        assert verdict(program, NUMBERS["clone"], thread) == ALLOW
        assert verdict(program, NUMBERS["clone"], child) == ALLOW
        for bit in (17, 25, 26, 27, 28, 29, 30):
            assert verdict(program, NUMBERS["clone"], child | 1 << bit) == "ENOSYS"

    def test_allows_duplicating_descriptors_but_not_locking_files(self, program):
        allowed = {command for command in range(1100) if verdict(program, NUMBERS["fcntl"], 3, command) == ALLOW}
        assert allowed == {0, 1, 2, 3, 4, 1030, 1032, 1033, 1034}

    def test_allows_harmless_ioctls_but_no_control_of_devices(self, program):
        requests = {*range(0x5400, 0x5500), *range(0x8900, 0x8A00), 0x802C542A, 0x80045430, 0x40045431, 0x40049409}
        allowed = {request for request in requests if verdict(program, NUMBERS["ioctl"], 3, request) == ALLOW}
        assert allowed == {0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A}
        assert verdict(program, NUMBERS["ioctl"], 3, 0xFFFFFFFF802C542A) == ALLOW
        assert verdict(program, NUMBERS["ioctl"], 3, 0xFFFFFFFF00005412) == "ENOSYS"  # TIOCSTI

    def test_reveals_nothing_about_the_page_cache(self, program):
        assert verdict(program, NUMBERS["fadvise64"], 3, 0, 0, 4) == IGNORE
        for name in ("preadv2", "pwritev2"):
            assert verdict(program, NUMBERS[name], 3, 0, 1, 0, 0, 0) == ALLOW
            for bit in range(32):
                assert verdict(program, NUMBERS[name], 3, 0, 1, 0, 0, 1 << bit) == "ENOSYS"

    def test_allows_only_the_default_personality(self, program):
        assert verdict(program, NUMBERS["personality"], 0xFFFFFFFF) == ALLOW
        assert verdict(program, NUMBERS["personality"], 0x0040000) == "ENOSYS"  # ADDR_NO_RANDOMIZE

    def test_kills_for_32_bit_and_x32_calls(self, program):
        assert {verdict(program, number, arch=I386) for number in (0, 1, 11, 20, 359, 425)} == {KILL}
        assert {verdict(program, X32 | number) for number in (0, 1, 59, 520)} == {KILL}

    def test_allows_shared_memory_only_if_a_cgroup_counts_it(self, program, memory_counted):
        expected = ALLOW if memory_counted else "ENOSYS"
        assert verdict(program, NUMBERS["memfd_create"]) == expected
        for shared in (0x21, 0x23):
            assert verdict(program, NUMBERS["mmap"], 0, 4096, 3, shared) == expected
        for ordinary in (0x22, 0x4022, 0x01, 0x02, 0x812):
            assert verdict(program, NUMBERS["mmap"], 0, 4096, 3, ordinary) == ALLOW

    def test_denies_huge_pages(self, program):
        assert verdict(program, NUMBERS["memfd_create"], 0, 0x4) == "ENOSYS"
        for flags in (0x40022, 0x40002, 0x54040022, 0x40021, 0x40001):
            assert verdict(program, NUMBERS["mmap"], 0, 4096, 3, flags) == "ENOSYS"

    def test_denies_changing_the_limit_on_core_dumps(self, program):
        for high in (0, 1 << 32):
            for resource in range(20):
                answer = "ENOSYS" if resource == 4 or resource > 15 else ALLOW
                assert verdict(program, NUMBERS["setrlimit"], high | resource, 4096) == answer
                assert verdict(program, NUMBERS["prlimit64"], 0, high | resource, 4096, 0) == answer
        assert verdict(program, NUMBERS["prlimit64"], 0, 4, 0, 4096) == ALLOW  # only asks

    def test_is_refused_on_other_architectures_with_a_reason(self, monkeypatch):
        monkeypatch.setattr(platform, "machine", lambda: "aarch64")
        with pytest.raises(SandboxUnavailable, match="is for x86_64, but this machine is aarch64"):
            filter_file(memory_counted=True)
