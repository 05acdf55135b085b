/* Row 9: never reads its input. */
#include "gtp.h"

int main(void) { sleep_for_ever(); }
