// What every game in C++ offers, and the numbers of actions. The rules are those of engines/rules/games; Python is the law.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "squarefield/bits.hpp"
#include "squarefield/rng.hpp"

namespace squarefield {

// The endings by rule, in the order of Python's `Ending`; `none` means that the game is not over.
enum class Ending : std::uint8_t { connection, goal, impasse, board_full, two_passes, resignation, none };

// The facts of a Python position that its stones do not show; each game reads its own.
struct Facts {
    bool grown = false;                     // Scware: a side has grown
    bool passed = false;                    // Scware, SquareSquared: the previous turn was a pass
    int record = 0;                         // SQU: the length of the marked squ, or 0
    int record_seat = 0;                    // SQU: its seat
    std::vector<std::string> history;       // SquareSquared: the earlier boards, as Python's bytes
    int winner = -1;
    Ending reason = Ending::none;
};

// SQU: a marked squ: its number of cells per side (0: none), its seat and its south-western corner.
struct Mark {
    int length = 0, seat = -1, corner = -1;
    friend bool operator==(const Mark&, const Mark&) = default;
};

// What every game has: the seat to move and the end, and the answers of a game whose turns are only stones. A game that
// answers otherwise has a function of the same name, which hides the one here.
class Course {
public:
    int seat() const { return seat_; }
    bool over() const { return reason_ != Ending::none; }
    int winner() const { return winner_; }
    Ending reason() const { return reason_; }
    bool may_end() const { return false; }
    bool may_pass() const { return false; }
    bool may_swap() const { return false; }
    Mark record() const { return {}; }
    std::uint64_t unseen() const { return 0; }  // a number for all that the stones do not show
    bool written_well(std::span<const int>) const { return true; }  // whether a turn's stones are in Python's order
    void end_turn() {}  // never legal
    void pass() {}      // never legal
    void swap() {}      // never legal

protected:
    void resume(int seat, const Facts& facts) {
        seat_ = static_cast<std::uint8_t>(seat);
        end(facts.reason, facts.winner);
    }
    void end(Ending reason, int winner) {
        reason_ = reason;
        winner_ = static_cast<std::int8_t>(winner);
    }

    std::uint8_t seat_ = 0;
    std::int8_t winner_ = -1;
    Ending reason_ = Ending::none;
};

// Call `use(cell, seat)` for each stone of a board as in Python: for each cell a byte, the stone's seat plus one.
template <class Byte, class F>
void each_stone(int size, const Byte* cells, F&& use) {
    for (int cell = 0; cell < size * size; ++cell)
        if (cells[cell] != 0) use(cell, cells[cell] - 1);
}

// A turn of several stones is built stone by stone, as Python's `steps` do: between two stones, the state holds the unfinished
// turn, and `seat` is still the player who builds it. After a stone that may end the turn and that no other stone can follow,
// the turn ends by itself. Callers give only legal steps; see `legal` in actions.hpp.
template <class G>
concept Game = std::copyable<G> && requires(G game, const G state, int cell, Rng& rng,
                                                    const std::uint8_t* stones, const Facts& facts) {
    typename G::Set;
    { G::slug } -> std::convertible_to<const char*>;
    { G::version } -> std::convertible_to<int>;           // of the rules; equal to Python's
    { G::one_stone } -> std::convertible_to<bool>;        // a turn never has more than one stone
    { G::first_stone_counts } -> std::convertible_to<bool>;  // as in Python
    { G::least } -> std::convertible_to<int>;             // the smallest board in Python's `sizes`
    { G(cell) };                                          // the start of a game on a board of this size
    // A position: size, stones as in Python, seat to move. If the stones end the game, it is over, whatever the facts say.
    { G::setup(cell, stones, cell, facts) } -> std::same_as<G>;
    { state.size() } -> std::same_as<int>;
    { state.seat() } -> std::same_as<int>;                // the player to move
    { state.over() } -> std::same_as<bool>;
    { state.winner() } -> std::same_as<int>;              // 0, 1, or -1 for a draw or a game that is not over
    { state.reason() } -> std::same_as<Ending>;
    { state.stones(cell) } -> std::convertible_to<typename G::Set>;  // a seat's stones, those of the unfinished turn included
    { state.partial() } -> std::convertible_to<typename G::Set>;     // the stones of the unfinished turn
    { state.next() } -> std::convertible_to<typename G::Set>;        // the cells that may be added to it; none after the end
    { state.may_end() } -> std::same_as<bool>;
    { state.may_pass() } -> std::same_as<bool>;
    { state.may_swap() } -> std::same_as<bool>;
    game.add(cell);
    game.end_turn();
    game.pass();
    game.swap();
    game.random_turn(rng);                                // plays a whole random turn; the game must not be over
};

}  // namespace squarefield
