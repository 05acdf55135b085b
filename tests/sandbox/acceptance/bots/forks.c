/* Row 1: forks endlessly, and so do its children. */
#include "gtp.h"
#include <ctype.h>
#include <dirent.h>

static int tasks(void) {
    int count = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(proc));)
        count += isdigit(entry->d_name[0]) != 0;
    closedir(proc);
    return count;
}

int main(void) {
    char line[LINE];
    while (hear(line)) {
        if (is(line, "genmove"))
            for (int told = 0;;)
                if (fork() < 0 && !told++)
                    dprintf(2, "tasks: %d\n", tasks());
        answer(line);
    }
}
