/* Row 37: opens terminals, of which the host has only a few thousand in total. */
#include "gtp.h"
#include <sys/ioctl.h>

int main(void) {
    char line[LINE];
    int turns = 0;
    while (hear(line)) {
        if (is(line, "genmove") && !turns++) {
            report("ptmx", open("/dev/ptmx", O_RDWR));
            report("pts", open("/dev/pts/ptmx", O_RDWR));
            report("tty", open("/dev/tty", O_RDWR));
            report("TIOCSTI", ioctl(0, TIOCSTI, "x"));
            report("TCGETS", ioctl(0, 0x5401, line));
        }
        answer(line);
    }
}
