// Games of any ruleset and size behind one interface, for the bindings. The loops are inside, so that a call is cheap.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "squarefield/perft.hpp"
#include "squarefield/planes.hpp"
#include "squarefield/playout.hpp"
#include "squarefield/replay.hpp"
#include "squarefield/search.hpp"

namespace squarefield {

struct AnyGame;

// The cells of a board of any size.
using AnyCells = Bits<words_for(largest_size)>;

template <int W>
AnyCells any_cells(const Bits<W>& set) {
    AnyCells cells;
    std::ranges::copy(set.word, cells.word.begin());
    return cells;
}

// A search of one ruleset and size, which keeps its tree between calls.
struct AnySearch {
    virtual ~AnySearch() = default;
    virtual Thought think(const AnyGame& position, double seconds, std::uint64_t most) = 0;
};

struct AnyGame {
    virtual ~AnyGame() = default;
    virtual std::unique_ptr<AnyGame> copy() const = 0;
    virtual const char* slug() const = 0;
    virtual int size() const = 0;
    int cells() const { return size() * size(); }
    virtual int seat() const = 0;
    virtual bool over() const = 0;
    virtual int winner() const = 0;
    virtual Ending reason() const = 0;
    virtual AnyCells stones(int seat) const = 0;  // with those of the unfinished turn
    virtual AnyCells partial() const = 0;
    virtual Options<AnyCells> options() const = 0;
    virtual Mark record() const = 0;
    virtual void apply(int action) = 0;
    virtual bool play(std::span<const int> turn) = 0;
    virtual bool written_well(std::span<const int> turn) const = 0;  // its stones in the order in which Python writes them
    virtual void random_turn(Rng& rng) = 0;
    virtual int play_out(Rng& rng) = 0;
    virtual Tally playouts(std::uint64_t count, std::uint64_t seed) const = 0;
    virtual Sample sample(int count, std::uint64_t seed, int most_turns) const = 0;
    virtual std::vector<std::uint64_t> perft(int depth) const = 0;
    virtual std::unique_ptr<AnySearch> search(std::uint64_t seed) const = 0;
};

template <Game G>
class Held final : public AnyGame {
public:
    explicit Held(G game) : game_(std::move(game)) {}

    std::unique_ptr<AnyGame> copy() const override { return std::make_unique<Held>(*this); }
    const char* slug() const override { return G::slug; }
    int size() const override { return game_.size(); }
    int seat() const override { return game_.seat(); }
    bool over() const override { return game_.over(); }
    int winner() const override { return game_.winner(); }
    Ending reason() const override { return game_.reason(); }

    AnyCells stones(int seat) const override { return any_cells(game_.stones(seat)); }
    AnyCells partial() const override { return any_cells(game_.partial()); }
    Options<AnyCells> options() const override {
        const auto legal = squarefield::options(game_);
        return {any_cells(legal.cells), legal.count, legal.end, legal.pass, legal.swap};
    }
    Mark record() const override { return game_.record(); }
    void apply(int action) override { squarefield::apply(game_, action); }
    bool play(std::span<const int> turn) override { return squarefield::play(game_, turn); }
    bool written_well(std::span<const int> turn) const override { return game_.written_well(turn); }
    void random_turn(Rng& rng) override {
        if (game_.partial().any()) complete_turn(game_, rng);
        else game_.random_turn(rng);
    }
    int play_out(Rng& rng) override { return squarefield::play_out(game_, rng); }
    Tally playouts(std::uint64_t count, std::uint64_t seed) const override { return squarefield::playouts(game_, count, seed); }
    Sample sample(int count, std::uint64_t seed, int most_turns) const override {
        Rng rng(seed);
        return squarefield::sample(game_, count, rng, most_turns);
    }
    std::vector<std::uint64_t> perft(int depth) const override { return squarefield::perft(game_, depth); }
    std::unique_ptr<AnySearch> search(std::uint64_t seed) const override { return std::make_unique<HeldSearch>(seed, size()); }

private:
    class HeldSearch final : public AnySearch {
    public:
        HeldSearch(std::uint64_t seed, int size) : search_(seed), size_(size) {}

        Thought think(const AnyGame& position, double seconds, std::uint64_t most) override {
            const auto* held = dynamic_cast<const Held*>(&position);
            if (held == nullptr || held->size() != size_) throw std::invalid_argument("the search is for another ruleset or size of board");
            return search_.think(held->game_, seconds, most);
        }

    private:
        Search<G> search_;
        int size_;
    };

    G game_;
};

}  // namespace squarefield
