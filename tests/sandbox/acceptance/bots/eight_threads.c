/* Awkward: works 50 ms per turn in each of 8 threads. */
#include "gtp.h"
#include <pthread.h>

static void *work(void *nothing) {
    burn(0.05);
    return nothing;
}

int main(void) {
    char line[LINE];
    pthread_t threads[8];
    while (hear(line)) {
        if (is(line, "genmove")) {
            for (int number = 0; number < 8; number++)
                if (pthread_create(&threads[number], 0, work, 0))
                    return 1;
            for (int number = 0; number < 8; number++)
                pthread_join(threads[number], 0);
        }
        answer(line);
    }
}
