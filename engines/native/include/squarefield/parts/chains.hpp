// Stones and groups on a Go board, and what a stone would remove by the Tromp-Taylor rules.
//
// Each group has an entry at the index of one of its stones, and a circular list joins its stones. The entry has the
// group's "pseudo-liberties": pairs of a stone and an empty point next to it, of which there are none exactly if the group
// has no liberty. Their sum tells whether all are one point. A stone's effect is therefore known without a search for the
// group.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "squarefield/parts/points.hpp"

namespace squarefield {

// A stone's effect: the groups that it removes, and the hash and the number of stones of the board that it leaves.
struct Effect {
    std::array<std::uint16_t, 4> removed{};
    int groups = 0;
    bool suicide = false;  // it removes its own group, and no group of the enemy
    int count = 0;
    std::uint64_t hash = 0;
    bool plain() const { return !groups && !suicide; }
};

template <int W>
class Chains {
public:
    using Set = Bits<W>;
    using Stones = std::array<Set, 2>;  // the stones of seat 0 and of seat 1
    static constexpr int empty = 0, outside = 3;
    static constexpr std::size_t limit = W * 64 < largest_board ? W * 64 : largest_board;

    explicit Chains(int size) : size_(size), empties_(size * size), near_(&Points::of(size)) {
        colour_.fill(outside);
        for (int point = 0; point < cells(); ++point) {
            colour_[at(point)] = empty;
            where_[at(point)] = free_[at(point)] = static_cast<std::uint16_t>(point);
        }
    }

    int size() const { return size_; }
    int cells() const { return size_ * size_; }
    int count() const { return cells() - empties_; }
    std::uint64_t hash() const { return hash_; }
    const Stones& stones() const { return stones_; }
    Set free_points() const { return ~(stones_[0] | stones_[1]) & Set::below(cells()); }

    // The empty points as a list, whose order is free.
    int empties() const { return empties_; }
    int empty_point(int index) const { return free_[at(index)]; }
    void swap_empty(int one, int other) {
        std::swap(free_[at(one)], free_[at(other)]);
        where_[free_[at(one)]] = static_cast<std::uint16_t>(one);
        where_[free_[at(other)]] = static_cast<std::uint16_t>(other);
    }

    // Whether all stored groups, liberties and lists agree with the stones: for tests.
    bool is_consistent() const;

    // Place a stone and join its groups, without removing any.
    void put(int point, int seat) {
        const std::size_t here = at(point);
        const std::uint8_t own = static_cast<std::uint8_t>(seat + 1);
        colour_[here] = own;
        stones_[at(seat)].add(point);
        roots_[at(seat)].add(point);
        chain_[here] = next_[here] = static_cast<std::uint16_t>(point);
        Group& group = groups_[here] = {Group::stone, stone_hashes[at(seat)][here]};
        hash_ ^= group.hash;
        swap_empty(where_[here], --empties_);
        for (const auto next : near_->near[here])
            if (is_stone(next)) groups_[chain_[next]].lose(here);
            else if (colour_[next] == empty) group.gain(next);
        for (const auto next : near_->near[here])
            if (colour_[next] == own && chain_[next] != chain_[here]) join(chain_[next], chain_[here]);
    }

    Effect effect(int point, int seat) const {
        const auto& near = near_->near[at(point)];
        const std::uint8_t own = static_cast<std::uint8_t>(seat + 1);
        Effect made;
        made.hash = hash_;
        made.count = count();
        bool liberty = false;
        for (const auto next : near) {
            if (colour_[next] == empty) liberty = true;
            else if (colour_[next] != outside) {
                const bool left = !groups_[chain_[next]].ends_at(point);
                if (colour_[next] == own) liberty |= left;
                else if (!left) remove(chain_[next], made);
            }
        }
        made.suicide = !liberty && !made.groups;
        if (made.suicide) {
            for (const auto next : near)
                if (colour_[next] == own) remove(chain_[next], made);
        } else {
            made.hash ^= stone_hashes[at(seat)][at(point)];
            ++made.count;
        }
        return made;
    }

    // Place a stone whose effect is known.
    void carry_out(const Effect& made, int point, int seat) {
        put(point, seat);
        if (made.suicide) clear(chain_[at(point)], seat);
        else
            for (int group = 0; group < made.groups; ++group) clear(made.removed[at(group)], 1 - seat);
    }

    // The board that a stone leaves.
    Stones after(const Effect& made, int point, int seat) const {
        Stones board = stones_;
        if (!made.suicide) board[at(seat)].add(point);
        for (int index = 0; index < made.groups; ++index) {
            const std::uint16_t root = made.removed[at(index)];
            each_stone_of(root, [&](std::uint16_t stone) { board[at(colour_[root] - 1)].remove(stone); });
        }
        return board;
    }

    // The points that are the only liberty of a group of the seat. Without branches, which no processor could predict here.
    Set only_liberties(int seat) const {
        static constexpr std::array<std::uint32_t, 8> part{0, 1 << 16, 1 << 15, (1 << 16) / 3 + 1, 1 << 14};  // 2^16 / count
        Set found;
        roots_[at(seat)].each([&](int root) {
            const Group& group = groups_[at(root)];
            const std::uint64_t count = group.liberties();
            const int point = static_cast<int>(group.points() * part[count & 7] >> 16);
            const bool only = (count - 1 < 4) & group.ends_at(point);
            found[only ? point >> 6 : 0] |= std::uint64_t{only} << (point & 63);
        });
        return found;
    }

private:
    // `sums` has the pseudo-liberties' number, the sum of their points and that of the points' squares, and the number of
    // stones. No board overflows the 10, 18, 27 and 9 bits: each of its at most 684 pairs of neighbours is one liberty.
    struct Group {
        std::uint64_t sums, hash;  // the hash: the XOR of the stones' hashes

        static constexpr std::uint64_t stone = std::uint64_t{1} << 55;
        static constexpr std::uint64_t liberty(std::uint64_t point) { return 1 | point << 10 | point * point << 28; }

        int length() const { return static_cast<int>(sums >> 55); }
        std::uint64_t liberties() const { return sums & 0x3ff; }
        std::uint64_t points() const { return sums >> 10 & 0x3ffff; }
        // Whether no other point is a liberty. Other points with the same sum have a larger sum of squares.
        bool ends_at(int point) const {
            return sums % stone == liberties() * liberty(static_cast<std::uint64_t>(point));
        }
        void gain(std::size_t point) { sums += liberty(point); }
        void lose(std::size_t point) { sums -= liberty(point); }
        void join(const Group& other) {
            sums += other.sums;
            hash ^= other.hash;
        }
    };

    template <class I>
    static constexpr std::size_t at(I index) { return static_cast<std::size_t>(index); }

    bool is_stone(std::size_t point) const { return colour_[point] == 1 || colour_[point] == 2; }

    template <class F>
    void each_stone_of(std::uint16_t root, F&& use) const {
        std::uint16_t stone = root;
        do use(stone);
        while ((stone = next_[stone]) != root);
    }

    void remove(std::uint16_t group, Effect& made) const {
        const auto end = made.removed.begin() + made.groups;
        if (std::find(made.removed.begin(), end, group) != end) return;
        made.removed[at(made.groups++)] = group;
        made.hash ^= groups_[group].hash;
        made.count -= groups_[group].length();
    }

    void join(std::uint16_t one, std::uint16_t other) {
        if (groups_[one].length() < groups_[other].length()) std::swap(one, other);
        groups_[one].join(groups_[other]);
        roots_[at(colour_[one] - 1)].remove(other);
        each_stone_of(other, [&](std::uint16_t stone) { chain_[stone] = one; });
        std::swap(next_[one], next_[other]);
    }

    void clear(std::uint16_t root, int seat) {
        roots_[at(seat)].remove(root);
        hash_ ^= groups_[root].hash;
        each_stone_of(root, [&](std::uint16_t stone) {
            colour_[stone] = empty;
            stones_[at(seat)].remove(stone);
            swap_empty(where_[stone], empties_++);
            for (const auto next : near_->near[stone])
                if (is_stone(next)) groups_[chain_[next]].gain(stone);
        });
    }

    int size_, empties_;
    const Points* near_;
    std::uint64_t hash_ = 0;
    Stones stones_{}, roots_{};  // of the roots: the stones at whose indices the groups have their entries
    std::array<std::uint8_t, largest_board + 1> colour_;
    std::array<std::uint16_t, limit> chain_{}, next_{}, free_{}, where_{};
    std::array<Group, limit> groups_{};
};

}  // namespace squarefield
