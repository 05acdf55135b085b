// Many random fillings of a board at once, one in each of 256 lanes, as in engines/search/games/path_fills.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "squarefield/bits.hpp"
#include "squarefield/rng.hpp"

namespace squarefield {

using Lanes = Bits<4>;
inline constexpr std::size_t lanes_bytes = 32;

// The lanes of one cell, from Python's little-endian bytes.
template <int L>
Bits<L> lanes_at(const unsigned char* bytes) {
    Bits<L> lanes;
    for (int w = 0; w < L; ++w)
        for (int i = 0; i < 8; ++i) lanes[w] |= static_cast<std::uint64_t>(*bytes++) << (8 * i);
    return lanes;
}

inline std::vector<Lanes> lanes_from(const unsigned char* bytes, int cells) {
    std::vector<Lanes> lanes;
    for (int cell = 0; cell < cells; ++cell, bytes += lanes_bytes) lanes.push_back(lanes_at<4>(bytes));
    return lanes;
}

// Random lanes for the empty cells; the player has its own cells in all lanes, and those of the other player in none.
template <int W>
std::vector<Lanes> random_lanes(int size, const Bits<W>& own, const Bits<W>& other, Rng& rng) {
    std::vector<Lanes> cells(static_cast<std::size_t>(size * size));
    for (int cell = 0; cell < size * size; ++cell) {
        Lanes& lanes = cells[static_cast<std::size_t>(cell)];
        if (own.has(cell)) lanes = ~Lanes{};
        else if (!other.has(cell))
            for (int w = 0; w < Lanes::words; ++w) lanes[w] = rng.next();
    }
    return cells;
}

// The lanes in which seat 0 joins south and north via orthogonal neighbours and rising or falling diagonals: the reduction of
// the game of Y, as in engines/search/games/reduction.py.
inline Lanes joined_with_diagonals(std::vector<Lanes> cells, int size, bool rising) {
    for (int level = 1; level < 2 * size - 1; ++level) {
        const int rows = level < size ? size : 2 * size - 1 - level;
        for (int row = 0; row < rows; ++row) {
            for (int i = 0; i < size; ++i) {
                // A cell is changed after the one beside it whose old value it needs.
                const int column = rising ? size - 1 - i : i, next = rising ? column - 1 : column + 1;
                const auto at = static_cast<std::size_t>(row * size + column);
                const Lanes north = row + 1 < size ? cells[at + static_cast<std::size_t>(size)] : ~Lanes{};
                const Lanes beside =
                    next >= 0 && next < size ? cells[static_cast<std::size_t>(row * size + next)] : Lanes{};
                cells[at] = (cells[at] & (north | beside)) | (north & beside);
            }
        }
    }
    return cells[static_cast<std::size_t>(rising ? size - 1 : 0)];
}

// The lanes in which seat 0 joins its sides. Off Hex boards, half of the lanes have rising diagonals, the others falling ones.
inline Lanes joined_lanes(const std::vector<Lanes>& cells, int size, bool hexagonal) {
    Lanes won = joined_with_diagonals(cells, size, true);
    if (hexagonal) return won;
    const Lanes falling = joined_with_diagonals(cells, size, false);
    won[2] = falling[2];
    won[3] = falling[3];
    return won;
}

// In how many lanes each cell is set, and in how many of these `won` is set.
inline std::pair<std::vector<int>, std::vector<int>> lane_counts(const std::vector<Lanes>& cells, const Lanes& won) {
    std::pair<std::vector<int>, std::vector<int>> counts;
    for (const Lanes& cell : cells) {
        counts.first.push_back(cell.count());
        counts.second.push_back((cell & won).count());
    }
    return counts;
}

}  // namespace squarefield
