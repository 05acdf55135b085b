// SQU, SquareSquared and the bench's Go: random games on every size against plain recomputation, and edge cases.
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "go.hpp"
#include "naive.hpp"
#include "squarefield/squ.hpp"
#include "squarefield/square_squared.hpp"

using namespace squarefield;

namespace {

template <int W>
std::array<Bits<W>, 2> stones_of(const std::string& board) {
    std::array<Bits<W>, 2> stones{};
    for (std::size_t cell = 0; cell < board.size(); ++cell)
        if (board[cell] != '.') stones[board[cell] == '1'].add(static_cast<int>(cell));
    return stones;
}

// A position from its cells, from a1: '.', '0' and '1'.
template <template <int> class G>
G<1> position(int size, std::string board, int seat, const Facts& facts = {}) {
    for (char& cell : board) cell = static_cast<char>(cell == '.' ? 0 : cell - '0' + 1);
    return G<1>::setup(size, reinterpret_cast<const std::uint8_t*>(board.data()), seat, facts);
}

template <int W, class G>
void compare(const G& game, const Naive& naive) {
    CHECK(game.points().chains().is_consistent());
    CHECK(game.points().stones() == stones_of<W>(naive.stones));
    CHECK(game.points().past().size() == naive.past.size());
}

// A turn of `random_turn` is a pass or one of the legal stones.
template <int W>
void random_turn(SquareSquared<W> game, const Naive& naive, Rng& rng) {
    const Bits<W> next = game.next();
    const int seat = game.seat();
    game.random_turn(rng);
    bool legal = game.passed();
    next.each([&](int point) {
        if (!legal) legal = game.points().stones() == stones_of<W>(naive.after(static_cast<std::size_t>(point), seat));
    });
    CHECK(legal && game.seat() == 1 - seat && game.points().chains().is_consistent());
}

// Random turns; the groups and the legal points are compared before each of them, and on large boards before some.
template <int W>
void square_squared(int size, int turns, std::uint64_t seed) {
    const int each = size <= 5 ? 1 : size * size / 3;
    doing = "squaresquared " + std::to_string(size) + ", seed " + std::to_string(seed);
    Rng rng(seed);
    SquareSquared<W> game(size);
    Naive naive(size);
    for (int turn = 0; turn < turns; ++turn) {
        if (turn % each == 0) compare<W>(game, naive);
        if (turn % each == 0) random_turn<W>(game, naive, rng);
        const Bits<W> next = game.next();
        for (int point = 0; point < size * size && turn % each == 0; ++point)
            CHECK(next.has(point) == naive.may_play(static_cast<std::size_t>(point), game.seat()));
        // A pass ends no game here, so that games become long and superko forbids many points.
        if (next.none()) game = SquareSquared<W>(size), naive = Naive(size);
        else {
            const int point = next.nth(rng.below(next.count()));
            naive.play(static_cast<std::size_t>(point), game.seat());
            game.add(point);
        }
    }
}

// The largest square of a seat's discs with one of these cells at a corner, by trying all of them.
Mark best_square(const std::string& board, int size, const Mark& record, const Bits<6>& turn, int seat) {
    Mark best = record;
    const char own = static_cast<char>('0' + seat);
    for (int across = size - 1; across > 0; --across)
        for (int row = 0; row + across < size; ++row)
            for (int column = 0; column + across < size; ++column) {
                const int corner = row * size + column;
                bool all = true, made = false;
                for (const int cell : {corner, corner + across, corner + across * size, corner + across * size + across}) {
                    all &= board[static_cast<std::size_t>(cell)] == own;
                    made |= turn.has(cell);
                }
                if (all && made && across + 1 > best.length) best = {across + 1, seat, corner};
            }
    return best;
}

template <int W>
void squ(int size, std::uint64_t seed) {
    doing = "squ " + std::to_string(size) + ", seed " + std::to_string(seed);
    Rng rng(seed);
    Squ<W> game(size);
    std::string board(static_cast<std::size_t>(size * size), '.');
    for (int ply = 0; !game.over(); ++ply) {
        const int seat = game.seat(), left = game.next().count();
        const Mark record = game.record();
        CHECK(seat == ply % 2 && left > 0);
        Bits<6> turn{};
        for (int disc = ply == 0 || left == 1 ? 1 : 2; disc > 0; --disc) {
            CHECK(game.seat() == seat && game.record() == record && !game.over());
            const int cell = game.next().nth(rng.below(game.next().count()));
            CHECK(board[static_cast<std::size_t>(cell)] == '.');
            board[static_cast<std::size_t>(cell)] = static_cast<char>('0' + seat);
            turn.add(cell);
            game.add(cell);
        }
        CHECK(game.partial().none() && game.seat() == 1 - seat);
        CHECK(game.stones(0) == stones_of<W>(board)[0] && game.stones(1) == stones_of<W>(board)[1]);
        CHECK(game.record() == best_square(board, size, record, turn, seat));
    }
    CHECK(game.next().none() && game.reason() == Ending::board_full && game.winner() == game.record().seat);
}

void positions_of_squ() {
    doing = "an equal squ does not replace the record";
    Squ<1> game(4);
    for (const int cell : {0, 12, 13, 1, 3, 8, 9, 4, 5}) game.add(cell);  // black's 8 9 12 13, then red's 0 1 4 5
    CHECK(game.record() == (Mark{2, 1, 8}) && !game.over());
    doing = "a position of squ";
    Facts facts;
    facts.record = 2;
    facts.record_seat = 1;
    auto last = position<Squ>(4, "001100111100110.", 0, facts);
    CHECK(last.next() == Bits<1>::of(15) && !last.may_end());
    last.add(15);
    CHECK(last.over() && last.winner() == 1 && last.reason() == Ending::board_full);
    doing = "a resigned game has no next step";
    facts.winner = 1;
    facts.reason = Ending::resignation;
    CHECK(position<Squ>(4, "0...............", 0, facts).next().none());
}

void positions_of_square_squared() {
    doing = "two passes end the game as a draw";
    SquareSquared<1> game(3);
    game.pass();
    CHECK(!game.over() && game.passed() && game.seat() == 1);
    game.pass();
    CHECK(game.over() && game.winner() == -1 && game.reason() == Ending::two_passes && game.next().none());
    doing = "the first stone of a board of one stone cannot be repeated, and a lone stone may not remove itself";
    auto corner = position<SquareSquared>(2, ".00.", 1);
    CHECK(corner.next().none() && corner.may_pass());
    doing = "a stone that fills the last liberty of its two stones removes all three";
    auto suicide = position<SquareSquared>(3, "00.111...", 0);
    CHECK(suicide.next().has(2));
    suicide.add(2);
    CHECK(suicide.stones(0).none() && suicide.stones(1) == stones_of<1>("...111...")[1]);
    doing = "ko: the stone that was just taken cannot take back, until the board has changed";
    auto ko = position<SquareSquared>(4, ".01.0.01.01.....", 1);
    ko.add(5);
    CHECK(!ko.stones(0).has(6) && !ko.next().has(6));
    ko.add(15);
    ko.pass();
    CHECK(ko.next().has(6));
    doing = "a group without liberties in a position goes only if a stone touches it";
    auto stuck = position<SquareSquared>(3, "011111...", 0);
    CHECK(stuck.stones(0).has(0));
    stuck.add(8);
    CHECK(stuck.stones(0).has(0) && stuck.points().chains().is_consistent());
    doing = "an earlier board that was added is forbidden";
    CHECK(position<SquareSquared>(2, "0...", 1).next().has(3));
    Facts facts;
    facts.history = {std::string("\1\0\0\2", 4)};
    CHECK(!position<SquareSquared>(2, "0...", 1, facts).next().has(3));
    doing = "the next ring in decides a tie on the edge";
    auto rings = position<SquareSquared>(3, "0.1.1....", 0);
    rings.pass();
    rings.pass();
    CHECK(rings.winner() == 1);
}

template <int W>
void go(int size, std::uint64_t seed) {
    doing = "go " + std::to_string(size) + ", seed " + std::to_string(seed);
    Rng rng(seed);
    Go<W> game(size);
    Naive naive(size);
    while (!game.over()) {
        compare<W>(game, naive);
        const Bits<W> next = game.next();
        for (std::size_t point = 0; point < naive.stones.size(); ++point) {
            const bool legal = naive.may_play(point, game.seat()) && naive.after(point, game.seat())[point] != '.';
            CHECK(next.has(static_cast<int>(point)) == legal);
        }
        Go<W> copy = game;
        copy.random_turn(rng);
        const Bits<W> placed = copy.points().stones()[static_cast<std::size_t>(game.seat())] & game.points().chains().free_points();
        CHECK(placed.count() == (copy.points().chains().count() != game.points().chains().count() || placed.any()));
        if (placed.any()) naive.play(static_cast<std::size_t>(placed.first()), game.seat());
        game = copy;
    }
}

}  // namespace

int main() {
    positions_of_squ();
    positions_of_square_squared();
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        square_squared<1>(2, 40, seed);
        square_squared<1>(3, 150, seed);
        square_squared<1>(4, 150, seed);
    }
    // Turns that complete two equal squs are rare.
    for (std::uint64_t seed = 0; seed < 100; ++seed) squ<1>(6, seed);
    for (int size = 2; size <= largest_size; ++size) {
        const std::uint64_t seed = static_cast<std::uint64_t>(size);
        const int turns = size * size;
        if (size <= 8) square_squared<1>(size, turns, seed);
        else if (size <= 11) square_squared<2>(size, turns, seed);
        else if (size <= 16) square_squared<4>(size, turns, seed);
        else square_squared<6>(size, turns, seed);
        if (size % 2 || size < 4) continue;
        if (size <= 8) squ<1>(size, seed);
        else if (size <= 11) squ<2>(size, seed);
        else if (size <= 16) squ<4>(size, seed);
        else squ<6>(size, seed);
    }
    go<1>(5, 1);
    return 0;
}
