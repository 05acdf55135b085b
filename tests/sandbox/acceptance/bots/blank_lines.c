/* Awkward: sends blank lines before and after its answers. */
#include "gtp.h"

static void surrounded(const char *text, size_t length) {
    write_all("\n \n", 3);
    write_all(text, length);
    write_all("\n\n", 2);
}

int main(void) {
    emit = surrounded;
    return play_honestly();
}
