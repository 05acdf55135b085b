/* Row 22: ptraces and reads the process with the given pid, and looks for it in /proc. */
#include "gtp.h"
#include <ctype.h>
#include <dirent.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

int main(int count, char **words) {
    char path[LINE], byte;
    pid_t referee = count > 1 ? atoi(words[1]) : 0;
    struct iovec mine = {&byte, 1}, theirs = {(void *)0x400000, 1};
    report("ptrace", ptrace(PTRACE_ATTACH, referee, 0, 0));
    report("process_vm_readv", process_vm_readv(referee, &mine, 1, &theirs, 1, 0));
    report("kill", kill(referee, 0));
    snprintf(path, sizeof path, "/proc/%d/mem", referee);
    report("mem", open(path, O_RDONLY));
    int others = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(proc));)
        others += isdigit(entry->d_name[0]) && atoi(entry->d_name) != getpid() && atoi(entry->d_name) != 1;
    dprintf(2, "others: %d\n", others);
    return play_honestly();
}
