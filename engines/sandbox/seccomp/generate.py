"""Generates the system call filters: `python -m engines.sandbox.seccomp.generate` writes both next to this file.

It needs libseccomp 2.5 and pyseccomp. The sandbox itself needs neither: it loads the exported bytes.
A system call that is not listed here fails with ENOSYS, so that a C library falls back to an older call.
The list follows the default profile of container engines, reduced to what programs need that compute,
read a line and write a line.
"""

import errno
import tempfile
from pathlib import Path
from typing import Any, Final

FILES: Final = """
    access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
    fallocate fchdir fchmod fchmodat fchown fchownat fdatasync fgetxattr flistxattr fstat fstatfs fsync ftruncate
    futimesat getcwd getdents getdents64 getxattr lchown lgetxattr link linkat listxattr llistxattr lseek lstat
    mkdir mkdirat mknod mknodat newfstatat open openat openat2 pread64 preadv pwrite64 pwritev read
    readahead readlink readlinkat readv rename renameat renameat2 rmdir sendfile splice stat statfs statx symlink
    symlinkat sync_file_range truncate umask unlink unlinkat utime utimensat utimes write writev
"""
WAITING: Final = """
    epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 pause pipe pipe2 poll
    ppoll pselect6 select signalfd signalfd4 timerfd_create timerfd_gettime timerfd_settime
"""
MEMORY: Final = """
    brk madvise membarrier mlock mlock2 mlockall mprotect mremap msync munlock munlockall munmap
    pkey_alloc pkey_free pkey_mprotect
"""
PROCESSES: Final = """
    arch_prctl execve execveat exit exit_group fork futex get_robust_list get_thread_area getcpu getegid geteuid getgid
    getgroups getpgid getpgrp getpid getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid
    capget kill pidfd_open pidfd_send_signal prctl restart_syscall rseq rt_sigaction rt_sigpending
    rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max
    sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
    sched_setparam sched_setscheduler sched_yield set_robust_list set_thread_area set_tid_address setfsgid setfsuid
    setgid setgroups setpgid setpriority setregid setresgid setresuid setreuid setsid setuid sigaltstack
    sysinfo tgkill tkill uname vfork wait4 waitid
"""
CLOCKS: Final = """
    alarm clock_getres clock_gettime clock_nanosleep getitimer getrandom gettimeofday nanosleep setitimer time
    timer_create timer_delete timer_getoverrun timer_gettime timer_settime times
"""
# For AF_UNIX: helper processes in the sandbox, and the socket pairs of event loops.
SOCKETS: Final = """
    accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg sendmsg
    sendto setsockopt shutdown
"""

CLONE_NEW_NAMESPACES: Final = 0x7E020000
# fcntl without locks and leases, through which bots that see the same /usr could communicate. F_DUPFD, F_GETFD,
# F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS.
FCNTL_COMMANDS: Final = (0, 1, 2, 3, 4, 1030, 1032, 1033, 1034)
# Reads and writes with a position and flags. No flags are allowed: RWF_NOWAIT reveals which parts of /usr are cached.
WITH_FLAGS: Final = ("preadv2", "pwritev2")
# ioctl: FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, and the queries that distinguish a pipe from a terminal: TCGETS,
# TIOCGPGRP, TIOCGWINSZ, TCGETS2. Numbers are 32 bits wide, but some libraries sign-extend them.
IOCTLS: Final = (0x541B, 0x5421, 0x5450, 0x5451, 0x5401, 0x540F, 0x5413, 0x802C542A)
RLIMIT_CORE: Final = 4
OTHER_RLIMITS: Final = (0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
PERSONALITIES: Final = (0, 0xFFFFFFFF)  # the default one, and the query for the current one
MAP_SHARED_ANONYMOUS: Final = 0x21
# Huge pages come from a host-wide pool that memory cgroups do not count.
MAP_HUGETLB: Final = 0x40000
MFD_HUGETLB: Final = 0x4


def make_filter(*, memory_counted: bool) -> bytes:
    """Return the filter as BPF instructions for the kernel, 8 bytes each."""
    import pyseccomp as seccomp  # type: ignore[import-not-found, unused-ignore]

    made: Any = seccomp.SyscallFilter(seccomp.ERRNO(errno.ENOSYS))
    made.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    made.set_attr(seccomp.Attr.CTL_OPTIMIZE, 2)  # a binary tree of numbers, not a list
    for name in f"{FILES} {WAITING} {MEMORY} {PROCESSES} {CLOCKS} {SOCKETS}".split():
        made.add_rule_exactly(seccomp.ALLOW, name)
    made.add_rule_exactly(seccomp.ALLOW, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_NEW_NAMESPACES, 0))
    for name in ("socket", "socketpair"):
        made.add_rule_exactly(seccomp.ALLOW, name, seccomp.Arg(0, seccomp.EQ, 1))  # AF_UNIX
        made.add_rule_exactly(seccomp.ERRNO(errno.EAFNOSUPPORT), name, seccomp.Arg(0, seccomp.NE, 1))
    for command in FCNTL_COMMANDS:
        made.add_rule_exactly(seccomp.ALLOW, "fcntl", seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, command))
    # Even with a limit of 0, a dump is piped to a program in the host's core_pattern, so the limit of 1 must stay.
    for resource in OTHER_RLIMITS:
        made.add_rule_exactly(seccomp.ALLOW, "setrlimit", seccomp.Arg(0, seccomp.MASKED_EQ, 0xFFFFFFFF, resource))
        made.add_rule_exactly(seccomp.ALLOW, "prlimit64", seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, resource))
    made.add_rule_exactly(seccomp.ALLOW, "prlimit64", seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, RLIMIT_CORE),
                          seccomp.Arg(2, seccomp.EQ, 0))
    for name in WITH_FLAGS:
        made.add_rule_exactly(seccomp.ALLOW, name, seccomp.Arg(5, seccomp.MASKED_EQ, 0xFFFFFFFF, 0))
    # Bots could communicate by evicting pages of /usr from memory. Advice may be ignored, so it is, without an error.
    made.add_rule_exactly(seccomp.ERRNO(0), "fadvise64")
    for request in IOCTLS:
        made.add_rule_exactly(seccomp.ALLOW, "ioctl", seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, request))
    for value in PERSONALITIES:
        made.add_rule_exactly(seccomp.ALLOW, "personality", seccomp.Arg(0, seccomp.MASKED_EQ, 0xFFFFFFFF, value))
    if memory_counted:
        made.add_rule_exactly(seccomp.ALLOW, "memfd_create", seccomp.Arg(1, seccomp.MASKED_EQ, MFD_HUGETLB, 0))
        made.add_rule_exactly(seccomp.ALLOW, "mmap", seccomp.Arg(3, seccomp.MASKED_EQ, MAP_HUGETLB, 0))
    else:
        # Forbid memory that no rlimit counts: memfds, and shared mappings without a file.
        for bits in (0x00, 0x01, 0x20):
            made.add_rule_exactly(seccomp.ALLOW, "mmap", seccomp.Arg(3, seccomp.MASKED_EQ,
                                                                     MAP_SHARED_ANONYMOUS | MAP_HUGETLB, bits))
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()


def main() -> None:
    """Write both filters next to this script."""
    for name, memory_counted in (("standard", True), ("reduced", False)):
        (Path(__file__).parent / f"{name}.bpf").write_bytes(make_filter(memory_counted=memory_counted))


if __name__ == "__main__":
    main()
