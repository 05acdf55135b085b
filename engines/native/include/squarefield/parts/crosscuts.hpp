// Crosscuts of OOSCG-W: 2×2 squares with one seat on one diagonal and the other seat on the other.
#pragma once

#include <array>
#include <cstdint>

#include "squarefield/bits.hpp"

namespace squarefield {

// The enemy stones in the crosscuts that a stone on `cell` is or would be part of.
template <int W>
Bits<W> crosscut_enemies(const Board<W>& board, const Bits<W>& own, const Bits<W>& enemy, int cell) {
    const Bits<W> near = board.near_to(cell) & enemy;
    Bits<W> found;
    // Two enemy neighbours and an own stone on the corner between them.
    if (near.none()) return found;
    (board.corners_of(cell) & own).each([&](int corner) {
        const Bits<W> between = board.near_to(corner) & board.near_to(cell);
        if (between.within(near)) found |= between;
    });
    return found;
}

// The south-western cells of the squares in which one diagonal, to the north-east, is `own` and the other one `enemy`.
template <int W>
Bits<W> crosscuts(const Board<W>& board, const Bits<W>& own, const Bits<W>& enemy) {
    return own & board.south(board.west(own)) & board.south(enemy) & board.west(enemy);
}

// The cells where a bonus stone forms no crosscut, and the pairs of them that exclude each other: the empty diagonal of a
// square whose other diagonal is the enemy's. Enemy stones do not change while bonus stones are placed. Each pair joins an
// even row to an odd one, so that a matching gives the largest number of stones (König).
template <int W>
class Conflicts {
public:
    using Set = Bits<W>;

    Conflicts(const Board<W>& board, const Set& own, const Set& enemy, const Set& empty) : board_(&board) {
        const Set east = board.west(enemy), west = board.east(enemy);     // cells with an enemy in the east, in the west
        const Set north = board.south(enemy), south = board.north(enemy);
        // Cells between two enemies, by the direction of the corner that is diagonal to the cell.
        const std::array<Set, 4> between{north & east, north & west, south & east, south & west};
        Set blocked;
        for (int way = 0; way < 4; ++way) blocked |= between[static_cast<std::size_t>(way)] & from(own, way);
        free_ = empty & ~blocked;
        for (int way = 0; way < 4; ++way) {
            Set& pairs = pairs_[static_cast<std::size_t>(way)];
            pairs = between[static_cast<std::size_t>(way)] & free_ & from(free_, way);
        }
        links_ = pairs_[0].count() + pairs_[1].count();
    }

    // The largest number of cells that can have stones together, or any number from `enough` upwards if there are so many.
    int independence(int enough) const { return free_.count() - (free_.count() - links_ >= enough ? links_ : matching(free_)); }

    // The cells that belong to a set of `missing` stones that can be placed together; such a set must exist.
    Set extending(int missing) const {
        constexpr int most_conflicts = 4;
        if (free_.count() - links_ - missing >= most_conflicts) return free_;
        Set cells;
        free_.each([&](int cell) {
            Set rest = free_;
            rest.remove(cell);
            rest &= ~excluded_by(cell);
            if (rest.count() - matching(rest) >= missing - 1) cells.add(cell);
        });
        return cells;
    }

private:
    // The cells from which a step in this direction leads to a cell of the set: north-east, north-west, south-east, south-west.
    Set from(const Set& set, int way) const {
        const Set row = way < 2 ? board_->south(set) : board_->north(set);
        return way % 2 == 0 ? board_->west(row) : board_->east(row);
    }

    int corner(int cell, int way) const { return cell + (way < 2 ? board_->size : -board_->size) + (way % 2 == 0 ? 1 : -1); }

    Set excluded_by(int cell) const {
        Set others;
        for (int way = 0; way < 4; ++way)
            if (pairs_[static_cast<std::size_t>(way)].has(cell)) others.add(corner(cell, way));
        return others;
    }

    // The size of a largest matching among these cells: augmenting paths by breadth-first search from each even row's cell.
    int matching(const Set& cells) const {
        constexpr std::size_t most = largest_size * largest_size;
        constexpr std::int16_t nobody = -1;
        std::array<std::int16_t, most> partner, came_from;
        partner.fill(nobody);
        int matched = 0;
        cells.each([&](int start) {
            if (start / board_->size % 2 != 0) return;
            std::array<std::int16_t, most> queue;
            std::size_t head = 0, tail = 0;
            Set seen;
            queue[tail++] = static_cast<std::int16_t>(start);
            while (head < tail) {
                const int cell = queue[head++];
                for (int way = 0; way < 4; ++way) {
                    if (!pairs_[static_cast<std::size_t>(way)].has(cell)) continue;
                    const int other = corner(cell, way);
                    if (!cells.has(other) || seen.has(other)) continue;
                    seen.add(other);
                    came_from[static_cast<std::size_t>(other)] = static_cast<std::int16_t>(cell);
                    const int taken_by = partner[static_cast<std::size_t>(other)];
                    if (taken_by != nobody) {
                        queue[tail++] = static_cast<std::int16_t>(taken_by);
                        continue;
                    }
                    // Swap the pairs along the path.
                    for (int odd = other; odd != nobody;) {
                        const int even = came_from[static_cast<std::size_t>(odd)];
                        const int before = partner[static_cast<std::size_t>(even)];
                        partner[static_cast<std::size_t>(odd)] = static_cast<std::int16_t>(even);
                        partner[static_cast<std::size_t>(even)] = static_cast<std::int16_t>(odd);
                        odd = before;
                    }
                    ++matched;
                    return;
                }
            }
        });
        return matched;
    }

    const Board<W>* board_;
    Set free_;
    std::array<Set, 4> pairs_;  // by direction, the cells that exclude the one on that corner
    int links_ = 0;
};

}  // namespace squarefield
