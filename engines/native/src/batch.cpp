// Batches of games in NumPy arrays, which Python makes and C++ fills without copies.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <memory>

#include "bindings.hpp"
#include "squarefield/rulesets.hpp"

namespace nb = nanobind;

namespace squarefield {
namespace {

template <class T>
using Array = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

template <class T>
T* checked(Array<T>& array, const char* name, std::initializer_list<int> shape) {
    bool same = array.ndim() == shape.size();
    std::size_t axis = 0;
    for (const int length : shape) same = same && array.shape(axis++) == static_cast<std::size_t>(length);
    if (!same) throw std::invalid_argument(std::string("the array of ") + name + " has another shape than the batch");
    return array.data();
}

// Keeps the arrays alive. A batch must be used by one thread at a time.
class Batches {
public:
    Batches(const std::string& slug, int size, int cap, Array<std::uint8_t> observations, Array<std::uint8_t> masks,
            Array<float> rewards, Array<std::uint8_t> terminations, Array<std::uint8_t> truncations,
            Array<std::int8_t> seats, Array<std::uint8_t> finals)
        : held_{observations, masks, terminations, truncations, finals}, rewards_(rewards), seats_(seats) {
        const Entry& entry = entry_named(slug);
        if (size < 2 || size > largest_size || cap < 1 || seats.ndim() != 1)
            throw std::invalid_argument("a batch needs boards of 2 to 19 cells per side, a cap of at least 1 and an array of seats");
        BatchArrays arrays;
        const int games = arrays.games = static_cast<int>(seats.shape(0)), planes = arrays.planes = entry.planes;
        arrays.observations = checked(observations, "observations", {games, planes, size, size});
        arrays.masks = checked(masks, "masks", {games, actions(size)});
        arrays.rewards = checked(rewards, "rewards", {games, 2});
        arrays.terminations = checked(terminations, "terminations", {games});
        arrays.truncations = checked(truncations, "truncations", {games});
        arrays.seats = seats.data();
        arrays.finals = checked(finals, "finals", {games, planes, size, size});
        games_ = games;
        batch_ = entry.batch(size, cap, arrays);
    }

    void restart(std::uint64_t seed, std::uint64_t drawn) { batch_->restart(seed, drawn); }
    void reset() {
        const nb::gil_scoped_release unlocked;
        batch_->reset();
    }
    int step(Array<std::int32_t> actions) {
        const std::int32_t* first = checked(actions, "actions", {games_});
        const nb::gil_scoped_release unlocked;
        return batch_->step(first);
    }
    void sample(Array<std::int32_t> actions) {
        std::int32_t* first = checked(actions, "actions", {games_});
        const nb::gil_scoped_release unlocked;
        batch_->sample(first);
    }
    std::vector<int> history(int game) const {
        if (game < 0 || game >= games_) throw std::invalid_argument("no such game");
        return batch_->history(game);
    }

private:
    std::vector<Array<std::uint8_t>> held_;
    Array<float> rewards_;
    Array<std::int8_t> seats_;
    int games_ = 0;
    std::unique_ptr<AnyBatch> batch_;
};

}  // namespace

void bind_batch(nb::module_& module) {
    nb::class_<Batches>(module, "Batch", "Many games at once. engines/env/native_games.py is its Python side.")
        .def(nb::init<const std::string&, int, int, Array<std::uint8_t>, Array<std::uint8_t>, Array<float>,
                      Array<std::uint8_t>, Array<std::uint8_t>, Array<std::int8_t>, Array<std::uint8_t>>(),
             nb::arg("ruleset"), nb::arg("size"), nb::arg("cap"), nb::arg("observations").noconvert(),
             nb::arg("masks").noconvert(), nb::arg("rewards").noconvert(), nb::arg("terminations").noconvert(),
             nb::arg("truncations").noconvert(), nb::arg("seats").noconvert(), nb::arg("finals").noconvert())
        .def("restart", &Batches::restart, nb::arg("seed"), nb::arg("drawn") = 0)
        .def("reset", &Batches::reset)
        .def("step", &Batches::step, nb::arg("actions").noconvert(), "Return the first game that refuses, or -1.")
        .def("sample", &Batches::sample, nb::arg("actions").noconvert())
        .def("history", &Batches::history, nb::arg("game"), "The actions of the current game.");
}

}  // namespace squarefield
