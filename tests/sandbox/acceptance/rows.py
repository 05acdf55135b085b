"""The acceptance list as data: the actions and required verdicts of hostile bots and of honest but awkward ones."""

from collections.abc import Callable
from dataclasses import dataclass, field

from engines.records.time_control import TimeControl
from engines.rules.outcome import Forfeit
from engines.sandbox import Tier
from tests.sandbox.acceptance import checks
from tests.sandbox.acceptance.arena import Meeting

DENIED = frozenset({"EPERM", "EACCES", "ENOSYS"})
TIME, CRASH, MEMORY, OUTPUT = Forfeit.TIME, Forfeit.CRASH, Forfeit.MEMORY, Forfeit.OUTPUT
PROTOCOL, ILLEGAL = Forfeit.PROTOCOL, Forfeit.ILLEGAL


@dataclass(frozen=True, kw_only=True)
class Row:
    """One bot and its required result.

    `forfeits` are the accepted verdicts; if empty, the game must end by rule. `reports` are the errors that attempts
    may meet, by attempt. `arguments` are the bot's, with `{name}` filled in by the test. `check` tests further
    requirements of the list. `reduced` says why a machine without cgroups cannot contain the bot.
    `cgroup` marks the bots that cgroups contain, in a different way in each version.
    """

    does: str
    bot: str
    number: int | None = None
    forfeits: tuple[Forfeit, ...] = ()
    says: str = ""
    reports: dict[str, frozenset[str]] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    check: Callable[[Meeting], None] | None = None
    reduced: str = ""
    cgroup: bool = False
    opponent: str = "honest"
    seat: int = 1
    base: float | None = None
    ponder: bool = False
    handshake: float = 10.0
    handshake_cpu: float = 5.0

    @property
    def name(self) -> str:
        """Return the name used in tests and reports."""
        return f"row {self.number}: {self.does}" if self.number else f"awkward: {self.does}"

    @property
    def control(self) -> TimeControl | None:
        """Return the row's own time control, if it needs one."""
        return None if self.base is None else TimeControl(self.base)

    def expected(self, tier: Tier) -> tuple[Forfeit, ...]:
        """Return the verdicts on this tier: without cgroups there are no memfds, so filling them has no effect."""
        return () if self.bot == "fills_memfds" and tier is Tier.REDUCED else self.forfeits


def errors(what: str, *allowed: str) -> dict[str, frozenset[str]]:
    """Return the same errors for several attempts."""
    return dict.fromkeys(what.split(), frozenset(allowed) or DENIED)


def says(text: bytes) -> tuple[str, ...]:
    """Return the argument that makes `says` write the text; a manifest accepts only printable words."""
    return (text.hex(),)


def text(what: str, raw: bytes) -> Row:
    """Return a row with number 33."""
    return Row(number=33, does=what, bot="says", arguments=says(raw), forfeits=(ILLEGAL,), check=checks.shown_escaped)


HOSTILE = (
    Row(number=1, does="forks endlessly", bot="forks", forfeits=(TIME,), check=checks.capped_at_64_tasks, cgroup=True),
    Row(number=2, does="takes 600 MB alone", bot="takes_600_mb", forfeits=(MEMORY,), base=3, cgroup=True),
    Row(number=3, does="takes 6 × 200 MB in children, and survives them", bot="children_take_memory",
        forfeits=(MEMORY,), base=3, cgroup=True),
    Row(number=4, does="fills memfds", bot="fills_memfds", forfeits=(MEMORY,), base=3, check=checks.memfds_are_counted,
        cgroup=True),
    Row(number=5, does="fills /tmp, /dev/shm, / and /dev", bot="fills_disks", reports={
        **errors("/tmp /dev/shm", "ENOSPC"),  # noqa: S108 - the sandbox's own
        **errors("/ /dev /bot", "EROFS")}),
    Row(number=6, does="writes gigabytes without a newline", bot="floods_stdout", forfeits=(OUTPUT,),
        check=checks.cost_little),
    Row(number=7, does="floods lines off turn", bot="floods_off_turn", forfeits=(PROTOCOL,), ponder=True,
        arguments=("100",), opponent="slow", base=3, says="wrote to stdout after its answer to"),
    Row(number=7, does="floods lines before it is frozen", bot="floods_off_turn", forfeits=(PROTOCOL,)),
    Row(number=7, does="answers before it is asked", bot="answers_early", forfeits=(PROTOCOL,)),
    Row(number=8, does="writes gigabytes to stderr", bot="floods_stderr", forfeits=(OUTPUT,),
        check=checks.kept_64_kb_of_stderr),
    Row(number=9, does="never reads its input", bot="never_reads", forfeits=(TIME,), handshake=2),
    Row(number=10, does="stays silent", bot="stays_silent", forfeits=(TIME,)),
    Row(number=10, does="sleeps", bot="sleeps", forfeits=(TIME,)),
    Row(number=11, does="loops", bot="loops", forfeits=(TIME,), check=checks.lost_by_cpu_time, cgroup=True),
    Row(number=12, does="ignores SIGTERM", bot="ignores_sigterm", check=checks.died_with_the_match),
    Row(number=13, does="double-forks a daemon", bot="daemon", check=checks.died_with_the_match, cgroup=True),
    Row(number=14, does="evades CPU accounting by ignoring SIGCHLD", bot="hides_children", base=3,
        check=checks.was_charged(0.5), cgroup=True),
    Row(number=15, does="thinks off turn", bot="thinks_off_turn", opponent="slow", base=3,
        check=checks.used_little_off_turn, reduced="a bot that is not to move cannot be frozen", cgroup=True),
    Row(number=16, does="stops itself", bot="stops_itself", forfeits=(TIME, CRASH)),
    Row(number=17, does="closes stdout and lives on", bot="closes", arguments=("1",), forfeits=(CRASH,), base=60,
        says="closed its output or input"),
    Row(number=17, does="closes stdin and lives on", bot="closes", arguments=("0",), forfeits=(CRASH,), base=60,
        says="closed its output or input"),
    Row(number=18, does="exits at once", bot="exits", forfeits=(CRASH,), says="exited with status 3"),
    Row(number=19, does="reads /etc/shadow, /home, other bots, the database", bot="reads_secrets",
        arguments=("/etc/shadow", "/etc/passwd", "/home", "/root", "/var", "/run", "/sys", "{builds}", "{project}",
                   "{database}"),
        reports={**errors("/etc/shadow /etc/passwd /home /root /var /run /sys", "ENOENT"),
                 **errors("{builds} {project} {database}", "ENOENT", "EACCES")}),
    Row(number=20, does="reads /proc/1/environ and mountinfo", bot="reads_proc", check=checks.learned_no_secret),
    Row(number=21, does="writes sysctls", bot="writes_sysctls", reports={
        **errors("opened", "0"), **errors("/proc/sys/kernel/core_pattern", "ENOENT")}),
    Row(number=22, does="ptraces or reads the referee's memory", bot="reads_referee", arguments=("{referee}",),
        reports={**errors("ptrace process_vm_readv"), **errors("kill", "ESRCH"), **errors("mem", "ENOENT"),
                 **errors("others", "0")}),
    Row(number=23, does="opens TCP, UDP, netlink, VSOCK", bot="opens_sockets",
        reports=errors("TCP UDP IPv6 netlink packet VSOCK", "EAFNOSUPPORT")),
    Row(number=24, does="connects to a host's or a rival's abstract socket", bot="abstract_sockets", opponent="rival",
        arguments=("{socket}", "rival"), reports=errors("{socket} rival", "ECONNREFUSED"),
        check=checks.rival_was_there),
    Row(number=25, does="runs setuid programs, mknod, mount", bot="becomes_root", reports={
        **errors("su", "FAILED"), "setuid bits": frozenset({"IGNORED"}), "new privileges": frozenset({"NONE"}),
        **errors("setuid", "EPERM", "EINVAL"), **errors("mknod mount bind remount")}),
    Row(number=26, does="tries unshare, io_uring, bpf, keyctl, userfaultfd", bot="kernel_doors",
        reports=errors("unshare clone io_uring bpf keyctl userfaultfd perf_event_open", "EPERM", "ENOSYS")),
    Row(number=27, does="makes 32-bit system calls", bot="calls_32_bit", forfeits=(CRASH,), says="SIGSYS"),
    Row(number=28, does="locks files of /usr, looks for the rival's shm", bot="covert_channels", opponent="rival",
        reports={**errors("flock F_SETLK F_OFD_SETLK F_SETLEASE inotify shmget"), **errors("rival", "ENOENT")},
        check=checks.rival_was_there),
    Row(number=29, does="un-pins its CPU, raises its limits, sets oom_score −1000", bot="raises_limits", base=3,
        forfeits=(MEMORY,), reports={
            **errors("affinity nproc fsize memlock priority"), **errors("oom_score_adj", "EROFS"),
            **errors("autogroup", "EROFS", "ENOENT")}),  # some kernels have none
    Row(number=34, does="starts 60 burners in the handshake, each in a session of its own", bot="burns_in_handshake",
        forfeits=(TIME,), says="1 s of CPU time for the start and the handshake", handshake_cpu=1, cgroup=True),
    Row(number=35, does="rewrites process 1, to outlive the match", bot="rewrites_process_1", reports={
        **errors("/proc/1/mem /proc/1/task/1/mem /proc/self/../1/mem /proc/1/environ", "ENOENT"),
        **errors("cover", "EROFS")}, check=checks.died_with_the_match),
    Row(number=37, does="opens terminals", bot="opens_terminals", reports={
        **errors("ptmx pts tty", "ENOENT"), **errors("TIOCSTI", "ENOSYS"), **errors("TCGETS", "ENOTTY")}),
    Row(number=39, does="reads from memory what another game has read", bot="reads_page_cache", reports={
        **errors("RWF_NOWAIT mincore cachestat", "ENOSYS"), **errors("fadvise", "OK")}),
    Row(number=40, does="creates files endlessly", bot="fills_inodes", base=3, check=checks.died_with_the_match,
        reports=errors("/tmp /dev/shm", "ENOSPC")),  # noqa: S108 - the sandbox's own
    Row(number=42, does="takes huge pages, and asks for core dumps", bot="takes_huge_pages",
        reports=errors("memfd shmget mmap core", "ENOSYS")),
    Row(number=46, does="waits for its own short-lived processes, to look starved", bot="competes_with_itself",
        forfeits=(TIME,), cgroup=True),
    Row(number=32, does="sends future moves", bot="future_moves", forfeits=(PROTOCOL,)),
    text("NUL", b"b\0001"),
    text("bad UTF-8", b"b1\xff\xfe"),
    text("U+2028", "b1\u2028".encode()),
    text("non-ASCII digits", "b\N{FULLWIDTH DIGIT ONE}".encode()),
    text("1_0", b"b1_0"),
    text("hundreds of digits", b"b" + b"1" * 450),
    text("ANSI", b"\x1b[2J\x1b[31mb1"),
    text("HTML", b"<script>alert(1)</script>"),
    # Longer than any line that is read: the limit on an answer applies before the answer is judged.
    Row(number=33, does="a million digits", bot="million_digits", forfeits=(OUTPUT,), check=checks.shown_escaped),
)

AWKWARD = (
    Row(does="answers byte by byte", bot="byte_by_byte"),
    Row(does="sends CRLF", bot="crlf"),
    Row(does="sends blank lines", bot="blank_lines"),
    Row(does="forgets to flush", bot="never_flushes", forfeits=(TIME,), says="flush", handshake=2),
    Row(does="writes 1 MB to stderr", bot="megabyte_to_stderr", check=checks.kept_64_kb_of_stderr),
    Row(does="allocates 400 MB", bot="takes_400_mb"),
    Row(does="runs 8 threads, CPU summed", bot="eight_threads", base=3, check=checks.was_charged(0.4, by_wall=0.05),
        cgroup=True),
    Row(does="forks a helper, CPU summed", bot="forks_a_helper", base=3, check=checks.was_charged(0.1)),
    Row(does="exits after the last move of its game, which it wins", bot="leaves_early", arguments=("3",), seat=0),
    Row(does="exits after the last move of its game, which it loses", bot="leaves_early", arguments=("2",)),
    Row(does="starts in 400 ms", bot="starts_slowly", check=checks.was_not_charged(0.4)),
)
