/* Row 34: starts 60 burners at the first command, each in its own session, and lets the referee wait. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    hear(line);
    for (int burner = 0; burner < 60; burner++)
        if (fork() == 0) {
            setsid();
            for (;;)
                burn(1);
        }
    sleep_for_ever();
}
