/* Row 25: tries setuid programs, devices and mounts. */
#include "gtp.h"
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

int main(void) {
    struct statvfs usr;
    int status = 0;
    if (fork() == 0) {
        dup2(2, 1);
        execl("/usr/bin/su", "su", "-c", "exit 0", "root", (char *)0);
        _exit(127);
    }
    wait(&status);
    dprintf(2, "\nsu: %s\n", status ? "FAILED" : "OK");
    dprintf(2, "setuid bits: %s\n", statvfs("/usr", &usr) == 0 && usr.f_flag & ST_NOSUID ? "IGNORED" : "HEEDED");
    dprintf(2, "new privileges: %s\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? "NONE" : "SOME");
    report("setuid", setuid(0));
    report("mknod", mknod("/tmp/memory", S_IFCHR | 0666, makedev(1, 1)));
    report("mount", mount("none", "/tmp", "tmpfs", 0, 0));
    report("bind", mount("/usr", "/tmp", 0, MS_BIND, 0));
    report("remount", mount(0, "/usr", 0, MS_REMOUNT | MS_BIND, 0));
    return play_honestly();
}
