// The interface of experts, which the tree search asks about a game, and the expert for any game.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "squarefield/actions.hpp"
#include "squarefield/playout.hpp"

namespace squarefield {

// The chance of the player to move, 0 to 1, and its chance in the completions of the board in which it has a cell.
struct Estimate {
    float value = 0.5F;
    std::array<float, largest_size * largest_size> after{};
};

// A look at a position: the player's chance, or -1 without an opinion; whether one legal turn certainly wins.
struct Glance {
    float chance = -1;
    bool wins = false;
};

// The values of the cells, of a pass and of a swap; only their proportions count.
struct Ranks {
    std::array<float, largest_size * largest_size> cell{};
    float pass = 1, swap = 1;
};

// By random playouts, without a rank and without an opinion. Games have overloads of these three that fit better.
template <Game G>
Estimate estimate(const G& game, Rng& rng) {
    constexpr int count = 4;
    const Sample played = sample(game, count, rng, 3 * game.size() * game.size());
    const float sum = static_cast<float>(played.points) / 2;
    Estimate found;
    found.value = sum / static_cast<float>(count);
    // Few playouts say little about one cell.
    const float prior = (sum + 0.5F) / static_cast<float>(count + 1);
    for (std::size_t cell = 0; cell < played.held.size(); ++cell)
        found.after[cell] = (static_cast<float>(played.held_points[cell]) / 2 + 8 * prior) /
                            static_cast<float>(played.held[cell] + 8);
    return found;
}

template <Game G>
Ranks ranks(const G&) {
    Ranks all;
    all.cell.fill(1);
    return all;
}

template <Game G>
Glance glance(const G&) {
    return {};
}

}  // namespace squarefield
