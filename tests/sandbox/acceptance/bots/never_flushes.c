/* Awkward: forgets to flush. */
#include "gtp.h"

static void buffered(const char *text, size_t length) { fwrite(text, 1, length, stdout); }

int main(void) {
    emit = buffered;
    return play_honestly();
}
