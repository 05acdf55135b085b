// SQU, as engines/rules/games/squ.py: the largest axis-parallel square with four discs at its corners wins.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "squarefield/game.hpp"

namespace squarefield {

template <int W>
class Squ : public Course {
public:
    using Set = Bits<W>;
    using Stones = std::array<Set, 2>;
    static constexpr const char* slug = "squ";
    static constexpr int version = 1, least = 4;
    static constexpr bool one_stone = false, first_stone_counts = false;

    explicit Squ(int size) : size_(size), left_(size * size), empty_(Set::below(size * size)) {}

    // The corner of the record is not needed: only larger squs replace it.
    static Squ setup(int size, const std::uint8_t* stones, int seat, const Facts& facts) {
        Squ game(size);
        each_stone(size, stones, [&](int cell, int owner) { game.place(cell, owner); });
        if (facts.record > 0) game.record_ = {facts.record, facts.record_seat, -1};
        game.resume(seat, facts);
        game.due_ = game.discs();
        if (game.left_ == 0) game.end(Ending::board_full, game.record_.seat);
        return game;
    }

    int size() const { return size_; }
    Set stones(int seat) const { return stones_[static_cast<std::size_t>(seat)]; }
    Set partial() const { return partial_; }
    Set next() const { return over() ? Set{} : empty_; }
    const Mark& record() const { return record_; }
    int due() const { return due_; }  // discs that the turn still needs
    std::uint64_t unseen() const { return static_cast<std::uint64_t>(record_.length * 2 + (record_.seat == 1)); }

    void add(int cell) {
        place(cell, seat_);
        partial_.add(cell);
        if (--due_ == 0) finish();
    }

    void random_turn(Rng& rng) {
        for (int discs = due_; discs > 0; --discs) add(empty_.nth(rng.below(left_)));
    }

private:
    int discs() const { return left_ == 1 || left_ == size_ * size_ ? 1 : 2; }

    void place(int cell, int seat) {
        const auto owner = static_cast<std::size_t>(seat);
        stones_[owner].add(cell);
        empty_.remove(cell);
        --left_;
        rows_[owner][static_cast<std::size_t>(cell / size_)] |= std::uint32_t{1} << cell % size_;
    }

    // Judge the turn as a whole: mark its largest squ if it is larger than the record; of equal ones, the lowest corner.
    void finish() {
        const int standing = record_.length;
        partial_.each([&](int cell) { judge(cell, standing); });
        partial_ = {};
        seat_ ^= 1;
        due_ = discs();
        if (left_ == 0) end(Ending::board_full, record_.seat);
    }

    // Mark the largest squ with a corner on this cell: each disc in the same row is a second corner of two squares.
    void judge(int cell, int standing) {
        const auto& rows = rows_[static_cast<std::size_t>(seat_)];
        const int row = cell / size_, column = cell % size_;
        const std::uint32_t here = std::uint32_t{1} << column;
        for (std::uint32_t rest = rows[static_cast<std::size_t>(row)] & ~here; rest != 0; rest &= rest - 1) {
            const int second = std::countr_zero(rest), west = std::min(column, second), across = std::abs(second - column);
            if (across < standing) continue;
            const std::uint32_t both = here | (rest & (~rest + 1));
            for (const int other : {row - across, row + across})
                if (0 <= other && other < size_ && (rows[static_cast<std::size_t>(other)] & both) == both)
                    better({across + 1, seat_, std::min(row, other) * size_ + west});
        }
    }

    void better(const Mark& mark) {
        if (mark.length > record_.length || (mark.length == record_.length && mark.corner < record_.corner)) record_ = mark;
    }

    int size_, left_, due_ = 1;
    Set empty_, partial_{};
    Stones stones_{};
    std::array<std::array<std::uint32_t, largest_size>, 2> rows_{};  // each seat's discs in each row
    Mark record_{};
};

}  // namespace squarefield
