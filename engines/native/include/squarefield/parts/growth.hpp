// Scware turns that grow groups by one stone each, where diagonal neighbours must end up in the same group. As in
// engines/rules/growth.py.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "squarefield/bits.hpp"

namespace squarefield {

// One group that a turn has grown: its stones, including the new ones and the groups that it has joined; the player's stones
// that must be in it when the turn ends, because they are diagonal to a new stone; and the cells next to a new stone.
template <int W>
struct Grown {
    Bits<W> stones, needs, edge;
    bool finished() const { return needs.within(stones); }
};

// The growing stones of one turn, as the resulting groups.
template <int W>
using Growing = std::vector<Grown<W>>;

// The groups of all stones on the board, each under one of its cells.
template <int W>
class Groups {
public:
    const Bits<W>& at(int cell) const { return members_[label_[static_cast<std::size_t>(cell)]]; }

    // Add a stone of the seat whose stones are `own`, and join the groups next to it. Returns its group.
    const Bits<W>& put(int cell, const Board<W>& board, const Bits<W>& own) {
        const Bits<W> near = board.near_to(cell) & own;
        std::uint16_t root = static_cast<std::uint16_t>(cell);
        if (near.none()) {
            members_[root] = {};
        } else {
            root = label_[static_cast<std::size_t>(near.first())];
            near.each([&](int stone) { root = join(root, label_[static_cast<std::size_t>(stone)]); });
        }
        label_[static_cast<std::size_t>(cell)] = root;
        members_[root].add(cell);
        return members_[root];
    }

private:
    static constexpr std::size_t cells = static_cast<std::size_t>(side_of(W) * side_of(W));

    // Join two groups, and return the name of the result: the larger one's.
    std::uint16_t join(std::uint16_t one, std::uint16_t other) {
        if (one == other) return one;
        if (members_[one].count() < members_[other].count()) std::swap(one, other);
        members_[other].each([&](int stone) { label_[static_cast<std::size_t>(stone)] = one; });
        members_[one] |= members_[other];
        return one;
    }

    std::array<std::uint16_t, cells> label_{};
    std::array<Bits<W>, cells> members_{};
};

// The options of the player to move in one position.
template <int W>
class Survey {
public:
    using Set = Bits<W>;

    Survey(const Board<W>& board, const Groups<W>& groups, const Set& own, const Set& empty)
        : board_(&board), groups_(&groups), own_(own), empty_(empty) {}

    // The empty cells without own stones around them.
    Set starting() const { return empty_ & ~board_->around(own_); }
    // The empty cells next to one of the player's groups.
    Set growing() const { return empty_ & board_->beside(own_); }
    // The cells of `starting` after these growing stones.
    Set starting_after(const Set& stones) const { return empty_ & ~board_->around(own_ | stones); }

    // The stones of the groups next to a cell.
    Set touched(int cell) const {
        Set stones;
        (board_->near_to(cell) & own_).each([&](int near) { stones |= groups_->at(near); });
        return stones;
    }
    // The cells next to any of these groups: a turn can have at most one stone on them.
    Set rivals(const Set& groups) const { return board_->beside(groups) & empty_; }

    // Whether a growing stone neither meets a new stone nor must wait for another group: then it may end the turn.
    bool plain(int cell, const Set& groups, const Set& fresh) const {
        return (own_ & board_->corners_of(cell)).within(groups) &&
               !fresh.meets(board_->near_to(cell) | board_->corners_of(cell));
    }

    // The cells with an own stone on a corner whose group they do not touch.
    Set risky() const {
        Set cells, rest = own_;
        while (rest.any()) {
            const Set& group = groups_->at(rest.first());
            rest &= ~group;
            cells |= board_->corners(group) & ~board_->beside(group);
        }
        return cells & empty_;
    }

    // Add a growing stone, which must not be a rival of the turn's stones.
    void add(Growing<W>& turn, int cell) const {
        const Set& near = board_->near_to(cell);
        const Set& corners = board_->corners_of(cell);
        Grown<W> grown{touched(cell), own_ & corners, near};
        grown.stones.add(cell);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < turn.size(); ++i) {
            Grown<W>& other = turn[i];
            // The stone touches none of the old groups in `other`, so it can only touch a new stone there.
            if (other.stones.meets(near)) {
                grown.stones |= other.stones;
                grown.needs |= other.needs;
                grown.edge |= other.edge;
                continue;
            }
            if (const Set meeting = other.stones & corners; meeting.any()) {
                grown.needs |= meeting;
                other.needs.add(cell);
            }
            if (kept != i) turn[kept] = other;
            ++kept;
        }
        turn.resize(kept);
        turn.push_back(grown);
    }

    Growing<W> build(const Set& stones) const {
        Growing<W> turn;
        turn.reserve(static_cast<std::size_t>(stones.count()) + 2);
        stones.each([&](int cell) { add(turn, cell); });
        return turn;
    }

    static bool keeps_restriction(const Growing<W>& turn) {
        for (const Grown<W>& grown : turn)
            if (!grown.finished()) return false;
        return true;
    }

    // Whether the turn can satisfy the restriction, with or without more stones on cells of `free`. Each stone grows a group
    // of its own, so that the recursion is at most as deep as the number of groups.
    bool can_finish(const Growing<W>& turn, Set free) const {
        Set options;
        int fewest = -1;
        for (const Grown<W>& grown : turn) {
            if (grown.finished()) continue;
            const Set ways = grown.edge & free;
            const int count = ways.count();
            if (count == 0) return false;
            if (fewest < 0 || count < fewest) {
                fewest = count;
                options = ways;
            }
        }
        if (fewest < 0) return true;
        for (int w = 0; w < W; ++w) {
            for (std::uint64_t rest = options[w]; rest != 0; rest &= rest - 1) {
                const int cell = 64 * w + std::countr_zero(rest);
                free.remove(cell);
                Growing<W> longer = turn;
                add(longer, cell);
                if (can_finish(longer, free & ~rivals(touched(cell)))) return true;
            }
        }
        return false;
    }

private:
    const Board<W>* board_;
    const Groups<W>* groups_;
    Set own_, empty_;
};

}  // namespace squarefield
