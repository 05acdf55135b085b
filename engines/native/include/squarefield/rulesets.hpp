// The rulesets by name: how their positions and batches are made.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "squarefield/any.hpp"
#include "squarefield/batch.hpp"

namespace squarefield {

// A ruleset: what Python checks when it loads the extension, and how its positions are made.
struct Entry {
    std::string slug;
    int version;
    int least;  // the smallest board; perft is also asked for smaller ones, down to 2
    std::unique_ptr<AnyGame> (*start)(int size);
    std::unique_ptr<AnyGame> (*setup)(int size, const std::uint8_t* stones, int seat, const Facts& facts);
    int planes;  // of a batch's observations
    std::unique_ptr<AnyBatch> (*batch)(int size, int cap, const BatchArrays& arrays);
};

template <template <int> class G>
Entry entry_of() {
    return {
        G<1>::slug,
        G<1>::version,
        G<1>::least,
        [](int size) {
            return with_words(size, [=](auto words) -> std::unique_ptr<AnyGame> {
                return std::make_unique<Held<G<words>>>(G<words>(size));
            });
        },
        [](int size, const std::uint8_t* stones, int seat, const Facts& facts) {
            return with_words(size, [&](auto words) -> std::unique_ptr<AnyGame> {
                return std::make_unique<Held<G<words>>>(G<words>::setup(size, stones, seat, facts));
            });
        },
        Shown<G<1>>::number,
        [](int size, int cap, const BatchArrays& arrays) {
            return with_words(size, [&](auto words) -> std::unique_ptr<AnyBatch> {
                return std::make_unique<Batch<G<words>>>(size, cap, arrays);
            });
        },
    };
}

// Each game is compiled in a file of its own, src/games/*.cpp.
Entry hex_entry();
Entry ooscg_w_entry();
Entry scware_entry();
Entry squ_entry();
Entry square_squared_entry();

inline const std::vector<Entry>& entries() {
    static const std::vector<Entry> all{hex_entry(), ooscg_w_entry(), scware_entry(), squ_entry(), square_squared_entry()};
    return all;
}

inline const Entry& entry_named(const std::string& slug) {
    for (const Entry& entry : entries())
        if (entry.slug == slug) return entry;
    throw std::invalid_argument("the native engine does not know the ruleset " + slug);
}

}  // namespace squarefield
