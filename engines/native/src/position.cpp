// Positions: built from Python's, and played step by step or turn by turn.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "bindings.hpp"
#include "position.hpp"
#include "squarefield/rulesets.hpp"

namespace nb = nanobind;

namespace squarefield {
namespace {

constexpr std::array reasons{"connection", "goal", "impasse", "board full", "two passes", "resignation"};

void check_size(const Entry& entry, int size) {
    if (size < 2 || size > largest_size)
        throw std::invalid_argument(entry.slug + " has boards of 2 to 19 cells per side, not " + std::to_string(size));
}

void check_stones(std::string_view stones, int size) {
    const auto cells = static_cast<std::size_t>(size * size);
    if (stones.size() != cells)
        throw std::invalid_argument("stones must be " + std::to_string(cells) + " bytes, not " + std::to_string(stones.size()));
    if (!std::ranges::all_of(stones, [](char stone) { return static_cast<unsigned char>(stone) <= 2; }))
        throw std::invalid_argument("each byte of stones must be 0, 1 or 2");
}

Position start(const std::string& slug, int size) {
    const Entry& entry = entry_named(slug);
    check_size(entry, size);
    return Position(entry.start(size));
}

Position setup(const std::string& slug, int size, nb::bytes stones, int seat, const Facts& facts) {
    const Entry& entry = entry_named(slug);
    check_size(entry, size);
    const auto* cells = static_cast<const std::uint8_t*>(stones.data());
    check_stones({static_cast<const char*>(stones.data()), stones.size()}, size);
    for (const std::string& board : facts.history) check_stones(board, size);
    if (seat != 0 && seat != 1) throw std::invalid_argument("the seat must be 0 or 1");
    return Position(entry.setup(size, cells, seat, facts));
}

int at_least(int least, int number, const char* name) {
    if (number < least)
        throw std::invalid_argument(std::string(name) + " must be at least " + std::to_string(least) + ", not " +
                                    std::to_string(number));
    return number;
}

Facts facts_of(bool grown, bool passed, int record, int record_seat, const std::vector<nb::bytes>& history, int winner,
               const std::string& reason) {
    const bool known = reason.empty() || std::ranges::find(reasons, reason) != reasons.end();
    if (!known || winner < -1 || winner > 1 || record < 0 || record > largest_size || record_seat < 0 || record_seat > 1)
        throw std::invalid_argument("the record must be 0 to 19, its seat 0 or 1, the winner -1, 0 or 1, and the reason empty or one of "
                                    "Python's endings");
    Facts facts{grown, passed, record, record_seat, {}, winner, Ending::none};
    for (const nb::bytes& board : history) facts.history.emplace_back(static_cast<const char*>(board.data()), board.size());
    for (std::size_t i = 0; i < reasons.size(); ++i)
        if (reason == reasons[i]) facts.reason = static_cast<Ending>(i);
    return facts;
}

nb::bytes stones_of(Position& position) {
    std::array<std::uint8_t, largest_size * largest_size> cells{};
    for (const int seat : {0, 1})
        position.game().stones(seat).each([&](int cell) { cells[static_cast<std::size_t>(cell)] = seat == 0 ? 1 : 2; });
    return nb::bytes(cells.data(), static_cast<std::size_t>(position.game().cells()));
}

nb::bytes mask_of(Position& position) {
    std::array<std::uint8_t, actions(largest_size)> mask;
    write_mask(position.game().options(), position.game().cells(), mask.data());
    return nb::bytes(mask.data(), static_cast<std::size_t>(actions(position.game().size())));
}

nb::object tuple_of(const std::vector<int>& numbers) {
    nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLong(numbers[i]));
    return tuple;
}

std::vector<int> list_of(const AnyCells& set) {
    std::vector<int> cells;
    cells.reserve(static_cast<std::size_t>(set.count()) + 3);
    set.each([&](int cell) { cells.push_back(cell); });
    return cells;
}

nb::object next_of(Position& position) {
    const auto options = position.game().options();
    std::vector<int> steps = list_of(options.cells);
    if (options.pass) steps.insert(steps.begin(), pass_code);
    if (options.swap) steps.insert(steps.begin(), swap_code);
    return tuple_of(steps);
}

nb::object actions_of(Position& position) {
    const auto options = position.game().options();
    std::vector<int> legal = list_of(options.cells);
    for (int i = options.cells.count(); i < options.count; ++i) legal.push_back(options.nth(i, position.game().cells()));
    return tuple_of(legal);
}

nb::object reason_of(Position& position) {
    const Ending reason = position.game().reason();
    return reason == Ending::none ? nb::none() : nb::cast(reasons[static_cast<std::size_t>(reason)]);
}

// An action in words.
std::string spoken(int action, int size) {
    const int cells = size * size;
    if (action == end_action(size)) return "the end of the turn";
    if (action == pass_action(size)) return "a pass";
    if (action == swap_action(size)) return "a swap";
    if (action < 0 || action > cells) return "which is not between 0 and " + std::to_string(actions(size) - 1);
    return std::string("a stone on ") + "abcdefghjklmnopqrst"[action % size] + std::to_string(action / size + 1);
}

void add(Position& position, int action) {
    const AnyGame& game = position.game();
    if (!game.options().has(action, game.cells()))
        throw std::invalid_argument("action " + std::to_string(action) + ", " + spoken(action, game.size()) +
                                    ", is not legal in this position of " + game.slug());
    position.game().apply(action);
}

// Change the position only if the turn is legal.
bool play_turn(Position& position, const std::vector<int>& turn) {
    Position after = position;
    if (!after.game().play(turn)) return false;
    position = std::move(after);
    return true;
}

// Play all turns, and return the position and the boards before each turn, or None if one is not legal or its stones are not
// in the order in which Python writes them.
nb::object replay(const std::string& slug, int size, const std::vector<std::vector<int>>& turns) {
    Position position = start(slug, size);
    nb::list boards;
    for (const std::vector<int>& turn : turns) {
        boards.append(stones_of(position));
        // In this order: `written_well` reads cells, which `play` has checked.
        Position before = position;
        if (!position.game().play(turn) || !before.game().written_well(turn)) return nb::none();
    }
    return nb::make_tuple(nb::cast(std::move(position)), boards);
}

// The game, in which a turn must be possible.
AnyGame& running(Position& position) {
    if (position.game().over()) throw std::invalid_argument("the game is over: no turn is possible");
    return position.game();
}

// The chance of the seat to move, and how often it held each cell at the end, and held it and won.
nb::tuple take_sample(Position& position, int count, std::uint64_t seed, int most_turns) {
    at_least(1, count, "the number of playouts");
    at_least(0, most_turns, "the number of turns");
    Sample found;
    {
        nb::gil_scoped_release unlocked;
        found = position.game().sample(count, seed, most_turns);
    }
    nb::list won;
    for (const int points : found.held_points) won.append(points / 2.0);
    return nb::make_tuple(found.points / (2.0 * count), nb::cast(found.held), won);
}

}  // namespace

void bind_position(nb::module_& module) {
    module.def("replay", &replay, nb::arg("ruleset"), nb::arg("size"), nb::arg("turns"));
    nb::class_<Rng>(module, "Rng", "A generator of random numbers.")
        .def(nb::init<std::uint64_t>(), nb::arg("seed"))
        .def("below", [](Rng& rng, int bound) { return rng.below(at_least(1, bound, "the bound")); }, nb::arg("bound"));
    nb::class_<Facts>(module, "Facts", "The facts of a position that its stones do not show.")
        .def_static("of", &facts_of, nb::kw_only(), nb::arg("grown") = false, nb::arg("passed") = false,
                    nb::arg("record") = 0, nb::arg("record_seat") = 0, nb::arg("history") = std::vector<nb::bytes>{},
                    nb::arg("winner") = -1, nb::arg("reason") = "");
    nb::class_<Position>(module, "Position", "A position of any ruleset. It changes as turns are played.")
        .def_static("start", &start, nb::arg("ruleset"), nb::arg("size"))
        .def_static("setup", &setup, nb::arg("ruleset"), nb::arg("size"), nb::arg("stones"), nb::arg("seat"),
                    nb::arg("facts"))
        .def("copy", [](const Position& position) { return Position(position); })
        .def_prop_ro("size", [](Position& position) { return position.game().size(); })
        .def_prop_ro("seat", [](Position& position) { return position.game().seat(); })
        .def_prop_ro("over", [](Position& position) { return position.game().over(); })
        .def_prop_ro("winner", [](Position& position) { return position.game().winner(); }, "0, 1, or -1 for none.")
        .def_prop_ro("reason", &reason_of, "As Python's Ending, or None.")
        .def_prop_ro("stones", &stones_of, "As Python's, with the stones of the unfinished turn.")
        .def_prop_ro("partial", [](Position& position) { return tuple_of(list_of(position.game().partial())); })
        .def_prop_ro("record", [](Position& position) {
            const Mark mark = position.game().record();
            return nb::make_tuple(mark.length, mark.seat, mark.corner);
        }, "SQU's marked squ: its cells per side (0: none), its seat and its south-western corner.")
        .def("next", &next_of, "The steps as in Python's Steps.next.")
        .def_prop_ro("may_end", [](Position& position) { return position.game().options().end; })
        .def("actions", &actions_of, "The numbers of the legal actions, in ascending order.")
        .def("mask", &mask_of, "One byte for each action: 1 if it is legal.")
        .def("add", &add, nb::arg("action"), "Play an action: a cell, or the end of the turn, a pass or a swap.")
        .def("play", &play_turn, nb::arg("turn"), "Play a whole turn if it is legal, and return whether it was.")
        .def("random_action", [](Position& position, Rng& rng) {
            const auto options = running(position).options();
            return options.nth(rng.below(options.count), position.game().cells());
        }, nb::arg("rng"))
        .def("random_turn", [](Position& position, Rng& rng) { running(position).random_turn(rng); })
        .def("play_out", [](Position& position, Rng& rng) { return position.game().play_out(rng); })
        .def("sample", &take_sample, nb::arg("count"), nb::arg("seed"), nb::arg("most_turns"))
        .def("perft", [](Position& position, int depth) { return position.game().perft(at_least(0, depth, "the depth")); },
             nb::arg("depth"), nb::call_guard<nb::gil_scoped_release>())
        .def("playouts", [](Position& position, std::uint64_t count, std::uint64_t seed) {
            Tally tally;
            {
                nb::gil_scoped_release unlocked;
                tally = position.game().playouts(count, seed);
            }
            return nb::make_tuple(tally.wins[0], tally.wins[1], tally.draws, tally.turns);
        }, nb::arg("count"), nb::arg("seed"), "The wins of seat 0 and seat 1, the draws, and the number of all turns.");
}

}  // namespace squarefield
