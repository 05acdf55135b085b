/* Awkward: works for 99 % of its clock at every turn, counted from the first line of the turn. */
#include "gtp.h"

int main(void) {
    char line[LINE];
    double began = 0, left = 0;
    known = "list_commands\nset_ruleset\ntime_left\nquit";
    while (hear(line)) {
        if (is(line, "play") || (is(line, "time_left") && !began))
            began = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (is(line, "time_left"))
            sscanf(line, "time_left %*s %lf", &left);
        if (is(line, "genmove")) {
            burn(began + 0.99 * left - cpu_seconds(CLOCK_PROCESS_CPUTIME_ID));
            began = 0;
        }
        answer(line);
    }
}
