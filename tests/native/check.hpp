// Checks for the tests in C++: a failed check names its line and what the test was doing, and ends the program.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

inline std::string doing;

#define CHECK(fact)                                                                                    \
    do {                                                                                               \
        if (!(fact)) {                                                                                 \
            std::fprintf(stderr, "%s:%d: not true: %s (%s)\n", __FILE__, __LINE__, #fact, doing.c_str()); \
            std::exit(1);                                                                              \
        }                                                                                              \
    } while (false)
