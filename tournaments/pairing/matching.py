"""Pairing of a Swiss round without regard to colours, by maximum-weight matching. Pure.

Used if the Dutch system finds no pairing. Exact: it finds a pairing whenever one exists (J. Edmonds, "Paths, trees, and
flowers", 1965; the algorithm is networkx's).
"""

from collections.abc import Collection, Mapping
from itertools import combinations

from tournaments.pairing.round_robin import Pairing

_BYE = -1


def match_relaxed(
    scores: Mapping[int, float], met: Collection[frozenset[int]], bye_allowed: Collection[int]
) -> tuple[list[Pairing], list[int]] | None:
    """Return the pairs, and the entrant with the bye if the number is odd; None if no complete pairing exists.

    The pairing has the smallest possible score differences (sum of squares), and the bye goes to the lowest possible
    score. `scores` has all present entrants, by number; `met` has the pairs that have already met.
    """
    # Imported here, so that verifying a Swiss does not require the pairing library.
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(sorted(scores))
    for one, other in combinations(sorted(scores), 2):
        if frozenset((one, other)) not in met:
            graph.add_edge(one, other, weight=-round(4 * (scores[one] - scores[other]) ** 2))
    if len(scores) % 2:
        for entrant in sorted(bye_allowed):
            graph.add_edge(_BYE, entrant, weight=-round(4 * scores[entrant] ** 2))
    matched = [tuple(sorted(pair)) for pair in nx.max_weight_matching(graph, maxcardinality=True)]
    if 2 * len(matched) < len(scores):
        return None
    byes = [other for one, other in matched if one == _BYE]
    return sorted((one, other) for one, other in matched if one != _BYE), byes
