"""What is done between the worker and bubblewrap: a bot's uid, core, limits and file systems, its tie to the worker.

A short Perl program, since it must start in a millisecond, make system calls that no command of util-linux makes, and
run before bubblewrap gives its privileges up. Perl is on every Debian (perl-base is essential there). The uid is
changed here and not by subprocess's `user=`, which copies the worker's page tables at every start: 4 ms at 100 MB.
"""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Final

# When the host runs out of memory, bots go before workers; a worker that is spared does not spare them.
_OOM_SCORE: Final = 500
# System calls by their numbers for x86-64, the machine that the filters are made for.
_PROGRAM: Final = r"""
my ($worker, $uid, $core, $inodes, $systems, $limits) = map { $_ + 0 } splice @ARGV, 0, 6;
my %bytes = splice @ARGV, 0, 2 * $systems;
my %most = splice @ARGV, 0, 2 * $limits;
sub call { my $name = shift; syscall(shift, @_) != -1 or die "$name: $!\n" }
sub put { my ($path, $text) = @_; open FILE, ">", $path and syswrite FILE, $text and close FILE or die "$path: $!\n" }

put("/proc/self/oom_score_adj", OOM_SCORE);
# Before the uid changes, since a worker with few capabilities may do neither afterwards.
call("sched_setaffinity", 203, 0, 128, pack("b1024", "0" x $core . "1")) if $core >= 0;
if ($uid >= 0) {
    call("setgroups", 116, 0, 0);
    call("setresgid", 119, $uid, $uid, $uid);
    call("setresuid", 117, $uid, $uid, $uid);
}
# bubblewrap's own --tmpfs bounds bytes, but no files, and hundreds of thousands of them take seconds to remove.
call("PR_SET_DUMPABLE", 157, 4, 1, 0, 0, 0);  # lost with the change of the uid; without it /proc/self is root's
my ($us, $group) = ($> + 0, $) + 0);
call("a namespace of users and mounts", 272, 0x10000000 | 0x20000);
put("/proc/self/setgroups", "deny");
put("/proc/self/uid_map", "$us $us 1");
put("/proc/self/gid_map", "$group $group 1");
while (my ($place, $size) = each %bytes) {
    my ($tmpfs, $nosuid_nodev, $options) = ("tmpfs", 2 | 4, "size=$size,nr_inodes=$inodes,mode=0755");
    call("a file system in memory", 165, $tmpfs, $place, $tmpfs, $nosuid_nodev, $options);
}
# Set here, since a program inside would take a third of a millisecond. The count of tasks is that of the namespace
# above, so that it is the bot's own.
while (my ($resource, $most) = each %most) {
    call("setrlimit", 160, $resource + 0, pack("QQ", $most, $most));
}
call("PR_CAP_AMBIENT_CLEAR_ALL", 157, 47, 4, 0, 0, 0);
call("PR_SET_PDEATHSIG", 157, 1, 9, 0, 0, 0);
getppid() == $worker or die "the worker has gone\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
""".replace("OOM_SCORE", str(_OOM_SCORE))


def entered(perl: str, command: list[str], *, worker: int, uid: int | None, core: int | None,
            file_systems: Mapping[Path, int], inodes: int, limits: Mapping[int, int]) -> list[str]:
    """The command, run by `uid` (None: the worker's own) on one core (None: on any), and killed with `worker`.

    It sees a new file system in memory at each of these directories, of so many bytes and of `inodes` files. Each
    of its processes has these resource limits, by their numbers.
    """
    numbers = (worker, -1 if uid is None else uid, -1 if core is None else core, inodes, len(file_systems),
               len(limits))
    words = [*numbers, *chain.from_iterable(file_systems.items()), *chain.from_iterable(limits.items())]
    return [perl, "-e", _PROGRAM, "--", *map(str, words), *command]
