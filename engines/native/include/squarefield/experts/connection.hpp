// The expert for games that a chain between two sides wins, as engines/search/games/connection.py, scware.py, pairs.py and
// path_fills.py: shortest paths, and random fillings in which pairs of cells that connect two stones are split evenly.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <utility>
#include <vector>

#include "squarefield/experts/expert.hpp"
#include "squarefield/hex.hpp"
#include "squarefield/ooscg_w.hpp"
#include "squarefield/parts/fillings.hpp"
#include "squarefield/parts/paths.hpp"
#include "squarefield/scware.hpp"

namespace squarefield {

template <class G>
inline constexpr int words_of = G::Set::words;
template <class G>
concept OnHexagons = std::same_as<G, Hex<words_of<G>>>;
template <class G>
concept CountsTurns = std::same_as<G, Scware<words_of<G>>>;
template <class G>
concept Connection = Game<G> && (OnHexagons<G> || CountsTurns<G> || std::same_as<G, OoscgW<words_of<G>>>);

template <Connection G>
Paths<words_of<G>> paths_of(const G& game, int seat) {
    return {game.size(), game.stones(seat), game.stones(1 - seat), seat, OnHexagons<G>};
}

// Cells by how much the shortest paths of both sides depend on them, and a little by their distance from the centre.
template <Connection G>
Ranks ranks(const G& game) {
    const int size = game.size();
    const std::vector<double> ours = paths_of(game, 0).shares(), theirs = paths_of(game, 1).shares();
    const float middle = static_cast<float>(size - 1) / 2;
    Ranks all{{}, 3, 3};
    for (int cell = 0; cell < size * size; ++cell) {
        const auto at = static_cast<std::size_t>(cell);
        const float up = static_cast<float>(cell / size) - middle, across = static_cast<float>(cell % size) - middle;
        const float nearness = 1 - (std::abs(up) + std::abs(across)) / static_cast<float>(2 * size);
        all.cell[at] = static_cast<float>(ours[at] + theirs[at]) + 0.01F * nearness;
    }
    return all;
}

// Scware: how many turns a path takes that needs this many stones, if every group of the side grows in each.
template <class G>
float turns_for(const G& game, int seat, int length) {
    using Set = typename G::Set;
    const Board<words_of<G>>& board = board_of<words_of<G>>(game.size());
    const Set own = game.stones(seat), across = own & board.west(own), up = own & board.south(own);
    // Euler's formula: groups minus holes.
    const int groups = own.count() - across.count() - up.count() + (across & board.south(across)).count();
    return static_cast<float>(std::min(length, 2 * game.size())) / static_cast<float>(groups + 1);
}

// Whether the seat to move wins with one stone of this set.
template <Connection G>
bool wins_with(const G& game, const typename G::Set& cells) {
    bool wins = false;
    (cells & game.next()).each([&](int cell) {
        if (wins) return;
        G after = game;
        after.add(cell);
        if (!after.over() && after.may_end()) after.end_turn();
        wins = after.over() && after.winner() == game.seat();
    });
    return wins;
}

template <Connection G>
Glance glance(const G& game) {
    const int seat = game.seat(), size = game.size();
    const Paths<words_of<G>> paths = paths_of(game, seat);
    const int own = paths.length(), other = paths_of(game, 1 - seat).length();
    if (own == 1 && typename G::Set(game.partial()).none() && wins_with(game, paths.deciding())) return {1, true};
    float lead;
    if constexpr (CountsTurns<G>) lead = 4 * (turns_for(game, 1 - seat, other) - turns_for(game, seat, own));
    else lead = static_cast<float>(std::clamp(other - own, -size, size));
    return {1 / (1 + std::exp(-(lead + 0.5F) / 1.5F)), false};
}

// Pairs of empty cells of which a side needs only one: between two of its stones, or on Hex boards between a stone in the second
// row and the edge. Pairs do not overlap.
template <Connection G>
class Pairs {
public:
    explicit Pairs(const G& game)
        : size_(game.size()), own_{game.stones(0), game.stones(1)}, empty_(board().full & ~(own_[0] | own_[1])) {
        // The way from one stone to the other, and those to the cells between them, as rows and columns.
        static constexpr std::array<Between, 3> bridges{
            {{{{1, 2}, {0, 1}, {1, 1}}}, {{{2, 1}, {1, 1}, {1, 0}}}, {{{1, -1}, {1, 0}, {0, -1}}}}};
        static constexpr std::array<Between, 2> corners{{{{{1, 1}, {0, 1}, {1, 0}}}, {{{1, -1}, {0, -1}, {1, 0}}}}};
        if constexpr (OnHexagons<G>) {
            for (const Between& ways : bridges) between(ways);
            for (std::size_t side = 0; side < 4; ++side) hold(side);
        } else {
            for (const Between& ways : corners) between(ways);
        }
    }

    const std::vector<std::pair<int, int>>& found() const { return found_; }

private:
    using Set = typename G::Set;
    using Way = std::pair<int, int>;
    using Between = std::array<Way, 3>;

    const Board<words_of<G>>& board() const { return board_of<words_of<G>>(size_); }

    // The cell at the end of a way, or -1 off the board.
    int at(int cell, const Way& way) const {
        const int row = cell / size_ + way.first, column = cell % size_ + way.second;
        return row >= 0 && row < size_ && column >= 0 && column < size_ ? row * size_ + column : -1;
    }

    void keep(int one, int other) {
        if (one < 0 || other < 0 || !empty_.has(one) || !empty_.has(other)) return;
        empty_.remove(one);
        empty_.remove(other);
        found_.emplace_back(one, other);
    }

    void between(const Between& ways) {
        for (const Set& stones : own_)
            stones.each([&](int cell) {
                const int second = at(cell, ways[0]);
                if (second >= 0 && stones.has(second)) keep(at(cell, ways[1]), at(cell, ways[2]));
            });
    }

    void hold(std::size_t side) {
        static constexpr std::array<std::array<Way, 2>, 4> ways{
            {{{{1, 0}, {1, 1}}}, {{{-1, 0}, {-1, -1}}}, {{{0, -1}, {-1, -1}}}, {{{0, 1}, {1, 1}}}}};
        const Set& edge = board().side[side];
        own_[side / 2].each([&](int cell) {
            const int one = at(cell, ways[side][0]), other = at(cell, ways[side][1]);
            if (one >= 0 && other >= 0 && edge.has(one) && edge.has(other)) keep(one, other);
        });
    }

    int size_;
    std::array<Set, 2> own_;
    Set empty_;
    std::vector<std::pair<int, int>> found_;
};

template <Connection G>
Estimate estimate(const G& game, Rng& rng) {
    const int size = game.size();
    const typename G::Set first = game.stones(0), second = game.stones(1);
    std::vector<Lanes> cells = random_lanes(size, first, second, rng);
    const Pairs<G> pairs(game);
    for (const auto& [one, other] : pairs.found())
        cells[static_cast<std::size_t>(other)] = ~cells[static_cast<std::size_t>(one)];
    Lanes won = joined_lanes(cells, size, OnHexagons<G>);
    if (game.seat() == 1) {
        won = ~won;
        for (Lanes& lanes : cells) lanes = ~lanes;
    }
    Estimate found;
    found.value = static_cast<float>(won.count()) / 256.0F;
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
        found.after[cell] = (static_cast<float>((cells[cell] & won).count()) + found.value) /
                            static_cast<float>(cells[cell].count() + 1);
    return found;
}

}  // namespace squarefield
