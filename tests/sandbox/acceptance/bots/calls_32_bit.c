/* Row 27: makes a 32-bit system call (getpid), which has another number in the filter. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    long result;
    while (hear(line)) {
        if (is(line, "genmove"))
            __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L));
        answer(line);
    }
}
