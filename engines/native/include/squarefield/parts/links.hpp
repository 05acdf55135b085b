// Which stones are joined to their seat's first side: kept up to date stone by stone, so that a connection costs a few
// steps to find. Seat 0 joins north and south, seat 1 west and east.
#pragma once

#include "squarefield/bits.hpp"

namespace squarefield {

// `Hexagonal`: north-east and south-west are neighbours, too.
template <int W, bool Hexagonal>
class Links {
public:
    explicit Links(int size) { clear(size); }

    // Take all stones off the board.
    void clear(int size) {
        const Frame& fresh = frame(size);
        marks_ = fresh.marks;
        at_ = fresh.at.data();
    }

    // Put a stone on an empty cell. Returns whether it joins the seat's sides.
    bool put(int cell, int seat) {
        const int stone = 1 << seat, joined = 4 << seat, at = at_[cell];
        int around = 0;
        for (const int step : near_) around |= mark(at + step);
        mark(at) = static_cast<std::uint8_t>(stone);
        return (around & joined) != 0 && spread(at, seat);
    }

    // Take stones of a seat off the board; `rest` are those that stay.
    void take(const Bits<W>& gone, const Bits<W>& rest, int seat, const Bits<W>& first_side) {
        const int joined = 4 << seat;
        bool cut = false;
        gone.each([&](int cell) {
            cut = cut || (mark(at_[cell]) & joined) != 0;
            mark(at_[cell]) = 0;
        });
        if (!cut) return;  // they joined nothing to the side
        rest.each([&](int cell) { mark(at_[cell]) = static_cast<std::uint8_t>(1 << seat); });
        (rest & first_side).each([&](int cell) {
            if ((mark(at_[cell]) & joined) == 0) spread(at_[cell], seat);
        });
    }

private:
    // A frame of cells around the board saves tests for its edge.
    static constexpr int stride = side_of(W) + 2;
    // A mark: bit 0 or 1 for a stone of seat 0 or 1, bit 2 or 3 if it is joined to the seat's first side. In the frame: bit 2
    // or 3 beside the first side, bit 4 or 5 beside the other one.
    using Marks = std::array<std::uint8_t, static_cast<std::size_t>(stride* stride)>;
    static constexpr auto near_ = [] {
        if constexpr (Hexagonal) return std::array{1, -1, stride, -stride, stride + 1, -stride - 1};
        else return std::array{1, -1, stride, -stride};
    }();

    struct Frame {
        Marks marks{};
        std::array<std::uint16_t, static_cast<std::size_t>(side_of(W) * side_of(W))> at{};
    };

    static constexpr Frame frame_of(int size) {
        Frame frame;
        for (int i = 0; i <= size + 1; ++i) {
            frame.marks[static_cast<std::size_t>((size + 1) * stride + i)] |= 4;
            frame.marks[static_cast<std::size_t>(i)] |= 16;
            frame.marks[static_cast<std::size_t>(i * stride)] |= 8;
            frame.marks[static_cast<std::size_t>(i * stride + size + 1)] |= 32;
        }
        for (int cell = 0; cell < size * size; ++cell)
            frame.at[static_cast<std::size_t>(cell)] =
                static_cast<std::uint16_t>((cell / size + 1) * stride + cell % size + 1);
        return frame;
    }

    static const Frame& frame(int size) {
        constexpr int least = least_side_of(W);
        static constexpr auto table = [] {
            std::array<Frame, static_cast<std::size_t>(side_of(W) - least + 1)> frames{};
            for (int n = least; n <= side_of(W); ++n) frames[static_cast<std::size_t>(n - least)] = frame_of(n);
            return frames;
        }();
        return table[static_cast<std::size_t>(size - least)];
    }

    // Mark a stone and all stones linked to it as joined to the first side. Returns whether one is beside the other side.
    bool spread(int from, int seat) {
        const int stone = 1 << seat, joined = 4 << seat, other_side = 16 << seat;
        std::array<std::uint16_t, largest_size * largest_size> stack;
        std::size_t height = 0;
        int around = 0;
        mark(from) |= static_cast<std::uint8_t>(joined);
        stack[height++] = static_cast<std::uint16_t>(from);
        while (height > 0) {
            const int at = stack[--height];
            for (const int step : near_) {
                std::uint8_t& near = mark(at + step);
                around |= near;
                if ((near & (stone | joined)) == stone) {
                    near |= static_cast<std::uint8_t>(joined);
                    stack[height++] = static_cast<std::uint16_t>(at + step);
                }
            }
        }
        return (around & other_side) != 0;
    }

    std::uint8_t& mark(int at) { return marks_[static_cast<std::size_t>(at)]; }

    const std::uint16_t* at_ = nullptr;
    Marks marks_;
};

}  // namespace squarefield
