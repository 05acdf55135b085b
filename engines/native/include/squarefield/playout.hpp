// Random games: counts of results over many playouts of one position.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "squarefield/actions.hpp"

namespace squarefield {

struct Tally {
    std::array<std::uint64_t, 2> wins{};
    std::uint64_t draws = 0, turns = 0;
};

// Complete an unfinished turn with equally likely steps.
template <Game G>
void complete_turn(G& game, Rng& rng) {
    while (!game.over() && game.partial().any()) apply(game, random_action(game, rng));
}

// Play random turns to the end of the game. Returns their number. A game may have a faster loop for whole turns.
template <Game G>
int play_out(G& game, Rng& rng) {
    int turns = game.partial().any();
    complete_turn(game, rng);
    if constexpr (requires { { game.play_out(rng) } -> std::same_as<int>; }) {
        return turns + game.play_out(rng);
    } else {
        for (; !game.over(); ++turns) game.random_turn(rng);
        return turns;
    }
}

template <Game G>
Tally playouts(const G& start, std::uint64_t count, std::uint64_t seed) {
    Tally tally;
    Rng rng(seed);
    G game = start;
    for (std::uint64_t i = 0; i < count; ++i, game = start) {
        tally.turns += static_cast<std::uint64_t>(play_out(game, rng));
        if (game.winner() < 0) ++tally.draws;
        else ++tally.wins[static_cast<std::size_t>(game.winner())];
    }
    return tally;
}

// Playouts of one position for a search: twice the sum of the results for the seat to move, and how often the seat held each
// cell at the end, and twice the results of these playouts.
struct Sample {
    int points = 0;
    std::vector<int> held, held_points;
};

// A random turn; without turns that never help, if the game knows any.
template <Game G>
void sensible_turn(G& game, Rng& rng) {
    if constexpr (requires { game.sensible_turn(rng); }) game.sensible_turn(rng);
    else game.random_turn(rng);
}

// Playouts with more than `most_turns` turns count as draws.
template <Game G>
Sample sample(const G& start, int count, Rng& rng, int most_turns) {
    const auto cells = static_cast<std::size_t>(start.size() * start.size());
    Sample found{0, std::vector<int>(cells), std::vector<int>(cells)};
    const int seat = start.seat();
    G game = start;
    for (int i = 0; i < count; ++i, game = start) {
        complete_turn(game, rng);
        for (int turns = 0; !game.over() && turns < most_turns; ++turns) sensible_turn(game, rng);
        const int points = game.winner() < 0 ? 1 : game.winner() == seat ? 2 : 0;
        found.points += points;
        game.stones(seat).each([&](int cell) {
            ++found.held[static_cast<std::size_t>(cell)];
            found.held_points[static_cast<std::size_t>(cell)] += points;
        });
    }
    return found;
}

}  // namespace squarefield
