// Batches: random games stay within arrays of exactly their size, and a refused action changes nothing.
#include <vector>

#include "check.hpp"
#include "squarefield/batch.hpp"
#include "squarefield/hex.hpp"
#include "squarefield/ooscg_w.hpp"
#include "squarefield/scware.hpp"
#include "squarefield/squ.hpp"
#include "squarefield/square_squared.hpp"

using namespace squarefield;

namespace {

// Arrays on the heap, whose borders the sanitizer guards.
struct Held {
    Held(int games, int planes, int size)
        : views(static_cast<std::size_t>(games * planes * size * size), 9), finals(views),
          masks(static_cast<std::size_t>(games * actions(size)), 9), rewards(static_cast<std::size_t>(2 * games)),
          terminations(static_cast<std::size_t>(games)), truncations(terminations), seats(terminations.size()),
          chosen(terminations.size()) {
        arrays = {games, planes, views.data(), masks.data(), rewards.data(), terminations.data(), truncations.data(),
                  seats.data(), finals.data()};
    }
    std::vector<std::uint8_t> views, finals, masks;
    std::vector<float> rewards;
    std::vector<std::uint8_t> terminations, truncations;
    std::vector<std::int8_t> seats;
    std::vector<std::int32_t> chosen;
    BatchArrays arrays;
};

template <Game G>
void play(int size, int steps) {
    constexpr int games = 3;
    Held held(games, Shown<G>::number, size);
    Batch<G> batch(size, 40, held.arrays);
    batch.restart(5);
    batch.reset();
    int ended = 0;
    for (int step = 0; step < steps; ++step) {
        batch.sample(held.chosen.data());
        for (std::size_t i = 0; i < games; ++i)
            CHECK(held.masks[i * static_cast<std::size_t>(actions(size)) + static_cast<std::size_t>(held.chosen[i])] == 1);
        const auto before = held.views;
        auto wrong = held.chosen;
        wrong[2] = actions(size);
        CHECK(batch.step(wrong.data()) == 2 && before == held.views);
        CHECK(batch.step(held.chosen.data()) == -1);
        for (std::size_t i = 0; i < games; ++i) {
            const bool over = held.terminations[i] || held.truncations[i];
            ended += over;
            CHECK(over == batch.history(static_cast<int>(i)).empty());
            CHECK(held.rewards[2 * i] == -held.rewards[2 * i + 1] && (over || held.rewards[2 * i] == 0.0F));
        }
    }
    CHECK(ended > 0);
    const std::vector<std::int32_t> skips(games, skip_action);
    const auto before = held.views;
    CHECK(batch.step(skips.data()) == -1 && before == held.views);
}

}  // namespace

int main() {
    play<Hex<1>>(5, 200);
    play<Hex<2>>(9, 300);
    play<OoscgW<1>>(5, 200);
    play<Scware<1>>(5, 200);
    play<Squ<1>>(6, 200);
    play<SquareSquared<1>>(3, 300);
}
