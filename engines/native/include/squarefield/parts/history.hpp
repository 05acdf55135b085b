// The boards that a game has had, for exact positional superko.
//
// Every board is stored completely. Boards are listed by their number of stones, because only boards with as many stones can
// be equal; of those, a board with the same hash is compared stone by stone. Equal boards always have equal hashes, so a hash
// can spare a comparison but never decide that two boards are equal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "squarefield/parts/chains.hpp"
#include "squarefield/rng.hpp"

namespace squarefield {

template <int W>
class History {
public:
    using Stones = typename Chains<W>::Stones;

    History() { latest_.fill(-1); }

    std::size_t size() const { return boards_.size(); }

    void add(const Stones& stones, std::uint64_t hash, int count) {
        boards_.push_back({hash, latest(count), stones});
        latest_[static_cast<std::size_t>(count)] = static_cast<std::int32_t>(boards_.size() - 1);
    }

    // A hash of the set of boards: equal for equal sets, in whatever order the boards were added. Computed when asked for, because
    // games that are only played out do not need it.
    std::uint64_t digest() const {
        std::uint64_t sum = 0;
        for (const Board& each : boards_) sum += stirred(each.hash + golden);
        return sum;
    }

    // Whether the game had the board with this hash and number of stones, which `make` returns when it must be compared.
    template <class Make>
    bool has(std::uint64_t hash, int count, const Make& make) const {
        for (std::int32_t index = latest(count); index >= 0; index = board(index).previous)
            if (board(index).hash == hash && board(index).stones == make()) return true;
        return false;
    }

    // Call `use` with each board of this number of stones.
    template <class F>
    void each(int count, F&& use) const {
        for (std::int32_t index = latest(count); index >= 0; index = board(index).previous) use(board(index).stones);
    }

private:
    struct Board {
        std::uint64_t hash;
        std::int32_t previous;  // the last earlier board with as many stones, or -1
        Stones stones;
    };

    const Board& board(std::int32_t index) const { return boards_[static_cast<std::size_t>(index)]; }
    std::int32_t latest(int count) const { return latest_[static_cast<std::size_t>(count)]; }

    std::array<std::int32_t, Chains<W>::limit + 2> latest_;  // for each number of stones: the last board, or -1
    std::vector<Board> boards_;
};

}  // namespace squarefield
