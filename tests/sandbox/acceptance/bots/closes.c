/* Row 17: answers its first genmove, closes stdin or stdout, and lives on. */
#include "gtp.h"

int main(int argc, char **argv) {
    char line[LINE];
    while (hear(line)) {
        answer(line);
        if (is(line, "genmove")) {
            close(atoi(argv[1]));
            sleep_for_ever();
        }
    }
}
