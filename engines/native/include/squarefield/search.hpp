// A tree search, as engines/search/tree.py: an edge is one stone, or the end of the turn; selection is PUCT with an expert's
// priors and values, after Silver et al. 2017; certain results are propagated, after Winands, Bjornsson and Saito 2008.
// Positions that several orders of stones reach share a node if the same turns may follow, now and later: where superko forbids
// earlier boards, these must be the same.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "squarefield/experts/expert.hpp"
#include "squarefield/parts/tree.hpp"

namespace squarefield {

struct Thought {
    int action = -1;           // the best action; -1 after the end of the game
    double chance = 0.5;       // of the player to move to win with it
    std::uint64_t leaves = 0;  // of this call
};

template <Game G>
class Search {
public:
    explicit Search(std::uint64_t seed) : rng_(seed) {}

    // Search from this position until the time or the number of leaves is spent, or neither can change the choice. If the best
    // action does not end the turn, half of the time is left for the next one.
    Thought think(const G& position, double seconds, std::uint64_t most) {
        if (position.over()) return {};
        if (edges_ > most_edges / 2) *this = Search(rng_.next());  // forget the tree
        const auto began = std::chrono::steady_clock::now();
        const std::uint32_t root = node_of(position).first;
        if (nodes_[root].edges.empty()) expand(root, position);
        std::uint64_t done = 0;
        while (done < most && edges_ < most_edges && !nodes_[root].is_decided()) {
            grow(root, position);
            if (++done % between_looks != 0) continue;
            const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
            if (spent >= seconds || (spent >= seconds / 2 && !favourite_ends_turn(nodes_[root], position))) break;
            const double left = std::min((seconds - spent) * static_cast<double>(done) / spent, static_cast<double>(most - done));
            if (nodes_[root].lead() > left) break;
        }
        const Edge& best = nodes_[root].best();
        const double chance = best.known != open ? value_of(best.known)
                              : best.visits > 0  ? best.total / static_cast<float>(best.visits)
                                                 : nodes_[root].value;
        return {best.action, std::clamp(chance, 0.0, 1.0), done};
    }

private:
    using enum Known;
    static constexpr std::size_t most_edges = 6'000'000;  // about 200 MB
    static constexpr std::uint64_t between_looks = 8;     // leaves between looks at the clock
    // As in engines/search/tree.py.
    static constexpr float exploration = 0.6F, prior_visits = 2, temperature = 0.06F, judge_share = 0.5F, glance_share = 0.3F;
    static constexpr std::uint32_t width = 12, visits_per_width = 6;

    struct Step {
        std::uint32_t node, edge;
    };

    static std::uint64_t hash_of(const G& game) {
        std::uint64_t hash = 1;
        const auto mix = [&](std::uint64_t word) {
            hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
            hash ^= hash >> 32;
        };
        const auto mix_set = [&](const typename G::Set& set) {
            for (int w = 0; w < G::Set::words; ++w) mix(set[w]);
        };
        mix(static_cast<std::uint64_t>(game.seat()));
        mix(game.unseen());
        mix_set(game.stones(0));
        mix_set(game.stones(1));
        const typename G::Set partial = game.partial();
        mix_set(partial);
        // Which stones may follow depends on the first one.
        if constexpr (G::first_stone_counts)
            if (partial.any()) mix_set(game.next());
        return hash;
    }

    // The node of a position that is not over, and whether it is new.
    std::pair<std::uint32_t, bool> node_of(const G& game) {
        const auto [at, is_new] = places_.try_emplace(hash_of(game), static_cast<std::uint32_t>(nodes_.size()));
        if (is_new) {
            Node node;
            node.seat = static_cast<std::uint8_t>(game.seat());
            const Glance seen = glance(game);
            if (seen.wins) {
                node.known = won;
                node.value = 1;
            } else {
                const float value = estimate(game, rng_).value;
                node.value = seen.chance < 0 ? value : (1 - glance_share) * value + glance_share * seen.chance;
            }
            nodes_.push_back(std::move(node));
        }
        return {at->second, is_new};
    }

    struct Choice {
        int action;
        float after, worth;
    };

    static std::vector<Choice> choices(const G& game, const Estimate& found) {
        const Ranks rank = ranks(game);
        const int size = game.size();
        std::vector<Choice> all;
        float least = std::numeric_limits<float>::max();
        game.next().each([&](int cell) {
            const auto index = static_cast<std::size_t>(cell);
            all.push_back({cell, found.after[index], rank.cell[index]});
            least = std::min(least, rank.cell[index]);
        });
        if (game.may_end()) all.push_back({end_action(size), found.value, all.empty() ? 1 : least});
        if (game.may_pass()) all.push_back({pass_action(size), found.value, rank.pass});
        if (game.may_swap()) all.push_back({swap_action(size), 1 - found.value, rank.swap});
        return all;
    }

    // Most nodes never have a second visit, so their fillings are made again here instead of stored.
    void expand(std::uint32_t at, const G& game) {
        const Estimate found = estimate(game, rng_);
        const std::vector<Choice> all = choices(game, found);
        float top = 0, chances = 0, worths = 0;
        for (const Choice& each : all) top = std::max(top, each.after);
        for (const Choice& each : all) {
            chances += std::exp((each.after - top) / temperature);
            worths += each.worth;
        }
        Node& node = nodes_[at];
        for (const Choice& each : all) {
            Edge edge{static_cast<std::uint16_t>(each.action)};
            edge.prior = (1 - judge_share) * std::exp((each.after - top) / temperature) / chances +
                         judge_share * each.worth / (worths > 0 ? worths : 1);
            edge.after = each.after + node.value - found.value;
            node.edges.push_back(edge);
        }
        std::stable_sort(node.edges.begin(), node.edges.end(),
                         [](const Edge& one, const Edge& other) { return one.prior > other.prior; });
        edges_ += node.edges.size();
    }

    // Add one leaf, or visit the end of a game again.
    void grow(std::uint32_t root, const G& position) {
        G game = position;
        path_.clear();
        for (std::uint32_t at = root;;) {
            if (nodes_[at].edges.empty()) expand(at, game);
            const std::uint32_t index = select(nodes_[at]);
            path_.push_back({at, index});
            apply(game, nodes_[at].edges[index].action);
            if (game.over()) {
                const int seat = nodes_[at].seat;
                const Known known = game.winner() < 0 ? drawn : game.winner() == seat ? won : lost;
                return back_up(seat, value_of(known), known);
            }
            bool is_new = false;
            if (nodes_[at].edges[index].child == Edge::none) {
                const auto [child, fresh] = node_of(game);
                nodes_[at].edges[index].child = child;
                is_new = fresh;
            }
            at = nodes_[at].edges[index].child;
            const Node& node = nodes_[at];
            if (is_new || node.known != open) return back_up(node.seat, node.value, node.known);
        }
    }

    static std::uint32_t select(const Node& node) {
        const float scale = exploration * std::sqrt(static_cast<float>(node.visited + 1));
        const std::uint32_t shown = width + node.visited / visits_per_width;
        std::uint32_t best = Edge::none, lost_one = 0;
        float most = 0;
        for (std::uint32_t i = 0; i < node.edges.size() && (i < shown || best == Edge::none); ++i) {
            const Edge& edge = node.edges[i];
            if (edge.known == won) return i;
            if (edge.known == lost) {
                lost_one = i;
                continue;
            }
            const auto visits = static_cast<float>(edge.visits);
            const float score = (edge.total + prior_visits * edge.after) / (visits + prior_visits) +
                                scale * edge.prior / (1 + visits);
            if (best == Edge::none || score > most) {
                best = i;
                most = score;
            }
        }
        return best == Edge::none ? lost_one : best;
    }

    // Count the visit of a leaf, with its value and its certain result for this seat, in all nodes above it.
    void back_up(int seat, float value, Known known) {
        for (std::size_t step = path_.size(); step-- > 0;) {
            Node& node = nodes_[path_[step].node];
            Edge& edge = node.edges[path_[step].edge];
            const bool same = node.seat == seat;
            ++node.visited;
            ++edge.visits;
            edge.total += same ? value : 1 - value;
            if (known == open) continue;
            edge.known = same ? known : opposite(known);
            if (edge.known == won) node.known = won;
            else if (node.is_lost()) node.known = lost;
            known = node.known == open || same ? node.known : opposite(node.known);
            if (node.known != open) node.value = value_of(node.known);
        }
    }

    static bool favourite_ends_turn(const Node& node, const G& position) {
        if constexpr (G::one_stone) return true;
        G after = position;
        apply(after, node.best().action);
        return after.over() || after.seat() != position.seat();
    }

    Rng rng_;
    std::vector<Node> nodes_;
    std::vector<Step> path_;
    std::unordered_map<std::uint64_t, std::uint32_t> places_;
    std::size_t edges_ = 0;
};

}  // namespace squarefield
