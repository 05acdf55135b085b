// The points of a Go board: the neighbours of each, and the hashes of stones on them.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "squarefield/bits.hpp"
#include "squarefield/rng.hpp"

namespace squarefield {

inline constexpr int largest_board = largest_size * largest_size;

// The neighbours of each point of one size of board. `largest_board` stands for a neighbour outside the board.
struct Points {
    std::array<std::array<std::uint16_t, 4>, largest_board> near{};

    static const Points& of(int size) {
        static const std::array<Points, largest_size + 1> tables = every_size();
        return tables[static_cast<std::size_t>(size)];
    }

private:
    static std::array<Points, largest_size + 1> every_size() {
        std::array<Points, largest_size + 1> tables{};
        constexpr std::array<std::pair<int, int>, 4> steps{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
        for (int size = 1; size <= largest_size; ++size)
            for (int point = 0; point < size * size; ++point)
                for (std::size_t way = 0; way < 4; ++way) {
                    const int row = point / size + steps[way].first, column = point % size + steps[way].second;
                    const bool on_board = 0 <= row && row < size && 0 <= column && column < size;
                    tables[static_cast<std::size_t>(size)].near[static_cast<std::size_t>(point)][way] =
                        static_cast<std::uint16_t>(on_board ? row * size + column : largest_board);
                }
        return tables;
    }
};

// The hash of a stone of each seat on each point: the outputs of SplitMix64 (Steele, Lea and Flood, 2014).
inline const std::array<std::array<std::uint64_t, largest_board>, 2> stone_hashes = [] {
    std::array<std::array<std::uint64_t, largest_board>, 2> hashes{};
    std::uint64_t state = 0x5175617265642121;
    for (auto& seat : hashes)
        for (auto& hash : seat) hash = stirred(state += golden);
    return hashes;
}();

}  // namespace squarefield
