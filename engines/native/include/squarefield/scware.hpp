// Scware: start a group, or grow any of your groups by one stone each. docs/rules/scware.md has the rules.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "squarefield/game.hpp"
#include "squarefield/parts/growth.hpp"

namespace squarefield {

template <int W>
class Scware : public Course {
public:
    using Set = Bits<W>;
    static constexpr const char* slug = "scware";
    static constexpr int version = 1, least = 4;
    static constexpr bool one_stone = false, first_stone_counts = false;

    explicit Scware(int size) : board_(&board_of<W>(size)) {}

    static Scware setup(int size, const std::uint8_t* stones, int seat, const Facts& facts) {
        Scware game(size);
        game.resume(seat, facts);
        each_stone(size, stones, [&](int cell, int owner) {
            if (game.put(cell, owner)) game.end(Ending::connection, owner);
        });
        game.grown_ = facts.grown;
        game.passed_ = facts.passed;
        return game;
    }

    int size() const { return board_->size; }
    Set stones(int seat) const { return seat == seat_ ? own(seat) | fresh_ : own(seat); }
    const Set& partial() const { return fresh_; }

    Set next() const { return steps().cells; }
    bool may_end() const { return fresh_.any() && steps().may_end; }
    bool may_pass() const { return !over() && fresh_.none() && steps().cells.none(); }

    void add(int cell) {
        const Survey<W> survey = this->survey();
        const bool grows = board_->near_to(cell).meets(own(seat_));
        if (grows) grow(survey, cell);
        else fresh_.add(cell);
        if (!grows || (steps().cells.none() && steps().may_end)) finish();
    }
    void end_turn() { finish(); }
    void pass() {
        if (passed_) end(Ending::impasse, -1);
        passed_ = true;
        begin_turn();
    }

    // Play a whole turn, its stones in any order, if it is legal. Returns whether it was.
    bool play(std::span<const int> turn) {
        Set growing, all;
        int start = -1;
        for (const int cell : turn) {
            if (all.has(cell) || !empty().has(cell)) return false;
            all.add(cell);
            if (board_->near_to(cell).meets(own(seat_))) growing.add(cell);
            else if (start < 0) start = cell;
            else return false;
        }
        const Survey<W> survey = this->survey();
        if (start >= 0 && growing.any() && !may_balance()) return false;
        Set free = survey.growing();
        bool apart = true;
        growing.each([&](int cell) {
            apart = apart && free.has(cell);
            free &= ~survey.rivals(survey.touched(cell));
        });
        if (!apart || !Survey<W>::keeps_restriction(survey.build(growing))) return false;
        if (start >= 0 && !survey.starting_after(growing).has(start)) return false;
        fresh_ = all;
        finish();
        return true;
    }

    // Whether the growing stones are in the order of their cells, followed by the stone that starts a group.
    bool written_well(std::span<const int> turn) const {
        const auto place = [&](int cell) {
            return std::pair{cell >= 0 && !board_->near_to(cell).meets(own(seat_)), cell};
        };
        return std::ranges::is_sorted(turn, {}, place);
    }

    // As Python's: the first stone is chosen uniformly among those that can begin a turn, and so is each further stone. A turn
    // that may end does so with probability 1 / (n + 1), where n is the number of cells still free.
    std::uint64_t unseen() const { return std::uint64_t{grown_} << 1 | std::uint64_t{passed_}; }

    void random_turn(Rng& rng) {
        const Survey<W> survey = this->survey();
        Set free = survey.growing();
        const Set starting = survey.starting();
        bool plain = true;  // nothing needs `turn` yet
        Growing<W> turn;
        for (;;) {
            const Set pool = fresh_.any() ? free : free | starting;
            const int count = pool.count();
            if (count == 0) break;
            const bool may_stop = fresh_.any() && (plain || Survey<W>::keeps_restriction(turn));
            const int choice = rng.below(count + may_stop);
            if (choice == count) break;
            const int cell = pool.nth(choice);
            if (!free.has(cell)) {
                fresh_.add(cell);
                return finish();
            }
            free.remove(cell);
            const Set groups = survey.touched(cell), rest = free & ~survey.rivals(groups);
            const bool simple = survey.plain(cell, groups, fresh_);
            if (!plain || !simple) {
                Growing<W> longer = plain ? survey.build(fresh_) : turn;
                survey.add(longer, cell);
                if (!survey.can_finish(longer, rest)) continue;
                turn = std::move(longer);
                plain = false;
            }
            fresh_.add(cell);
            free = rest;
        }
        if (fresh_.none()) return pass();
        if (may_balance() && rng.below(2) == 0) {
            const Set starts = survey.starting_after(fresh_);
            if (const int count = starts.count(); count > 0) fresh_.add(starts.nth(rng.below(count)));
        }
        finish();
    }

private:
    struct Steps {
        Set cells;
        bool may_end = false;
    };

    const Set& own(int seat) const { return own_[static_cast<std::size_t>(seat)]; }
    Set empty() const { return board_->full & ~(own_[0] | own_[1]); }
    bool may_balance() const { return seat_ == 1 && !grown_; }
    Survey<W> survey() const { return Survey<W>(*board_, groups_, own(seat_), empty()); }

    // Put a stone on an empty cell. Returns whether its group joins the seat's sides.
    bool put(int cell, int seat) {
        own_[static_cast<std::size_t>(seat)].add(cell);
        const Set& group = groups_.put(cell, *board_, own(seat));
        const auto first = static_cast<std::size_t>(2 * seat);
        return group.meets(board_->side[first]) && group.meets(board_->side[first + 1]);
    }

    void grow(const Survey<W>& survey, int cell) {
        const Set groups = survey.touched(cell);
        if (fresh_.none() && !known_) risky_ = survey.risky();
        plain_ = plain_ && survey.plain(cell, groups, fresh_);
        free_ = (fresh_.any() ? free_ : survey.growing()) & ~survey.rivals(groups);
        fresh_.add(cell);
        known_ = false;
    }

    // The possible next steps, computed once for each step.
    const Steps& steps() const {
        if (!known_) {
            steps_ = over() ? Steps{} : find_steps();
            known_ = true;
        }
        return steps_;
    }

    Steps find_steps() const {
        const Survey<W> survey = this->survey();
        const Set free = fresh_.any() ? free_ : survey.growing();
        if (fresh_.none()) risky_ = survey.risky();
        Steps found;
        if (plain_) found.cells = free & ~risky_ & ~board_->around(fresh_);
        const Set unclear = free & ~found.cells;
        Growing<W> turn;
        if (unclear.any()) {
            if (fresh_.any()) turn = survey.build(fresh_);
            unclear.each([&](int cell) {
                const Set rest = free & ~survey.rivals(survey.touched(cell));
                Growing<W> longer = turn;
                survey.add(longer, cell);
                if (survey.can_finish(longer, rest)) found.cells.add(cell);
            });
        }
        if (fresh_.none()) {
            found.cells |= survey.starting();
            return found;
        }
        found.may_end = plain_ || Survey<W>::keeps_restriction(turn.empty() ? survey.build(fresh_) : turn);
        if (found.may_end && may_balance()) found.cells |= survey.starting_after(fresh_);
        return found;
    }

    // Put the turn's stones on the board, and pass the turn to the other player.
    void finish() {
        grown_ = grown_ || board_->beside(own(seat_)).meets(fresh_);
        bool joined = false;
        fresh_.each([&](int cell) { joined |= put(cell, seat_); });
        if (joined) end(Ending::connection, seat_);
        passed_ = false;
        begin_turn();
    }

    void begin_turn() {
        fresh_ = {};
        plain_ = true;
        known_ = false;
        seat_ ^= 1;
    }

    const Board<W>* board_;
    std::array<Set, 2> own_{};    // without the stones of the unfinished turn
    Groups<W> groups_;            // as they stood when the turn began
    Set fresh_, free_;            // the stones of the unfinished turn; the cells that may still grow a group
    mutable Set risky_;           // cells with an own stone on a corner whose group they do not touch
    mutable Steps steps_;
    mutable bool known_ = false;  // whether `steps_` is up to date
    bool plain_ = true;           // whether no stone of the unfinished turn needs another one
    bool grown_ = false, passed_ = false;
};

}  // namespace squarefield
