/* Awkward: allocates 400 MB. */
#include "gtp.h"

int main(void) {
    take(400);
    return play_honestly();
}
