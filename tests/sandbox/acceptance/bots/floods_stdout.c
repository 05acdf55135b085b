/* Row 6: writes gigabytes without a newline. */
#include "gtp.h"

int main(void) {
    static char block[MB];
    char line[LINE];
    memset(block, 'x', sizeof block);
    while (hear(line)) {
        while (is(line, "genmove"))
            write(1, block, sizeof block);
        answer(line);
    }
}
