/* Row 8: writes gigabytes to stderr. */
#include "gtp.h"

int main(void) {
    static char block[MB];
    char line[LINE];
    memset(block, 'x', sizeof block);
    while (hear(line)) {
        while (is(line, "genmove"))
            write(2, block, sizeof block);
        answer(line);
    }
}
