/* Row 26: tries system calls that have been used to attack kernels. */
#include "gtp.h"
#include <sched.h>
#include <sys/syscall.h>

int main(void) {
    static char parameters[256];
    report("unshare", unshare(CLONE_NEWUSER));
    report("clone", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
    report("io_uring", syscall(SYS_io_uring_setup, 1, parameters));
    report("bpf", syscall(SYS_bpf, 0, parameters, sizeof parameters));
    report("keyctl", syscall(SYS_keyctl, 0, -3, 1));
    report("userfaultfd", syscall(SYS_userfaultfd, 1));
    report("perf_event_open", syscall(SYS_perf_event_open, parameters, 0, -1, -1, 0));
    return play_honestly();
}
