// Go with exact positional superko, only for tests and benches: it shows what captures.hpp costs next to OpenSpiel's Go.
// As there: no suicide, area scoring (Tromp-Taylor) with komi 7.5, and an end after two passes or 2 * size * size turns.
#pragma once

#include "squarefield/parts/captures.hpp"
#include "squarefield/game.hpp"

namespace squarefield {

template <int W>
class Go {
public:
    using Set = Bits<W>;

    explicit Go(int size) : points_(size) {}

    int size() const { return points_.size(); }
    int seat() const { return seat_; }
    bool over() const { return passes_ == 2 || turns_ >= 2 * points_.chains().cells(); }
    const Captures<W>& points() const { return points_; }
    Set next() const {
        Set found = over() ? Set{} : points_.new_points(seat_);
        found.each([&](int point) {
            if (points_.chains().effect(point, seat_).suicide) found.remove(point);
        });
        return found;
    }

    // Black's area minus white's and komi.
    double score() const {
        const Board<W>& board = board_of<W>(size());
        const auto& [black, white] = points_.stones();
        const Set open = points_.chains().free_points();
        const Set reached = board.fill(board.beside(black) & open, open), other = board.fill(board.beside(white) & open, open);
        return (black | (reached & ~other)).count() - (white | (other & ~reached)).count() - 7.5;
    }

    void pass() {
        ++passes_;
        next_turn();
    }

    void add(int point) {
        points_.play(point, seat_);
        passes_ = 0;
        next_turn();
    }

    void random_turn(Rng& rng) {
        if (!points_.play_at_random(seat_, rng, {.none = true})) return pass();
        passes_ = 0;
        next_turn();
    }

private:
    void next_turn() {
        seat_ = 1 - seat_;
        ++turns_;
    }

    Captures<W> points_;
    int seat_ = 0, passes_ = 0, turns_ = 0;
};

}  // namespace squarefield
