// Go boards by the plainest rules, to compare with chains.hpp and captures.hpp: everything is recomputed from the stones.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "squarefield/parts/chains.hpp"

struct Naive {
    int size;
    std::string stones;            // '.', '0' and '1', from a1 row by row
    std::set<std::string> past{};  // every board of the game, the current one included

    explicit Naive(int board) : size(board), stones(static_cast<std::size_t>(board * board), '.') { past.insert(stones); }

    std::vector<std::size_t> near(std::size_t point) const {
        const std::size_t n = static_cast<std::size_t>(size), column = point % n;
        std::vector<std::size_t> found;
        if (column > 0) found.push_back(point - 1);
        if (column + 1 < n) found.push_back(point + 1);
        if (point >= n) found.push_back(point - n);
        if (point + n < stones.size()) found.push_back(point + n);
        return found;
    }

    // The stones of the group on this point, and its liberties.
    std::pair<std::set<std::size_t>, std::set<std::size_t>> group(const std::string& board, std::size_t point) const {
        std::set<std::size_t> members{point}, liberties;
        std::vector<std::size_t> open{point};
        while (!open.empty()) {
            const std::size_t here = open.back();
            open.pop_back();
            for (const std::size_t next : near(here)) {
                if (board[next] == '.') liberties.insert(next);
                else if (board[next] == board[point] && members.insert(next).second) open.push_back(next);
            }
        }
        return {members, liberties};
    }

    void clear(std::string& board, std::size_t point) const {
        const auto [members, liberties] = group(board, point);
        if (liberties.empty())
            for (const std::size_t member : members) board[member] = '.';
    }

    std::string after(std::size_t point, int seat) const {
        std::string board = stones;
        board[point] = static_cast<char>('0' + seat);
        for (const std::size_t next : near(point))
            if (board[next] == '1' - seat) clear(board, next);
        clear(board, point);
        return board;
    }

    bool may_play(std::size_t point, int seat) const {
        return stones[point] == '.' && !past.contains(after(point, seat));
    }

    void play(std::size_t point, int seat) {
        stones = after(point, seat);
        past.insert(stones);
    }
};

// The invariants of the stored groups: recomputed from the stones.
template <int W>
bool squarefield::Chains<W>::is_consistent() const {
    Naive board(size_);
    for (const int seat : {0, 1})
        stones_[at(seat)].each([&](int point) { board.stones[at(point)] = static_cast<char>('0' + seat); });
    std::uint64_t hash = 0;
    int count = 0;
    for (std::size_t point = 0; point < board.stones.size(); ++point) {
        const char stone = board.stones[point];
        if (colour_[point] != (stone == '.' ? 0 : stone - '0' + 1)) return false;
        if ((where_[point] < empties_) != (stone == '.') || free_[where_[point]] != point) return false;
        if (stone == '.' && (roots_[0] | roots_[1]).has(static_cast<int>(point))) return false;
        if (stone == '.') continue;
        const auto [members, liberties] = board.group(board.stones, point);
        Group known{};
        for (const std::size_t member : members) {
            if (chain_[member] != chain_[point] || !members.contains(next_[member])) return false;
            known.sums += Group::stone;
            known.hash ^= stone_hashes[at(stone - '0')][member];
            for (const std::size_t next : board.near(member))
                if (board.stones[next] == '.') known.gain(next);
        }
        const Group& group = groups_[chain_[point]];
        if (roots_[at(stone - '0')].has(static_cast<int>(point)) != (chain_[point] == point)) return false;
        if (!members.contains(chain_[point]) || group.sums != known.sums || group.hash != known.hash) return false;
        hash ^= stone_hashes[at(stone - '0')][point];
        ++count;
    }
    return hash == hash_ && count == this->count();
}
