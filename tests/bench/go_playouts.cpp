// Random games of Go on the native engine's groups, for native_go.py.
#include <cstdint>

#include "../native/go.hpp"

using namespace squarefield;

namespace {

struct Played {
    std::int64_t turns = 0, black_wins = 0;
};

template <int W>
Played play(int size, std::int64_t count, Rng rng) {
    const Go<W> start(size);
    Go<W> game = start;
    Played played;
    for (std::int64_t number = 0; number < count; ++number, game = start) {
        for (; !game.over(); ++played.turns) game.random_turn(rng);
        played.black_wins += game.score() > 0;
    }
    return played;
}

}  // namespace

// Play games on a board of 2 to 11 points per side. Returns the number of their turns.
extern "C" std::int64_t go_playouts(int size, std::int64_t count, std::uint64_t seed, std::int64_t* black_wins) {
    const Played played = size <= 8 ? play<1>(size, count, Rng(seed)) : play<2>(size, count, Rng(seed));
    *black_wins = played.black_wins;
    return played.turns;
}
