// Observations of a batch's games: planes of one byte for each cell, as engines/env/planes.py, which describes them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "squarefield/actions.hpp"

namespace squarefield {

// Eight bytes, 0 or 1, for each eight bits.
inline constexpr auto byte_table = [] {
    std::array<std::uint64_t, 256> table{};
    for (std::uint64_t bits = 0; bits < 256; ++bits)
        for (int bit = 0; bit < 8; ++bit)
            table[bits] |= (bits >> bit & 1) << (std::endian::native == std::endian::little ? 8 * bit : 56 - 8 * bit);
    return table;
}();

// Write a byte for each of the first `cells` cells.
template <int W>
void spread(const Bits<W>& set, int cells, std::uint8_t* to) {
    int cell = 0;
    for (; cell + 8 <= cells; cell += 8)
        std::memcpy(to + cell, &byte_table[set[cell >> 6] >> (cell & 63) & 255], 8);
    for (; cell < cells; ++cell) to[cell] = set.has(cell);
}

// Write a byte for each action: 1 if it is legal.
template <class Set>
void write_mask(const Options<Set>& options, int board, std::uint8_t* to) {
    spread(options.cells, board, to);
    to[board] = options.end;
    to[board + 1] = options.pass;
    to[board + 2] = options.swap;
}

// Writes planes one after the other.
struct Planes {
    std::uint8_t* to;
    int cells;

    template <int W>
    void set(const Bits<W>& set) {
        spread(set, cells, to);
        to += cells;
    }
    void fact(int number) {
        std::fill_n(to, cells, static_cast<std::uint8_t>(number));
        to += cells;
    }
};

// A game's planes, and what they show besides its position: the legal actions, the other seat's stones when the turn began,
// whether the previous turn was a pass, and whether two stones of one seat touch.
template <Game G>
struct Shown {
    using Set = typename G::Set;
    static constexpr std::string_view slug = G::slug;
    static constexpr bool scware = slug == "scware", squ = slug == "squ", superko = slug == "squaresquared";
    static constexpr bool removes = slug == "ooscg-w";
    static constexpr int number = 4 + 2 * (scware || squ || superko) + removes;

    Options<Set> options;
    Set enemy{};
    bool passed = false, grown = false;

    void turn_ended(const Board<Set::words>& board, const Set& stones, bool pass) {
        enemy = stones;
        passed = pass;
        if constexpr (scware) grown = grown || enemy.meets(board.beside(enemy));
    }

    // `ended`: the game is over or truncated, and has no next step.
    void write(const G& game, const Board<Set::words>& board, bool ended, std::uint8_t* to) const {
        const int seat = game.seat();
        const Set own = game.stones(seat), turn = game.partial();
        const Set& other = game.stones(1 - seat);
        Planes planes{to, board.size * board.size};
        planes.set(own & ~turn);
        planes.set(other);
        if constexpr (G::one_stone) planes.fact(0);
        else planes.set(turn);
        planes.fact(seat);
        if constexpr (scware) {
            planes.fact(grown);
            planes.fact(passed);
        } else if constexpr (squ) {
            planes.fact(game.record().seat == seat ? game.record().length : 0);
            planes.fact(game.record().seat == seat ? 0 : game.record().length);
        } else if constexpr (superko) {
            planes.fact(passed);
            planes.set(ended ? Set{} : board.full & ~(own | other | options.cells));
        } else if constexpr (removes) {
            planes.set(enemy & ~other);
        }
    }
};

}  // namespace squarefield
