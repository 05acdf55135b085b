// Many games at once: observations, masks and rewards in arrays of the caller. The same numbers as Python's
// engines/env/python_games.py, which describes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "squarefield/actions.hpp"
#include "squarefield/planes.hpp"

namespace squarefield {

// The arrays of n games, each with its games one after the other.
struct BatchArrays {
    int games = 0, planes = 0;
    std::uint8_t* observations = nullptr;  // planes × cells
    std::uint8_t* masks = nullptr;         // actions
    float* rewards = nullptr;              // seats
    std::uint8_t *terminations = nullptr, *truncations = nullptr;
    std::int8_t* seats = nullptr;
    std::uint8_t* finals = nullptr;        // planes × cells
};

// An action that leaves a game unchanged.
inline constexpr int skip_action = -1;

struct AnyBatch {
    virtual ~AnyBatch() = default;
    virtual void restart(std::uint64_t seed, std::uint64_t drawn = 0) = 0;  // after so many numbers of each game's stream
    virtual void reset() = 0;
    virtual int step(const std::int32_t* actions) = 0;
    virtual void sample(std::int32_t* actions) = 0;
    virtual std::vector<int> history(int game) const = 0;
};

template <Game G>
class Batch final : public AnyBatch {
public:
    Batch(int size, int cap, const BatchArrays& arrays)
        : start_(size), board_(&board_of<G::Set::words>(size)), cells_(size * size), cap_(cap), arrays_(arrays),
          places_(static_cast<std::size_t>(arrays.games), Place(start_)) {}

    void restart(std::uint64_t seed, std::uint64_t drawn) override {
        std::uint64_t number = stirred(seed);
        for (Place& place : places_) place.stream = stirred(number++) + drawn * golden;
    }

    void reset() override {
        clear();
        for (int i = 0; i < arrays_.games; ++i) begin(i);
    }

    // Returns the first game that refuses its action, in which case nothing has changed, or -1.
    int step(const std::int32_t* actions) override {
        for (int i = 0; i < arrays_.games; ++i)
            if (actions[i] != skip_action && !at(i).shown.options.has(actions[i], cells_)) return i;
        clear();
        for (int i = 0; i < arrays_.games; ++i) {
            if (i + 1 < arrays_.games) fetch(places_[static_cast<std::size_t>(i + 1)]);
            if (actions[i] != skip_action) move(i, actions[i]);
        }
        return -1;
    }

    void sample(std::int32_t* actions) override {
        for (int i = 0; i < arrays_.games; ++i) {
            const std::uint64_t high = stirred(at(i).stream += golden) >> 32;
            const auto& options = at(i).shown.options;
            actions[i] = options.nth(static_cast<int>(high * static_cast<std::uint64_t>(options.count) >> 32), cells_);
        }
    }

    std::vector<int> history(int game) const override {
        const auto& actions = places_[static_cast<std::size_t>(game)].actions;
        return {actions.begin(), actions.end()};
    }

private:
    struct Place {
        explicit Place(const G& start) : game(start) {}
        G game;
        Shown<G> shown;
        std::uint64_t stream = 0;
        int plies = 0;  // finished turns
        std::vector<std::uint16_t> actions;
    };

    // Ask for the memory of a game before it is needed: a large batch is larger than the processor's caches.
    static void fetch(const Place& place) {
        const auto* bytes = reinterpret_cast<const char*>(&place);
        for (std::size_t line = 0; line < sizeof(Place); line += 64) __builtin_prefetch(bytes + line);
    }

    Place& at(int i) { return places_[static_cast<std::size_t>(i)]; }
    std::ptrdiff_t offset(int i) const { return std::ptrdiff_t{i} * (arrays_.planes * cells_); }

    void clear() {
        std::fill_n(arrays_.rewards, 2 * arrays_.games, 0.0F);
        std::fill_n(arrays_.terminations, arrays_.games, std::uint8_t{0});
        std::fill_n(arrays_.truncations, arrays_.games, std::uint8_t{0});
    }

    void begin(int i) {
        Place& place = at(i);
        place.game = start_;
        place.plies = 0;
        place.shown = {};
        place.actions.clear();
        show(i);
    }

    void move(int i, int action) {
        Place& place = at(i);
        const int seat = place.game.seat();
        apply(place.game, action);
        place.actions.push_back(static_cast<std::uint16_t>(action));
        // Only a finished turn gives the move to the other seat.
        if (place.game.seat() != seat) {
            ++place.plies;
            place.shown.turn_ended(*board_, place.game.stones(seat), action == cells_ + 1);
        }
        if (place.game.over() || place.plies >= cap_) end(i);
        else show(i);
    }

    void end(int i) {
        Place& place = at(i);
        const bool over = place.game.over();
        arrays_.terminations[i] = over;
        arrays_.truncations[i] = !over;
        if (over && place.game.winner() >= 0)
            for (int seat = 0; seat < 2; ++seat) arrays_.rewards[2 * i + seat] = place.game.winner() == seat ? 1.0F : -1.0F;
        place.shown.write(place.game, *board_, true, arrays_.finals + offset(i));
        begin(i);
    }

    void show(int i) {
        Place& place = at(i);
        place.shown.options.read(place.game);
        write_mask(place.shown.options, cells_, arrays_.masks + std::ptrdiff_t{i} * (cells_ + 3));
        arrays_.seats[i] = static_cast<std::int8_t>(place.game.seat());
        place.shown.write(place.game, *board_, false, arrays_.observations + offset(i));
    }

    G start_;
    const Board<G::Set::words>* board_;
    int cells_, cap_;
    BatchArrays arrays_;
    std::vector<Place> places_;
};

}  // namespace squarefield
