/* Row 19: opens every given path. */
#include "gtp.h"

int main(int count, char **words) {
    for (int number = 1; number < count; number++)
        report(words[number], open(words[number], O_RDONLY));
    return play_honestly();
}
