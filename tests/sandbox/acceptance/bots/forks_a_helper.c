/* Awkward: lets a helper process think, 100 ms per turn. */
#include "gtp.h"

int main(void) {
    char line[LINE], byte = 0;
    int to[2], from[2];
    if (pipe(to) || pipe(from))
        return 1;
    if (fork() == 0) {
        close(to[1]);
        while (read(to[0], &byte, 1) == 1) {
            burn(0.1);
            write(from[1], &byte, 1);
        }
        return 0;
    }
    while (hear(line)) {
        if (is(line, "genmove") && (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1))
            return 1;
        answer(line);
    }
}
