/* Row 35: tries to write the memory of process 1, which could outlive the match. */
#include "gtp.h"

int main(void) {
    static const char *places[] = {"/proc/1/mem", "/proc/1/task/1/mem", "/proc/self/../1/mem", "/proc/1/environ"};
    char line[LINE];
    int turns = 0;
    while (hear(line)) {
        if (is(line, "genmove") && !turns++) {
            for (int place = 0; place < 4; place++)
                report(places[place], open(places[place], place == 3 ? O_RDONLY : O_RDWR));
            report("cover", mkdir("/proc/1/task", 0755));
            report("signal", kill(1, SIGKILL));  /* is not delivered */
        }
        answer(line);
    }
}
