/* Row 4: fills memfds, whose pages belong to no process. */
#include "gtp.h"

int main(void) {
    static char block[MB];
    char line[LINE];
    while (hear(line)) {
        if (is(line, "genmove"))
            for (int number = 0; number < 25; number++) {
                int file = memfd_create("hoard", 0);
                report("memfd_create", file);
                for (int megabyte = 0; file >= 0 && megabyte < 32; megabyte++)
                    write(file, block, sizeof block);
            }
        answer(line);
    }
}
