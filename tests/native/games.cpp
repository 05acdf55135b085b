// Every game on boards of 1, 2 and 6 words (4 would only compile longer): random games keep what game.hpp promises, whether stepped or played by whole turns.
#include <array>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "squarefield/hex.hpp"
#include "squarefield/ooscg_w.hpp"
#include "squarefield/perft.hpp"
#include "squarefield/playout.hpp"
#include "squarefield/replay.hpp"
#include "squarefield/scware.hpp"
#include "squarefield/squ.hpp"
#include "squarefield/square_squared.hpp"

using namespace squarefield;

namespace {

template <Game G>
void check_position(const G& game) {
    const typename G::Set next = game.next(), partial = game.partial();
    const bool steps = next.any() || game.may_end() || game.may_pass() || game.may_swap();
    CHECK(!game.stones(0).meets(game.stones(1)));
    CHECK(!next.meets(game.stones(0) | game.stones(1)));
    CHECK((next | game.stones(0) | game.stones(1)).within(board_of<G::Set::words>(game.size()).full));
    CHECK(partial.within(game.stones(game.seat())));
    CHECK(game.over() != steps && game.over() == (game.reason() != Ending::none));
    CHECK(game.winner() >= -1 && game.winner() <= 1 && (game.over() || game.winner() == -1));
    CHECK(!partial.any() || !(game.over() || game.may_pass() || game.may_swap()));
    CHECK(partial.any() || !game.may_end());
    CHECK(!legal(game, -1) && !legal(game, actions(game.size())));
}

template <Game G>
bool same(const G& one, const G& other) {
    return one.stones(0) == other.stones(0) && one.stones(1) == other.stones(1) && one.seat() == other.seat() &&
           one.over() == other.over() && one.winner() == other.winner() && one.next() == other.next();
}

// Play one turn step by step. Returns it as a tuple of cells, as Python's.
template <Game G>
std::vector<int> step_through_turn(G& game, Rng& rng) {
    std::vector<int> turn;
    const int seat = game.seat(), cells = game.size() * game.size();
    do {
        check_position(game);
        const int action = random_action(game, rng);
        CHECK(legal(game, action));
        apply(game, action);
        if (action < cells) turn.push_back(action);
        else if (action > cells) turn.push_back(action == pass_action(game.size()) ? pass_code : swap_code);
    } while (!game.over() && game.partial().any());
    CHECK(game.seat() == 1 - seat && game.partial().none());
    return turn;
}

template <Game G>
void play_games(int size, std::uint64_t seed) {
    doing = std::string(G::slug) + " " + std::to_string(size) + ", seed " + std::to_string(seed);
    Rng rng(seed);
    G game(size);
    while (!game.over()) {
        const G before = game;
        const std::vector<int> turn = step_through_turn(game, rng);
        G played = before;
        CHECK(play(played, turn) && same(played, game));
        // Nothing may follow a complete turn, and no cell is named twice.
        std::vector<int> longer = turn;
        longer.push_back(turn[0]);
        played = before;
        CHECK(!play(played, longer));
    }
    check_position(game);
    const std::vector<int> any{0};
    CHECK(!play(game, any));
    const Tally tally = playouts(G(size), 3, seed);
    CHECK(tally.wins[0] + tally.wins[1] + tally.draws == 3 && tally.turns > 0);
}

// The same seed plays the same games on every machine; the counts of turns are those of tests/data/rules/perft.jsonl.
template <Game G>
void has_known_numbers(int size, std::array<std::uint64_t, 4> results, const std::vector<std::uint64_t>& sequences) {
    doing = std::string(G::slug) + ", known numbers";
    const Tally tally = playouts(G(size), 20, 7);
    CHECK((std::array{tally.wins[0], tally.wins[1], tally.draws, tally.turns}) == results);
    CHECK(perft(G(size), 2) == sequences);
}

template <template <int> class G>
void play_sizes() {
    for (int size = 2; size <= largest_size; ++size) {
        if (size < G<1>::least || (std::is_same_v<G<1>, Squ<1>> && size % 2)) continue;
        const std::uint64_t seed = static_cast<std::uint64_t>(size);
        if (words_for(size) == 1) play_games<G<1>>(size, seed);
        else if (words_for(size) == 2) play_games<G<2>>(size, seed);
        else if (words_for(size) == 6) play_games<G<6>>(size, seed);
    }
    for (std::uint64_t seed = 100; seed < 120; ++seed) play_games<G<1>>(G<1>::least, seed);
}

}  // namespace

int main() {
    play_sizes<Hex>();
    play_sizes<OoscgW>();
    play_sizes<Scware>();
    play_sizes<Squ>();
    play_sizes<SquareSquared>();
    has_known_numbers<Hex<1>>(4, {10, 10, 0, 274}, {16, 256});
    has_known_numbers<OoscgW<1>>(4, {7, 13, 0, 287}, {16, 240});
    has_known_numbers<Scware<1>>(4, {12, 8, 0, 218}, {16, 240});
    has_known_numbers<Squ<1>>(4, {2, 11, 7, 180}, {16, 1680});
    has_known_numbers<SquareSquared<1>>(4, {9, 11, 0, 633}, {17, 273});
    return 0;
}
