// Square Grid Hex: orthogonal neighbours, north-east and south-west. Seat 0 joins north and south, seat 1 west and east.
#pragma once

#include "squarefield/game.hpp"
#include "squarefield/parts/links.hpp"

namespace squarefield {

template <int W>
class Hex : public Course {
public:
    using Set = Bits<W>;
    static constexpr const char* slug = "square-grid-hex";
    static constexpr int version = 1, least = 3;
    static constexpr bool one_stone = true, first_stone_counts = false;

    explicit Hex(int size) : board_(&board_of<W>(size)), links_(size) {}

    static Hex setup(int size, const std::uint8_t* stones, int seat, const Facts& facts) {
        Hex game(size);
        game.resume(seat, facts);
        each_stone(size, stones, [&](int cell, int owner) {
            if (game.put(cell, owner)) game.end(Ending::connection, owner);
        });
        return game;
    }

    int size() const { return board_->size; }
    const Set& stones(int seat) const { return own_[static_cast<std::size_t>(seat)]; }
    Set partial() const { return {}; }
    Set next() const { return over() ? Set{} : empty(); }
    bool may_swap() const { return !over() && seat_ == 1 && own_[1].none() && own_[0].count() == 1; }

    void add(int cell) {
        if (put(cell, seat_)) end(Ending::connection, seat_);
        seat_ ^= 1;
    }
    void swap() {
        const int cell = own_[0].first();
        own_[0].remove(cell);
        links_.clear(board_->size);
        add(cell);
    }

    void random_turn(Rng& rng) {
        const Set cells = empty();
        const int count = cells.count(), choice = rng.below(count + may_swap());
        if (choice == count) swap();
        else add(cells.nth(choice));
    }

    // Play random turns to the end of the game; each is a turn of the rules, and the first connection ends the game.
    // Returns their number.
    int play_out(Rng& rng) {
        int turns = 0;
        // Only white's first turn has a choice besides the empty cells.
        for (; !over() && (may_swap() || (own_[0] | own_[1]).none()); ++turns) random_turn(rng);
        std::array<std::uint16_t, largest_size * largest_size> cells;
        int left = 0;
        empty().each([&](int cell) { cells[static_cast<std::size_t>(left++)] = static_cast<std::uint16_t>(cell); });
        for (; !over(); ++turns) add(draw(cells, left, rng));
        return turns;
    }

private:
    Set empty() const { return board_->full & ~(own_[0] | own_[1]); }

    // Put a stone on an empty cell. Returns whether it joins the seat's sides.
    bool put(int cell, int seat) {
        own_[static_cast<std::size_t>(seat)].add(cell);
        return links_.put(cell, seat);
    }

    const Board<W>* board_;
    std::array<Set, 2> own_{};
    Links<W, true> links_;
};

}  // namespace squarefield
