// SquareSquared, as engines/rules/games/squaresquared.py: Go by Tromp-Taylor rules, scored ring by ring from the edge.
#pragma once

#include <array>

#include "squarefield/parts/captures.hpp"
#include "squarefield/game.hpp"

namespace squarefield {

template <int W>
class SquareSquared : public Course {
public:
    using Set = Bits<W>;
    using Stones = typename Captures<W>::Stones;
    static constexpr const char* slug = "squaresquared";
    static constexpr int version = 1, least = 2;
    static constexpr bool one_stone = true, first_stone_counts = false;

    explicit SquareSquared(int size) : points_(size) {}

    // The empty board is always an earlier board.
    static SquareSquared setup(int size, const std::uint8_t* stones, int seat, const Facts& facts) {
        const auto read = [&](const auto* cells) {
            Stones board{};
            each_stone(size, cells, [&](int point, int owner) { board[static_cast<std::size_t>(owner)].add(point); });
            return board;
        };
        SquareSquared game(size);
        game.points_ = Captures<W>(size, read(stones));
        for (const std::string& board : facts.history) game.points_.add_past(read(board.data()));
        game.resume(seat, facts);
        game.passed_ = facts.passed;
        return game;
    }

    int size() const { return points_.size(); }
    Set stones(int seat) const { return points_.stones()[static_cast<std::size_t>(seat)]; }
    Set partial() const { return {}; }
    Set next() const { return over() ? Set{} : points_.new_points(seat_); }
    bool may_pass() const { return !over(); }
    bool passed() const { return passed_; }
    // Which stones superko forbids, now and later, depends on all earlier boards.
    std::uint64_t unseen() const { return points_.past().digest() + passed_; }
    const Captures<W>& points() const { return points_; }

    void add(int point) {
        points_.play(point, seat_);
        next_turn();
    }

    void pass() {
        if (passed_) score();
        passed_ = true;
        seat_ ^= 1;
    }

    // A random legal turn, all equally likely: stones that superko forbids are redrawn.
    void random_turn(Rng& rng) {
        if (points_.play_at_random(seat_, rng, {.suicide = true, .none = true})) next_turn();
        else pass();
    }

    // For playouts: a player does not fill its own eyes, and passes only if nothing else is left.
    void sensible_turn(Rng& rng) {
        const Board<W>& board = board_of<W>(size());
        const Set own = stones(seat_), other = stones(1 - seat_);
        const auto is_eye = [&](int point) {
            const Set& corners = board.corners_of(point);
            return board.near_to(point).within(own) && (corners & other).count() < (corners.count() == 4 ? 2 : 1);
        };
        if (points_.play_at_random(seat_, rng, {}, is_eye)) next_turn();
        else pass();
    }

private:
    void next_turn() {
        passed_ = false;
        seat_ ^= 1;
    }

    void score() {
        reason_ = Ending::two_passes;
        const Board<W>& board = board_of<W>(size());
        for (Set inner = board.full; inner.any() && winner_ < 0;) {
            // A ring is the cells without four neighbours in the square that the rings further out leave.
            const Set core = board.east(inner) & board.west(inner) & board.north(inner) & board.south(inner);
            const Set ring = inner & ~core;
            const int difference = (stones(0) & ring).count() - (stones(1) & ring).count();
            if (difference != 0) winner_ = difference > 0 ? 0 : 1;
            inner &= core;
        }
    }

    Captures<W> points_;
    bool passed_ = false;
};

}  // namespace squarefield
