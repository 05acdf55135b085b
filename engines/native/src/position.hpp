// The position that Python holds.
#pragma once

#include <memory>
#include <utility>

#include "squarefield/any.hpp"

namespace squarefield {

// A position that changes: unlike Python's, `add` and `play` alter it.
class Position {
public:
    explicit Position(std::unique_ptr<AnyGame> game) : game_(std::move(game)) {}
    Position(const Position& other) : game_(other.game_->copy()) {}
    Position(Position&&) = default;
    Position& operator=(Position&&) = default;
    AnyGame& game() { return *game_; }

private:
    std::unique_ptr<AnyGame> game_;
};

}  // namespace squarefield
