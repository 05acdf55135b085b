"""The step between worker and bubblewrap: sets a bot's uid, core, limits and file systems, and ties it to the worker.

This is a short Perl program because it must start within a millisecond, make system calls that no util-linux command
makes, and run before bubblewrap drops its privileges. Perl is on every Debian (perl-base is essential there). The uid
is changed here and not by subprocess's `user=`, which copies the worker's page tables at every start: 4 ms at 100 MB.
"""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Final

# When the host runs out of memory, the kernel kills bots before workers, even if a worker's own score is lowered.
_OOM_SCORE: Final = 500
# System calls by their x86-64 numbers, the architecture for which the filters are made.
_PROGRAM: Final = r"""
my ($worker, $uid, $core, $inodes, $systems, $limits) = map { $_ + 0 } splice @ARGV, 0, 6;
my %bytes = splice @ARGV, 0, 2 * $systems;
my %most = splice @ARGV, 0, 2 * $limits;
sub call { my $name = shift; syscall(shift, @_) != -1 or die "$name: $!\n" }
sub put { my ($path, $text) = @_; open FILE, ">", $path and syswrite FILE, $text and close FILE or die "$path: $!\n" }

put("/proc/self/oom_score_adj", OOM_SCORE);
# Before the uid changes, because a worker with few capabilities may do neither afterwards.
call("sched_setaffinity", 203, 0, 128, pack("b1024", "0" x $core . "1")) if $core >= 0;
if ($uid >= 0) {
    call("setgroups", 116, 0, 0);
    call("setresgid", 119, $uid, $uid, $uid);
    call("setresuid", 117, $uid, $uid, $uid);
}
# bubblewrap's own --tmpfs limits bytes but not files, and hundreds of thousands of files take seconds to remove.
call("PR_SET_DUMPABLE", 157, 4, 1, 0, 0, 0);  # the uid change clears it; without it, root owns /proc/self
my ($us, $group) = ($> + 0, $) + 0);
call("a namespace of users and mounts", 272, 0x10000000 | 0x20000);
put("/proc/self/setgroups", "deny");
put("/proc/self/uid_map", "$us $us 1");
put("/proc/self/gid_map", "$group $group 1");
while (my ($place, $size) = each %bytes) {
    my ($tmpfs, $nosuid_nodev, $options) = ("tmpfs", 2 | 4, "size=$size,nr_inodes=$inodes,mode=0755");
    call("a file system in memory", 165, $tmpfs, $place, $tmpfs, $nosuid_nodev, $options);
}
# Set here, because a program inside would take a third of a millisecond. Tasks are counted per user namespace, so the
# namespace created above gives each bot its own count.
while (my ($resource, $most) = each %most) {
    call("setrlimit", 160, $resource + 0, pack("QQ", $most, $most));
}
call("PR_CAP_AMBIENT_CLEAR_ALL", 157, 47, 4, 0, 0, 0);
call("PR_SET_PDEATHSIG", 157, 1, 9, 0, 0, 0);
getppid() == $worker or die "the worker has exited\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
""".replace("OOM_SCORE", str(_OOM_SCORE))


def entered(perl: str, command: list[str], *, worker: int, uid: int | None, core: int | None,
            file_systems: Mapping[Path, int], inodes: int, limits: Mapping[int, int]) -> list[str]:
    """Return the command that runs `command` as `uid` (None: the worker's own) on one `core` (None: any).

    The process dies with `worker`. It sees a new in-memory file system at each directory of `file_systems`, with that
    many bytes and `inodes` files. Each of its processes has the resource `limits`, which are keyed by number.
    """
    numbers = (worker, -1 if uid is None else uid, -1 if core is None else core, inodes, len(file_systems),
               len(limits))
    words = [*numbers, *chain.from_iterable(file_systems.items()), *chain.from_iterable(limits.items())]
    return [perl, "-e", _PROGRAM, "--", *map(str, words), *command]
