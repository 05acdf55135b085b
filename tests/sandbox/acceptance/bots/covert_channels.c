/* Row 28: tries locks on files that every sandbox shows, and the shared memory of its rival. */
#include "gtp.h"
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/shm.h>

int main(void) {
    char line[LINE];
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    int shared = open("/usr/bin/env", O_RDONLY), turns = 0;
    while (hear(line)) {
        if (is(line, "genmove") && !turns++) {
            report("flock", flock(shared, LOCK_EX | LOCK_NB));
            report("F_SETLK", fcntl(shared, F_SETLK, &whole));
            report("F_OFD_SETLK", fcntl(shared, F_OFD_SETLK, &whole));
            report("F_SETLEASE", fcntl(shared, F_SETLEASE, F_RDLCK));
            report("inotify", inotify_init1(0));
            report("shmget", shmget(1234, 4096, IPC_CREAT | 0666));
            report("rival", shm_open("/rival", O_RDONLY, 0));
        }
        answer(line);
    }
}
