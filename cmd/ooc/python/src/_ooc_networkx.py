"""What networkx is told of its backend ooc. It asks whenever it is imported, so nothing is imported here."""

from __future__ import annotations

_NEGATIVE = "negative weights are left to networkx"
_SOME = "negative weights are taken, but a negative cycle, which the source may not reach, is left to networkx"
_PATHS = "weights of 0 and below are left to networkx"
_GIVEN = "arguments that replace the computation (e, sp, attr, usebounds) are left to networkx"

# What is computed, and what of it is not.
FUNCTIONS = {
    "all_pairs_shortest_path_length": "",
    "all_pairs_shortest_path": "",
    "all_pairs_dijkstra": _NEGATIVE,
    "all_pairs_dijkstra_path_length": _NEGATIVE,
    "all_pairs_dijkstra_path": _NEGATIVE,
    "all_pairs_bellman_ford_path_length": "",
    "all_pairs_bellman_ford_path": "",
    "single_source_shortest_path_length": "",
    "single_source_shortest_path": "",
    "single_target_shortest_path_length": "",
    "single_target_shortest_path": "",
    "single_source_dijkstra": _NEGATIVE,
    "single_source_dijkstra_path_length": _NEGATIVE,
    "single_source_dijkstra_path": _NEGATIVE,
    "single_source_bellman_ford": _SOME,
    "single_source_bellman_ford_path_length": _SOME,
    "single_source_bellman_ford_path": _SOME,
    "multi_source_dijkstra": _NEGATIVE,
    "multi_source_dijkstra_path_length": _NEGATIVE,
    "multi_source_dijkstra_path": _NEGATIVE,
    "dijkstra_predecessor_and_distance": "weights that are no positive integers, and a cutoff, are left to networkx",
    "shortest_path": "paths between two vertices, and negative weights, are left to networkx",
    "shortest_path_length": "distances between two vertices, and negative weights, are left to networkx",
    "floyd_warshall": "negative cycles are left to networkx",
    "floyd_warshall_numpy": "negative cycles are left to networkx",
    "floyd_warshall_predecessor_and_distance": "negative cycles and self-loops are left to networkx",
    "floyd_warshall_tree": "negative cycles and self-loops are left to networkx",
    "johnson": "",
    "average_shortest_path_length": _NEGATIVE,
    "eccentricity": f"{_NEGATIVE}; {_GIVEN}",
    "diameter": f"{_NEGATIVE}; {_GIVEN}",
    "radius": f"{_NEGATIVE}; {_GIVEN}",
    "center": f"{_NEGATIVE}; {_GIVEN}",
    "periphery": f"{_NEGATIVE}; {_GIVEN}",
    "barycenter": f"{_NEGATIVE}; {_GIVEN}",
    "centroid": f"{_NEGATIVE}; {_GIVEN}",
    "closeness_centrality": _NEGATIVE,
    "harmonic_centrality": f"{_NEGATIVE}; so are chosen sources",
    "betweenness_centrality": _PATHS,
    "edge_betweenness_centrality": _PATHS,
    "betweenness_centrality_subset": f"{_PATHS}; so is a source that is there twice",
    "edge_betweenness_centrality_subset": f"{_PATHS}; so are targets that are not all vertices",
    "wiener_index": _NEGATIVE,
    "global_efficiency": "",
}


def get_info() -> dict[str, object]:
    """The entry point networkx.backend_info."""
    return {
        "backend_name": "ooc",
        "project": "ooc",
        "package": "ooc",
        "short_summary": "All-pairs shortest paths, and what follows from them, through a GPU or SIMD units and the disk.",
        "functions": {name: {"additional_docs": f"In ooc, {notes}." if notes else ""} for name, notes in FUNCTIONS.items()},
    }
