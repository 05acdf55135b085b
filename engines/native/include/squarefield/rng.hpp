// A small fast generator of random numbers: wyrand of Wang Yi's wyhash (public domain, https://github.com/wangyi-fudan/wyhash),
// seeded through SplitMix64 (Sebastiano Vigna, public domain, https://prng.di.unimi.it/splitmix64.c), so that the seeds
// 0, 1, 2 … give unrelated streams.
#pragma once

#include <cstdint>
#include <utility>

namespace squarefield {

// The output of SplitMix64 for a state.
constexpr std::uint64_t stirred(std::uint64_t state) {
    state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9U;
    state = (state ^ state >> 27) * 0x94d049bb133111ebU;
    return state ^ state >> 31;
}

// SplitMix64 adds this to its state for each number.
inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;

class Rng {
public:
    explicit constexpr Rng(std::uint64_t seed) : state_(stirred(seed + golden)) {}

    constexpr std::uint64_t next() {
        state_ += 0xa0761d6478bd642fU;
        const Wide product = static_cast<Wide>(state_) * (state_ ^ 0xe7037ed1a0b428dbU);
        return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
    }

    // A number below `bound` (Lemire, https://arxiv.org/abs/1805.10941). For our bounds below 2^10, the bias is below 2^-54.
    constexpr int below(int bound) {
        return static_cast<int>(static_cast<Wide>(next()) * static_cast<std::uint64_t>(bound) >> 64);
    }

private:
    __extension__ using Wide = unsigned __int128;

    std::uint64_t state_;
};

// Draws numbered things at random without repeating one, until none is left (Fisher and Yates, one step at a time).
template <class Cells>
constexpr int draw(Cells& cells, int& left, Rng& rng) {
    const auto at = static_cast<decltype(cells.size())>(rng.below(left--));
    const auto last = static_cast<decltype(cells.size())>(left);
    const int cell = cells[at];
    std::swap(cells[at], cells[last]);
    return cell;
}

}  // namespace squarefield
