// Sets of cells as bits of W 64-bit words, and the geometry of a board. Cells are numbered as in Python: row * size + column,
// from a1 in the south-west.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace squarefield {

inline constexpr int largest_size = 19;

template <int W>
struct Bits {
    static constexpr int words = W;
    std::array<std::uint64_t, W> word{};

    friend constexpr bool operator==(const Bits&, const Bits&) = default;

    static constexpr Bits of(int cell) {
        Bits set;
        set.add(cell);
        return set;
    }

    // The cells 0 to count - 1.
    static constexpr Bits below(int count) {
        Bits set;
        for (int w = 0; w < W; ++w) {
            const int here = count - 64 * w;
            set[w] = here >= 64 ? ~std::uint64_t{0} : here > 0 ? (std::uint64_t{1} << here) - 1 : 0;
        }
        return set;
    }

    constexpr std::uint64_t& operator[](int w) { return word[static_cast<std::size_t>(w)]; }
    constexpr std::uint64_t operator[](int w) const { return word[static_cast<std::size_t>(w)]; }

    constexpr void add(int cell) { (*this)[W == 1 ? 0 : cell >> 6] |= std::uint64_t{1} << (cell & 63); }
    constexpr void remove(int cell) { (*this)[W == 1 ? 0 : cell >> 6] &= ~(std::uint64_t{1} << (cell & 63)); }
    constexpr bool has(int cell) const { return (*this)[W == 1 ? 0 : cell >> 6] >> (cell & 63) & 1; }

    constexpr bool any() const {
        std::uint64_t all = 0;
        for (int w = 0; w < W; ++w) all |= (*this)[w];
        return all != 0;
    }
    constexpr bool none() const { return !any(); }
    constexpr bool meets(const Bits& other) const { return (*this & other).any(); }
    constexpr bool within(const Bits& other) const { return (*this & ~other).none(); }

    constexpr int count() const {
        int sum = 0;
        for (int w = 0; w < W; ++w) sum += std::popcount((*this)[w]);
        return sum;
    }

    // The lowest cell, which must exist.
    constexpr int first() const {
        int w = 0;
        while (w < W - 1 && (*this)[w] == 0) ++w;
        return 64 * w + std::countr_zero((*this)[w]);
    }

    // The cell with `rank` lower cells in the set, which must exist.
    constexpr int nth(int rank) const {
        int w = 0;
        if constexpr (W > 1) {
            for (int here = std::popcount((*this)[0]); rank >= here && w < W - 1; here = std::popcount((*this)[w])) {
                rank -= here;
                ++w;
            }
        }
        std::uint64_t rest = (*this)[w];
        int at = 64 * w;
        for (int half = 32; half > 0; half /= 2) {
            const int lower = std::popcount(rest & ((std::uint64_t{1} << half) - 1));
            const bool above = rank >= lower;
            rank -= above ? lower : 0;
            rest >>= above ? half : 0;
            at += above ? half : 0;
        }
        return at;
    }

    template <class F>
    constexpr void each(F&& use) const {
        for (int w = 0; w < W; ++w)
            for (std::uint64_t rest = (*this)[w]; rest != 0; rest &= rest - 1) use(64 * w + std::countr_zero(rest));
    }

    friend constexpr Bits operator&(Bits one, const Bits& other) { return one &= other; }
    friend constexpr Bits operator|(Bits one, const Bits& other) { return one |= other; }
    friend constexpr Bits operator~(Bits one) {
        for (int w = 0; w < W; ++w) one[w] = ~one[w];
        return one;
    }
    constexpr Bits& operator&=(const Bits& other) {
        for (int w = 0; w < W; ++w) (*this)[w] &= other[w];
        return *this;
    }
    constexpr Bits& operator|=(const Bits& other) {
        for (int w = 0; w < W; ++w) (*this)[w] |= other[w];
        return *this;
    }

    // Towards higher cells, by 1 to 63 places; bits may leave the board, so callers mask the result.
    friend constexpr Bits operator<<(const Bits& from, int places) {
        Bits to;
        for (int w = W - 1; w > 0; --w) to[w] = from[w] << places | from[w - 1] >> (64 - places);
        to[0] = from[0] << places;
        return to;
    }
    friend constexpr Bits operator>>(const Bits& from, int places) {
        Bits to;
        for (int w = 0; w < W - 1; ++w) to[w] = from[w] >> places | from[w + 1] << (64 - places);
        to[W - 1] = from[W - 1] >> places;
        return to;
    }
};

// How many words the cells of a board need. Few numbers are compiled, to keep the extension small.
constexpr int words_for(int size) { return size <= 8 ? 1 : size <= 11 ? 2 : size <= 16 ? 4 : 6; }

// The largest and the smallest board of W words.
constexpr int side_of(int words) { return words == 1 ? 8 : words == 2 ? 11 : words == 4 ? 16 : largest_size; }
constexpr int least_side_of(int words) { return words == 1 ? 2 : words == 2 ? 9 : words == 4 ? 12 : 17; }

// Call `use` with the number of words of a board of this size, as a constant: `use(words)` can name `Hex<words>`.
template <class F>
decltype(auto) with_words(int size, F&& use) {
    switch (words_for(size)) {
        case 1: return use(std::integral_constant<int, 1>{});
        case 2: return use(std::integral_constant<int, 2>{});
        case 4: return use(std::integral_constant<int, 4>{});
        default: return use(std::integral_constant<int, 6>{});
    }
}

// The cells of `within` that steps of `beside` inside it join to `seeds`, a subset of it.
template <int W, class Beside>
constexpr Bits<W> filled(Bits<W> seeds, const Bits<W>& within, const Beside& beside) {
    for (;;) {
        const Bits<W> wider = (seeds | beside(seeds)) & within;
        if (wider == seeds) return seeds;
        seeds = wider;
    }
}

template <int W>
struct Board {
    using Set = Bits<W>;

    int size = 0;
    Set full, east_files, west_files;  // all cells; all that a step east can reach; all that a step west can reach
    std::array<Set, 4> side{};         // north, south, west, east: seat s joins side[2 * s] and side[2 * s + 1]
    std::array<Set, static_cast<std::size_t>(side_of(W) * side_of(W))> near{}, corner{};  // each cell's neighbours of a kind

    constexpr Board() = default;
    constexpr explicit Board(int cells_per_side) : size(cells_per_side), full(Set::below(size * size)) {
        for (int i = 0; i < size; ++i) {
            side[0].add((size - 1) * size + i);
            side[1].add(i);
            side[2].add(i * size);
            side[3].add(i * size + size - 1);
        }
        east_files = full & ~side[2];
        west_files = full & ~side[3];
        for (int cell = 0; cell < size * size; ++cell) {
            near[static_cast<std::size_t>(cell)] = beside(Set::of(cell));
            corner[static_cast<std::size_t>(cell)] = corners(Set::of(cell));
        }
    }

    constexpr const Set& near_to(int cell) const { return near[static_cast<std::size_t>(cell)]; }
    constexpr const Set& corners_of(int cell) const { return corner[static_cast<std::size_t>(cell)]; }

    constexpr Set east(const Set& set) const { return set << 1 & east_files; }
    constexpr Set west(const Set& set) const { return set >> 1 & west_files; }
    constexpr Set north(const Set& set) const { return set << size & full; }
    constexpr Set south(const Set& set) const { return set >> size; }

    // The cells orthogonally next to a cell of the set; they may be in the set themselves.
    constexpr Set beside(const Set& set) const { return east(set) | west(set) | north(set) | south(set); }

    // The set and every cell next to it, orthogonally or diagonally.
    constexpr Set around(const Set& set) const {
        const Set wide = set | east(set) | west(set);
        return wide | north(wide) | south(wide);
    }

    // The cells diagonally next to a cell of the set.
    constexpr Set corners(const Set& set) const {
        const Set wide = east(set) | west(set);
        return north(wide) | south(wide);
    }

    // The cells of `within` that an orthogonal path inside it joins to `seeds`, a subset of it.
    constexpr Set fill(Set seeds, const Set& within) const {
        return filled(seeds, within, [&](const Set& set) { return beside(set); });
    }
};

// The board of a size, from a table that is made at the first call.
template <int W>
const Board<W>& board_of(int size) {
    constexpr int least = least_side_of(W);
    static const auto table = [] {
        std::array<Board<W>, static_cast<std::size_t>(side_of(W) - least + 1)> boards;
        for (int n = least; n <= side_of(W); ++n) boards[static_cast<std::size_t>(n - least)] = Board<W>(n);
        return boards;
    }();
    return table[static_cast<std::size_t>(size - least)];
}

}  // namespace squarefield
