/* Awkward: answers byte by byte. */
#include "gtp.h"

static void one_by_one(const char *text, size_t length) {
    for (; length > 0; length--)
        write_all(text++, 1);
}

int main(void) {
    emit = one_by_one;
    return play_honestly();
}
