/* Row 40: creates as many nested files and directories as it can, which are slow to remove. */
#include "gtp.h"
#include <sys/stat.h>

int main(void) {
    static const char *places[] = {"/tmp", "/dev/shm"};
    char line[LINE], name[32];
    int turns = 0, made = 0;
    while (hear(line)) {
        if (is(line, "genmove") && !turns++)
            for (int place = 0; place < 2; place++) {
                chdir(places[place]);
                for (int result = 0; result == 0; made++) {
                    snprintf(name, sizeof name, "%d", made);
                    result = made % 2 ? mknod(name, S_IFREG | 0600, 0) : mkdir(name, 0700) || chdir(name);
                }
                report(places[place], -1);
                chdir("/");
            }
        answer(line);
    }
}
