// Tree search, for the bot `champion`.
#include <memory>

#include "bindings.hpp"
#include "position.hpp"

namespace nb = nanobind;

namespace squarefield {
namespace {

class Searching {
public:
    Searching(Position& position, std::uint64_t seed) : search_(position.game().search(seed)) {}

    Thought think(Position& position, double seconds, std::uint64_t most) {
        nb::gil_scoped_release unlocked;
        return search_->think(position.game(), seconds, most);
    }

private:
    std::unique_ptr<AnySearch> search_;
};

}  // namespace

void bind_tree(nb::module_& module) {
    nb::class_<Thought>(module, "Thought", "The result of a search.")
        .def_ro("action", &Thought::action, "The best action; -1 after the end of the game.")
        .def_ro("chance", &Thought::chance, "The chance of the player to move to win with it, 0 to 1.")
        .def_ro("leaves", &Thought::leaves, "Leaves that this call added to the tree.");
    nb::class_<Searching>(module, "Search", "A tree search of one ruleset and size, which keeps its tree between calls.")
        .def(nb::init<Position&, std::uint64_t>(), nb::arg("position"), nb::arg("seed"))
        .def("think", &Searching::think, nb::arg("position"), nb::arg("seconds"), nb::arg("most"),
             "Search until the time or the number of leaves is spent, or more cannot change the choice.");
}

}  // namespace squarefield
