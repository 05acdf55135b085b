// The nodes of a search tree. Search results are stored in the edges, certain ones also in the nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace squarefield {

// A certain result for the player to move, if there is one.
enum class Known : std::int8_t { open = -1, lost, drawn, won };

constexpr Known opposite(Known known) { return static_cast<Known>(2 - static_cast<int>(known)); }
constexpr float value_of(Known known) { return static_cast<float>(known) / 2; }

struct Edge {
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    std::uint16_t action;
    Known known = Known::open;  // for the player who chooses the edge
    std::uint32_t child = none, visits = 0;
    float prior = 0, after = 0, total = 0;
};

struct Node {
    std::uint8_t seat = 0;
    Known known = Known::open;
    std::uint32_t visited = 0;
    float value = 0.5F;
    std::vector<Edge> edges;  // the most promising first; none before the second visit

    bool is_lost() const {
        return std::ranges::all_of(edges, [](const Edge& edge) { return edge.known == Known::lost; });
    }

    // Whether more search cannot change the best action.
    bool is_decided() const {
        std::size_t left = 0;
        for (const Edge& edge : edges) {
            if (edge.known == Known::won) return true;
            left += edge.known != Known::lost;
        }
        return left <= 1;
    }

    // A winning edge, or else the most visited one that is not lost.
    const Edge& best() const {
        return *std::ranges::max_element(edges, {}, [](const Edge& edge) {
            return edge.known == Known::won ? 1e12 : edge.visits - (edge.known == Known::lost ? 1e12 : 0);
        });
    }

    // By how many visits the most visited edge leads.
    double lead() const {
        std::uint32_t first = 0, second = 0;
        for (const Edge& edge : edges) {
            if (edge.known == Known::lost) continue;
            if (edge.visits > first) second = std::exchange(first, edge.visits);
            else second = std::max(second, edge.visits);
        }
        return static_cast<double>(first - second);
    }
};

}  // namespace squarefield
