// Actions as numbers: the cells, then "end the turn", "pass" and "swap".
#pragma once

#include "squarefield/game.hpp"

namespace squarefield {

constexpr int end_action(int size) { return size * size; }
constexpr int pass_action(int size) { return size * size + 1; }
constexpr int swap_action(int size) { return size * size + 2; }
constexpr int actions(int size) { return size * size + 3; }

// The legal actions of a position. `board` is the number of the board's cells, which callers know.
template <class Set>
struct Options {
    Set cells{};
    int count = 0;
    bool end = false, pass = false, swap = false;

    bool has(int action, int board) const {
        if (action >= 0 && action < board) return cells.has(action);
        return (action == board && end) || (action == board + 1 && pass) || (action == board + 2 && swap);
    }

    // The action with `rank` lower ones, which must exist.
    int nth(int rank, int board) const {
        int beyond = rank - (count - end - pass - swap);
        if (beyond < 0) return cells.nth(rank);
        if (end && beyond-- == 0) return board;
        return pass && beyond == 0 ? board + 1 : board + 2;
    }

    // In place, because a batch reads the parts at once: a copy would wait for them to be stored.
    template <Game G>
    void read(const G& game) {
        cells = game.next();
        end = game.may_end();
        pass = game.may_pass();
        swap = game.may_swap();
        count = cells.count() + end + pass + swap;
    }
};

template <Game G>
Options<typename G::Set> options(const G& game) {
    Options<typename G::Set> all;
    all.read(game);
    return all;
}

template <Game G>
bool legal(const G& game, int action) { return options(game).has(action, game.size() * game.size()); }

// Play a legal action.
template <Game G>
void apply(G& game, int action) {
    const int cells = game.size() * game.size();
    if (action < cells) game.add(action);
    else if (action == cells) game.end_turn();
    else if (action == cells + 1) game.pass();
    else game.swap();
}

// A random legal action, all equally likely, as in Python's `complete_at_random`. The game must not be over.
template <Game G>
int random_action(const G& game, Rng& rng) {
    const auto all = options(game);
    return all.nth(rng.below(all.count), game.size() * game.size());
}

}  // namespace squarefield
