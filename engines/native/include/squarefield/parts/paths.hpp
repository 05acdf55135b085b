// Shortest paths between goal sides, as in engines/search/games/paths.py: over own stones at no cost, and over empty cells,
// one stone each. The numbers are those of Python, to the last bit.
#pragma once

#include <algorithm>
#include <vector>

#include "squarefield/bits.hpp"

namespace squarefield {

template <int W>
class Paths {
public:
    using Set = Bits<W>;

    Paths(int size, const std::uint8_t* stones, int seat, bool hexagonal)
        : board_(&board_of<W>(size)), seat_(seat), hexagonal_(hexagonal) {
        for (int cell = 0; cell < size * size; ++cell) {
            if (stones[cell] == 0) empty_.add(cell);
            else if (stones[cell] == seat + 1) own_.add(cell);
        }
    }

    Paths(int size, const Set& own, const Set& other, int seat, bool hexagonal)
        : board_(&board_of<W>(size)), seat_(seat), hexagonal_(hexagonal), own_(own),
          empty_(board_->full & ~(own | other)) {}

    // The empty cells of which one alone joins the sides; none unless the length is 1.
    Set deciding() const {
        const std::vector<Layer> forward = layers(first()), backward = layers(last());
        return length_of(forward) == 1 ? forward[1].fresh & backward[1].fresh : Set{};
    }

    // The stones that the seat still needs, or one more than there are cells if it is cut off.
    int length() const { return length_of(layers(first())); }

    // For each cell, how much the paths depend on it.
    std::vector<double> shares() const {
        const std::vector<Layer> forward = layers(first()), backward = layers(last());
        std::vector<double> worth(static_cast<std::size_t>(cells()));
        const int length = length_of(forward);
        if (length > cells()) return worth;
        add_shares(worth, forward, backward, length + 1, 1.0);
        add_shares(worth, forward, backward, length + 2, 0.3);
        return worth;
    }

private:
    // The empty cells first reached at a cost, and all cells reached so far.
    struct Layer {
        Set fresh, reached;
    };

    int cells() const { return board_->size * board_->size; }
    const Set& first() const { return board_->side[static_cast<std::size_t>(2 * seat_)]; }
    const Set& last() const { return board_->side[static_cast<std::size_t>(2 * seat_ + 1)]; }

    Set beside(const Set& set) const {
        const Set near = board_->beside(set);
        return hexagonal_ ? near | board_->north(board_->east(set)) | board_->south(board_->west(set)) : near;
    }

    Set fill(Set seeds, const Set& within) const {
        return filled(seeds, within, [&](const Set& set) { return beside(set); });
    }

    std::vector<Layer> layers(const Set& side) const {
        Set reached = fill(side & own_, own_);
        std::vector<Layer> found{{Set{}, reached}};
        for (;;) {
            const Set fresh = (beside(reached) | side) & empty_ & ~reached;
            if (fresh.none()) return found;
            const Set grown = reached | fresh;
            reached = grown | fill(beside(fresh) & own_ & ~grown, own_ & ~reached);
            found.push_back({fresh, reached});
        }
    }

    int length_of(const std::vector<Layer>& forward) const {
        for (std::size_t cost = 0; cost < forward.size(); ++cost)
            if (forward[cost].reached.meets(last())) return static_cast<int>(cost);
        return cells() + 1;
    }

    // The cells that can take the same place on a path of `total` - 1 stones share its value equally.
    static void add_shares(std::vector<double>& worth, const std::vector<Layer>& forward, const std::vector<Layer>& backward,
                           int total, double factor) {
        const int most = std::min(total, static_cast<int>(forward.size()));
        for (int cost = std::max(1, total - static_cast<int>(backward.size()) + 1); cost < most; ++cost) {
            const Set place = forward[static_cast<std::size_t>(cost)].fresh &
                              backward[static_cast<std::size_t>(total - cost)].fresh;
            const double share = factor / place.count();
            place.each([&](int cell) {
                double& value = worth[static_cast<std::size_t>(cell)];
                value = std::max(value, share);
            });
        }
    }

    const Board<W>* board_;
    int seat_;
    bool hexagonal_;
    Set own_, empty_;
};

}  // namespace squarefield
