// Go turns by the Tromp-Taylor rules: which stones leave a new board, and random ones.
#pragma once

#include "squarefield/parts/chains.hpp"
#include "squarefield/parts/history.hpp"
#include "squarefield/rng.hpp"

namespace squarefield {

// What `play_at_random` may do.
struct Choices {
    bool suicide = false;  // the stone may remove its own group
    bool none = false;     // to place no stone is one more choice, as likely as each stone
};

template <int W>
class Captures {
public:
    using Set = Bits<W>;
    using Stones = typename Chains<W>::Stones;

    explicit Captures(int size) : chains_(size) { past_.add(Stones{}, 0, 0); }

    // A position without its history: only the empty board counts as an earlier board.
    Captures(int size, const Stones& stones) : Captures(size) {
        for (int seat = 0; seat < 2; ++seat)
            stones[static_cast<std::size_t>(seat)].each([&](int point) { chains_.put(point, seat); });
        if (chains_.count() > 0) remember();
    }

    const Chains<W>& chains() const { return chains_; }
    const History<W>& past() const { return past_; }
    int size() const { return chains_.size(); }
    const Stones& stones() const { return chains_.stones(); }

    // Add an earlier board of the game, for a position that did not begin here.
    void add_past(const Stones& stones) {
        std::uint64_t hash = 0;
        for (std::size_t seat = 0; seat < 2; ++seat)
            stones[seat].each([&](int point) { hash ^= stone_hashes[seat][static_cast<std::size_t>(point)]; });
        const int count = stones[0].count() + stones[1].count();
        if (!past_.has(hash, count, [&] { return stones; })) past_.add(stones, hash, count);
    }

    // The points where a stone of the seat leaves a new board.
    Set new_points(int seat) const {
        const Set open = chains_.free_points();
        const Set &own = stones()[static_cast<std::size_t>(seat)], &enemy = stones()[static_cast<std::size_t>(1 - seat)];
        Set found = open;
        // A stone that changes no other stone repeats a board exactly if that board is this one plus the stone.
        past_.each(chains_.count() + 1, [&](const Stones& old) {
            const Set& held = old[static_cast<std::size_t>(seat)];
            if (old[static_cast<std::size_t>(1 - seat)] == enemy && own.within(held)) found &= ~held;
        });
        // Only a stone that takes a group's last liberty, or has none itself, changes others. Look closely where it may. A stone
        // without liberties or neighbours of its colour removes only itself, unless it captures.
        const Board<W>& board = board_of<W>(size());
        const Set capturing = chains_.only_liberties(1 - seat), closed = open & ~board.beside(open);
        found &= ~closed | capturing | board.beside(own);
        (capturing | (closed & chains_.only_liberties(seat))).each([&](int point) {
            const Effect made = chains_.effect(point, seat);
            if (made.plain()) return;
            if (is_new(made, point, seat)) found.add(point);
            else found.remove(point);
        });
        return found;
    }

    // Place a stone, which must leave a new board.
    void play(int point, int seat) { play(chains_.effect(point, seat), point, seat); }

    // Place a random stone that leaves a new board, all equally likely, but none on a point to avoid. Returns whether it did.
    template <class Avoided>
    bool play_at_random(int seat, Rng& rng, const Choices& choices, const Avoided& avoided) {
        for (int left = chains_.empties(); left + choices.none > 0; --left) {
            const int index = rng.below(left + choices.none);
            if (index == left) return false;
            const int point = chains_.empty_point(index);
            if (!avoided(point)) {
                const Effect made = chains_.effect(point, seat);
                if ((choices.suicide || !made.suicide) && is_new(made, point, seat)) {
                    play(made, point, seat);
                    return true;
                }
            }
            chains_.swap_empty(index, left - 1);  // it is not drawn again
        }
        return false;
    }
    bool play_at_random(int seat, Rng& rng, const Choices& choices) {
        return play_at_random(seat, rng, choices, [](int) { return false; });
    }

private:
    // Whether a stone leaves a board that the game has not had.
    bool is_new(const Effect& made, int point, int seat) const {
        return !past_.has(made.hash, made.count, [&] { return chains_.after(made, point, seat); });
    }

    void play(const Effect& made, int point, int seat) {
        chains_.carry_out(made, point, seat);
        remember();
    }

    void remember() { past_.add(stones(), chains_.hash(), chains_.count()); }

    Chains<W> chains_;
    History<W> past_;
};

}  // namespace squarefield
