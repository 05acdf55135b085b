// The expert for SQU, as engines/search/games/squares.py and square_fills.py: all squares of the board, and random fillings. Those
// modules use the same functions, with random bits of their own, and have the same results to the last bit.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "squarefield/experts/expert.hpp"
#include "squarefield/squ.hpp"

namespace squarefield {

// A square: its cells per side and its corners.
struct Square {
    int length;
    std::array<std::size_t, 4> corners;
};

// Every square of a board, the largest first.
inline const std::vector<Square>& squares_of(int size) {
    static const auto table = [] {
        std::array<std::vector<Square>, largest_size + 1> all;
        for (int n = 2; n <= largest_size; ++n)
            for (int across = n - 1; across > 0; --across)
                for (int row = 0; row < n - across; ++row)
                    for (int column = 0; column < n - across; ++column) {
                        const auto corner = static_cast<std::size_t>(row * n + column);
                        const auto step = static_cast<std::size_t>(across), up = step * static_cast<std::size_t>(n);
                        all[static_cast<std::size_t>(n)].push_back(
                            {across + 1, {corner, corner + step, corner + up, corner + up + step}});
                    }
        return all;
    }();
    return table[static_cast<std::size_t>(size)];
}

// A board from the view of the player to move, and the marked squ (0: none).
template <int W>
struct Discs {
    int size, missing;  // the discs that the turn still needs
    Bits<W> own, other;
    int record;
    bool record_is_own;

    static Discs of(const Squ<W>& game) {
        const int seat = game.seat();
        return {game.size(), game.due(), game.stones(seat), game.stones(1 - seat), game.record().length,
                game.record().seat == seat};
    }

    static int count(const Bits<W>& set, const Square& square) {
        int sum = 0;
        for (const std::size_t corner : square.corners) sum += set.has(static_cast<int>(corner));
        return sum;
    }
};

// What each cell is worth: by the larger squares than the record that it builds, completes or blocks.
template <int W>
std::vector<double> worths(const Discs<W>& discs) {
    constexpr std::array build{0.05, 1.0, 12.0, 40.0}, block{0.0, 0.7, 10.0, 30.0};
    std::vector<double> all(static_cast<std::size_t>(discs.size * discs.size));
    for (const Square& square : squares_of(discs.size)) {
        if (square.length <= discs.record) break;
        const int ours = discs.count(discs.own, square), theirs = discs.count(discs.other, square);
        if ((ours > 0 && theirs > 0) || ours == 4 || theirs == 4) continue;
        const double value = theirs > 0 ? block[static_cast<std::size_t>(theirs)]
                             : 4 - ours <= discs.missing ? 1000.0 : build[static_cast<std::size_t>(ours)];
        const double worth = square.length * value;
        for (const std::size_t corner : square.corners) all[corner] += worth;
    }
    return all;
}

template <int W>
Ranks ranks(const Squ<W>& game) {
    const std::vector<double> worth = worths(Discs<W>::of(game));
    Ranks all;
    std::transform(worth.begin(), worth.end(), all.cell.begin(), [](double value) { return static_cast<float>(value); });
    return all;
}

// The empty corners of the largest square that the player can complete now; none if the other could answer with a larger one.
template <int W>
std::vector<std::size_t> completing(const Discs<W>& discs) {
    for (const Square& square : squares_of(discs.size)) {
        if (square.length <= discs.record) break;
        const int ours = discs.count(discs.own, square), empty = 4 - ours - discs.count(discs.other, square);
        if (empty > 2 || empty == 0) continue;
        if (ours + empty == 4 && empty <= discs.missing) {
            std::vector<std::size_t> cells;
            for (const std::size_t corner : square.corners)
                if (!discs.own.has(static_cast<int>(corner))) cells.push_back(corner);
            return cells;
        }
        if (ours == 0) break;
    }
    return {};
}

// The player's chance, 0 to 1, and its chances in the fillings in which it has a cell.
struct Filled {
    double value;
    std::vector<double> after;
};

// Fillings of the board, one in each lane: the largest square wins. `fill` returns the lanes in which the player has an empty
// cell, and is called for each in ascending order.
template <int L, int W, class Fill>
Filled filled(const Discs<W>& discs, Fill&& fill) {
    using Set = Bits<L>;
    constexpr double lanes = 64 * L;
    std::vector<Set> cells(static_cast<std::size_t>(discs.size * discs.size));
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
        if (discs.own.has(static_cast<int>(cell))) cells[cell] = ~Set{};
        else if (!discs.other.has(static_cast<int>(cell))) cells[cell] = fill();
    }
    for (const std::size_t cell : completing(discs)) cells[cell] = ~Set{};
    Set won, lost, open = ~Set{}, ours, theirs;
    int length = discs.size;
    const auto settle = [&] {
        won |= ours & ~theirs & open;
        lost |= theirs & ~ours & open;
        open &= ~(ours | theirs);
        ours = theirs = {};
    };
    for (const Square& square : squares_of(discs.size)) {
        if (square.length != length) {
            settle();
            length = square.length;
        }
        if (square.length <= discs.record || open.none()) break;
        const auto& [one, two, three, four] = square.corners;
        ours |= cells[one] & cells[two] & cells[three] & cells[four];
        theirs |= ~(cells[one] | cells[two] | cells[three] | cells[four]);
    }
    settle();
    if (discs.record > 0) (discs.record_is_own ? won : lost) |= open;
    Filled found{(lanes + won.count() - lost.count()) / (2 * lanes), std::vector<double>(cells.size())};
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
        const int held = cells[cell].count(), lead = (won & cells[cell]).count() - (lost & cells[cell]).count();
        found.after[cell] = (held + lead + 2 * found.value) / (2 * held + 2);
    }
    return found;
}

template <int W>
Estimate estimate(const Squ<W>& game, Rng& rng) {
    const Filled made = filled<4>(Discs<W>::of(game), [&] {
        Bits<4> lanes;
        for (int w = 0; w < 4; ++w) lanes[w] = rng.next();
        return lanes;
    });
    Estimate found;
    found.value = static_cast<float>(made.value);
    std::transform(made.after.begin(), made.after.end(), found.after.begin(),
                   [](double chance) { return static_cast<float>(chance); });
    return found;
}

}  // namespace squarefield
