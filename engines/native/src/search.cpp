// What the searcher's evaluators of connection games and of SQU compute most often.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "squarefield/experts/squares.hpp"
#include "squarefield/parts/fillings.hpp"
#include "squarefield/parts/paths.hpp"

namespace nb = nanobind;

namespace squarefield {
namespace {

const std::uint8_t* checked(const nb::bytes& stones, int size, int seat) {
    if (size < 2 || size > largest_size || stones.size() != static_cast<std::size_t>(size * size) || (seat != 0 && seat != 1))
        throw nb::value_error("stones must be one byte for each cell of a board of 2 to 19 cells per side, the seat 0 or 1");
    return static_cast<const std::uint8_t*>(stones.data());
}

template <class F>
auto with_paths(const nb::bytes& stones, int size, int seat, bool hexagonal, F&& use) {
    const auto* cells = checked(stones, size, seat);
    return with_words(size, [&](auto words) { return use(Paths<words>(size, cells, seat, hexagonal)); });
}

std::vector<double> shares(nb::bytes stones, int size, int seat, bool hexagonal) {
    return with_paths(stones, size, seat, hexagonal, [](const auto& paths) { return paths.shares(); });
}

int distance(nb::bytes stones, int size, int seat, bool hexagonal) {
    return with_paths(stones, size, seat, hexagonal, [](const auto& paths) { return paths.length(); });
}

std::vector<Lanes> fillings(const nb::bytes& bytes, int size) {
    if (size < 2 || size > largest_size || bytes.size() != static_cast<std::size_t>(size * size) * lanes_bytes)
        throw nb::value_error("fillings must be 32 bytes for each cell of a board of 2 to 19 cells per side");
    return lanes_from(static_cast<const unsigned char*>(bytes.data()), size * size);
}

nb::bytes joined(const nb::bytes& bytes, int size, bool hexagonal) {
    const Lanes won = joined_lanes(fillings(bytes, size), size, hexagonal);
    std::array<unsigned char, lanes_bytes> out;
    for (std::size_t i = 0; i < lanes_bytes; ++i)
        out[i] = static_cast<unsigned char>(won[static_cast<int>(i / 8)] >> (8 * (i % 8)));
    return nb::bytes(out.data(), out.size());
}

std::pair<std::vector<int>, std::vector<int>> counts(const nb::bytes& bytes, const nb::bytes& won, int size) {
    if (won.size() != lanes_bytes) throw nb::value_error("the lanes that are won must be 32 bytes");
    return lane_counts(fillings(bytes, size), lanes_from(static_cast<const unsigned char*>(won.data()), 1)[0]);
}

// A board of SQU, for the player of this seat. One type for all sizes is fast enough.
using AnyDiscs = Discs<words_for(largest_size)>;

AnyDiscs discs_of(const nb::bytes& stones, int size, int seat, int missing, int record, int record_seat) {
    const auto* cells = checked(stones, size, seat);
    AnyDiscs discs{size, missing, {}, {}, record, record_seat == seat};
    each_stone(size, cells, [&](int cell, int owner) { (owner == seat ? discs.own : discs.other).add(cell); });
    return discs;
}

// The value of the fillings that the bits make, 64 bytes for each empty cell, and the chance after each step.
std::pair<double, std::vector<double>> fill(const AnyDiscs& discs, const nb::bytes& bits) {
    const int empty = discs.size * discs.size - discs.own.count() - discs.other.count();
    if (bits.size() != 64 * static_cast<std::size_t>(empty))
        throw nb::value_error("there must be 64 bytes for each empty cell");
    const auto* next = static_cast<const unsigned char*>(bits.data());
    const Filled found = filled<8>(discs, [&] { return lanes_at<8>(std::exchange(next, next + 64)); });
    return {found.value, found.after};
}

}  // namespace

void bind_search(nb::module_& module) {
    module.def("shares", &shares, nb::arg("stones"), nb::arg("size"), nb::arg("seat"), nb::arg("hexagonal"));
    module.def("joined", &joined, nb::arg("fillings"), nb::arg("size"), nb::arg("hexagonal"));
    module.def("counts", &counts, nb::arg("fillings"), nb::arg("won"), nb::arg("size"));
    module.def("distance", &distance, nb::arg("stones"), nb::arg("size"), nb::arg("seat"), nb::arg("hexagonal"));
    nb::class_<AnyDiscs>(module, "Discs", "A board of SQU from the view of a seat, which must still place `missing` discs.")
        .def_static("of", &discs_of, nb::arg("stones"), nb::arg("size"), nb::arg("seat"), nb::arg("missing"),
                    nb::arg("record"), nb::arg("record_seat"))
        .def("worths", &worths<words_for(largest_size)>, "The rank of each cell, as in Python's SquaresJudge.")
        .def("fill", &fill, nb::arg("bits"));
}

}  // namespace squarefield
