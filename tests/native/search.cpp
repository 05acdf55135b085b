// The tree search plays whole games of all rulesets legally, finds wins in one turn, and repeats itself with the same seed.
#include "check.hpp"
#include "squarefield/experts/connection.hpp"
#include "squarefield/experts/edges.hpp"
#include "squarefield/experts/squares.hpp"
#include "squarefield/search.hpp"

using namespace squarefield;

namespace {

constexpr double for_ever = 1e9;

template <Game G>
std::vector<int> played(int size, std::uint64_t leaves) {
    G game(size);
    Search<G> search(5);
    std::vector<int> actions;
    while (!game.over()) {
        const Thought thought = search.think(game, for_ever, leaves);
        CHECK(thought.action >= 0 && legal(game, thought.action));
        CHECK(thought.chance >= 0 && thought.chance <= 1);
        actions.push_back(thought.action);
        apply(game, thought.action);
    }
    CHECK(search.think(game, for_ever, leaves).action == -1);
    return actions;
}

template <template <int> class G, int W>
void plays(int size) {
    const std::vector<int> actions = played<G<W>>(size, 40);
    CHECK(actions == played<G<W>>(size, 40));
}

// Seat 0 needs one stone on c3 to join north and south.
template <template <int> class G>
void finds_the_win() {
    G<1> game(5);
    std::array<std::uint8_t, 25> stones{};
    for (const std::size_t row : {0U, 1U, 3U, 4U}) stones[5 * row + 2] = 1;
    for (const std::size_t row : {0U, 1U, 3U, 4U}) stones[5 * row] = 2;
    const G<1> position = G<1>::setup(5, stones.data(), 0, Facts{});
    const Thought thought = Search<G<1>>(1).think(position, for_ever, 50);
    CHECK(thought.action == 12);
    CHECK(thought.chance == 1);
}

}  // namespace

int main() {
    plays<Hex, 1>(5);
    plays<Hex, 2>(9);
    plays<OoscgW, 1>(6);
    plays<Scware, 1>(5);
    plays<Squ, 1>(5);
    plays<SquareSquared, 1>(4);
    finds_the_win<Hex>();
    finds_the_win<OoscgW>();
    finds_the_win<Scware>();
}
