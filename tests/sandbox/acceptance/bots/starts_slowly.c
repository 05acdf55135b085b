/* Awkward: takes 400 ms of CPU to start, as a JVM does. */
#include "gtp.h"

int main(void) {
    burn(0.4);
    return play_honestly();
}
