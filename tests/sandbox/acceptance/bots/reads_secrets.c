/* Row 19: opens every path that it was given. */
#include "gtp.h"

int main(int count, char **words) {
    for (int number = 1; number < count; number++)
        report(words[number], open(words[number], O_RDONLY));
    return play_honestly();
}
