// Numbers of distinct sequences of turns, as in engines/cli/perft.py: a turn counts once, as a set of stones.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "squarefield/actions.hpp"

namespace squarefield {

// A turn as a set of stones, or a word: the number of its action, otherwise -1.
template <int W>
struct TurnKey {
    Bits<W> stones;
    int word = -1;
    friend auto operator<=>(const TurnKey& one, const TurnKey& other) {
        return std::tie(one.word, one.stones.word) <=> std::tie(other.word, other.stones.word);
    }
    friend bool operator==(const TurnKey&, const TurnKey&) = default;
};

// Call `use(key, position after the turn)` for every legal turn. The same stones are given more than once only if their first
// one counts.
template <Game G, class F>
void each_turn(const G& start, F&& use) {
    using Key = TurnKey<G::Set::words>;
    const auto word = [&](int action) {
        G after = start;
        apply(after, action);
        use(Key{{}, action}, after);
    };
    if (start.may_pass()) word(pass_action(start.size()));
    if (start.may_swap()) word(swap_action(start.size()));
    struct Unfinished {
        G game;
        Key stones;
        int first;
    };
    std::vector<Unfinished> open{{start, {}, -1}};
    std::map<std::pair<int, Key>, bool> seen;
    while (!open.empty()) {
        const Unfinished turn = std::move(open.back());
        open.pop_back();
        if (turn.game.may_end()) {
            G after = turn.game;
            after.end_turn();
            use(turn.stones, after);
        }
        turn.game.next().each([&](int cell) {
            Key longer = turn.stones;
            longer.stones.add(cell);
            const int first = turn.first >= 0 ? turn.first : cell;
            // Other orders of the same stones lead to the same position.
            if (!G::one_stone && !seen.emplace(std::pair{G::first_stone_counts ? first : 0, longer}, true).second) return;
            G after = turn.game;
            after.add(cell);
            if (after.partial().any()) open.push_back({std::move(after), longer, first});
            else use(longer, after);
        });
    }
}

template <Game G>
void add_sequences(const std::vector<G>& positions, std::span<std::uint64_t> counts) {
    std::map<TurnKey<G::Set::words>, std::vector<G>> followers;
    if (G::one_stone && counts.size() == 1) {
        counts[0] += static_cast<std::uint64_t>(options(positions.front()).count);
        return;
    }
    const bool deepest = counts.size() == 1;
    for (const G& position : positions) {
        each_turn(position, [&](const auto& key, const G& after) {
            std::vector<G>& same = followers[key];
            if (!deepest) same.push_back(after);
        });
    }
    counts[0] += followers.size();
    if (deepest) return;
    for (const auto& [key, after] : followers) add_sequences(after, counts.subspan(1));
}

// The numbers of sequences of 1 to `depth` turns.
template <Game G>
std::vector<std::uint64_t> perft(const G& start, int depth) {
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(depth));
    if (depth > 0) add_sequences(std::vector<G>{start}, counts);
    return counts;
}

}  // namespace squarefield
