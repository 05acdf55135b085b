// Whole turns as tuples of cells, as Python's notation reads them: played if they are legal.
#pragma once

#include <algorithm>
#include <span>

#include "squarefield/actions.hpp"

namespace squarefield {

// Python's codes of words.
inline constexpr int pass_code = -1, swap_code = -2;

// Play a whole turn if it is legal. Returns whether it was; if not, the position must not be used any more.
template <Game G>
bool play(G& game, std::span<const int> turn) {
    if (game.over() || turn.empty() || game.partial().any()) return false;
    if (turn[0] < 0) {
        if (turn.size() != 1) return false;
        if (turn[0] == pass_code && game.may_pass()) game.pass();
        else if (turn[0] == swap_code && game.may_swap()) game.swap();
        else return false;
        return true;
    }
    const int cells = game.size() * game.size();
    if (!std::ranges::all_of(turn, [&](int cell) { return cell >= 0 && cell < cells; })) return false;
    if constexpr (requires { { game.play(turn) } -> std::same_as<bool>; }) {
        return game.play(turn);
    } else {
        for (std::size_t i = 0; i < turn.size(); ++i) {
            if (i > 0 && game.partial().none()) return false;  // the turn has ended by itself
            if (!game.next().has(turn[i])) return false;
            game.add(turn[i]);
        }
        if (game.partial().none()) return true;
        if (!game.may_end()) return false;
        game.end_turn();
        return true;
    }
}

}  // namespace squarefield
