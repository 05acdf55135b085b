// The expert for SquareSquared, as engines/search/games/edges.py and go_playouts.py.
#pragma once

#include "squarefield/experts/expert.hpp"
#include "squarefield/square_squared.hpp"

namespace squarefield {

// The value of a stone on each ring, from the edge inwards; deeper rings count like the last one.
inline float point_worth(int size, int point) {
    const int row = point / size, column = point % size;
    const int depth = std::min({row, column, size - 1 - row, size - 1 - column});
    return depth == 0 ? 1.0F : depth == 1 ? 0.45F : 0.25F;
}

// Captures and rescues first, then points near the edge. To fill an own eye is useless.
template <int W>
Ranks ranks(const SquareSquared<W>& game) {
    const Board<W>& board = board_of<W>(game.size());
    const Bits<W> own = game.stones(game.seat()), other = game.stones(1 - game.seat()), empty = board.full & ~(own | other);
    Bits<W> urgent;
    for (const Bits<W>& stones : {own, other}) {
        for (Bits<W> rest = stones; rest.any();) {
            const Bits<W> group = board.fill(Bits<W>::of(rest.first()), stones);
            rest &= ~group;
            const Bits<W> liberties = board.beside(group) & empty;
            if (liberties.count() == 1) urgent |= liberties;
        }
    }
    Ranks all;
    all.pass = game.passed() ? 2.0F : 0.1F;
    empty.each([&](int point) {
        const Bits<W>& near = board.near_to(point);
        const float worth = point_worth(game.size(), point);
        float& rank = all.cell[static_cast<std::size_t>(point)];
        if (urgent.has(point)) rank = 2.0F + worth;
        else if (near.within(own)) rank = 0;
        else rank = 0.5F + worth + (near.meets(other) ? 0.2F : 0.0F) + 0.1F * static_cast<float>((near & empty).count());
    });
    return all;
}

}  // namespace squarefield
