/* Row 13: leaves a double-forked daemon behind, in its own session. */
#include "gtp.h"

int main(void) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            close(0), close(1), close(2);
            sleep_for_ever();
        }
        _exit(0);
    }
    wait(0);
    return play_honestly();
}
