// OOSCG-W: a stone that forms crosscuts removes their enemy stones, and as many bonus stones as possible must follow.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "squarefield/parts/crosscuts.hpp"
#include "squarefield/game.hpp"
#include "squarefield/parts/links.hpp"

namespace squarefield {

template <int W>
class OoscgW : public Course {
public:
    using Set = Bits<W>;
    static constexpr const char* slug = "ooscg-w";
    static constexpr int version = 1, least = 3;
    static constexpr bool one_stone = false, first_stone_counts = true;

    explicit OoscgW(int size) : board_(&board_of<W>(size)), links_(size) {}

    static OoscgW setup(int size, const std::uint8_t* stones, int seat, const Facts& facts) {
        OoscgW game(size);
        game.resume(seat, facts);
        each_stone(size, stones, [&](int cell, int owner) {
            game.put(cell, owner);
            if (game.joined_) game.end(Ending::connection, owner);
            game.joined_ = false;
        });
        // A full board with a crosscut may have no winner, so that a game from here might not end.
        for (const int owner : {0, 1})
            if (crosscuts(*game.board_, game.own(owner), game.own(1 - owner)).any())
                throw std::invalid_argument("the board has a crosscut, and no turn can end with one on the board");
        return game;
    }

    int size() const { return board_->size; }
    const Set& stones(int seat) const { return own_[static_cast<std::size_t>(seat)]; }
    const Set& partial() const { return placed_; }

    Set next() const {
        if (over()) return {};
        return missing_ == 0 ? empty() : conflicts().extending(missing_);
    }

    void add(int cell) {
        if (missing_ == 0) place_first(cell);
        else place_bonus(cell);
        if (missing_ == 0) finish();
    }

    void random_turn(Rng& rng) {
        do {
            const Set cells = next();
            add(cells.nth(rng.below(cells.count())));
        } while (missing_ > 0);
    }

    // Play random turns to the end of the game. Returns their number. The list of empty cells saves searching for them.
    int play_out(Rng& rng) {
        std::array<std::uint16_t, largest_size * largest_size> cells;
        int left = 0, turns = 0;
        const auto append = [&](int cell) { cells[static_cast<std::size_t>(left++)] = static_cast<std::uint16_t>(cell); };
        empty().each(append);
        for (; !over(); ++turns) {
            const int first = draw(cells, left, rng);
            place_first(first).each(append);
            while (missing_ > 0) {
                const Set next = conflicts().extending(missing_);
                int bonus = draw(cells, left, rng);
                // Cells that do not fit stay in the list.
                for (; !next.has(bonus); bonus = draw(cells, left, rng)) ++left;
                place_bonus(bonus);
            }
            finish();
        }
        return turns;
    }

private:
    Set& own(int seat) { return own_[static_cast<std::size_t>(seat)]; }
    const Set& own(int seat) const { return own_[static_cast<std::size_t>(seat)]; }
    Set empty() const { return board_->full & ~(own_[0] | own_[1]); }
    Conflicts<W> conflicts() const { return Conflicts<W>(*board_, own(seat_), own(seat_ ^ 1), empty()); }

    void put(int cell, int seat) {
        own(seat).add(cell);
        joined_ |= links_.put(cell, seat);
    }

    // Place the first stone and remove the enemy stones of its crosscuts, which are returned.
    Set place_first(int cell) {
        const Set removed = crosscut_enemies(*board_, own(seat_), own(seat_ ^ 1), cell);
        placed_.add(cell);
        put(cell, seat_);
        const int owed = removed.count();
        if (owed == 0) return removed;
        own(seat_ ^ 1) &= ~removed;
        links_.take(removed, own(seat_ ^ 1), seat_ ^ 1, board_->side[static_cast<std::size_t>(2 * (seat_ ^ 1))]);
        missing_ = std::min(owed, conflicts().independence(owed));
        return removed;
    }

    void place_bonus(int cell) {
        placed_.add(cell);
        put(cell, seat_);
        --missing_;
    }

    void finish() {
        if (joined_) end(Ending::connection, seat_);
        placed_ = {};
        seat_ ^= 1;
    }

    const Board<W>* board_;
    std::array<Set, 2> own_{};
    Links<W, false> links_;
    Set placed_;                  // the stones of the unfinished turn
    int missing_ = 0;             // how many bonus stones must still follow
    bool joined_ = false;
};

}  // namespace squarefield
