"""Solved stores: distances, paths and statistics."""

from __future__ import annotations

import functools
import json
import os
import tempfile
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import flags as typed
from . import graphs, program, tables
from .graphs import Array, Ids
from .tables import Statistics

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from typing_extensions import Unpack

_UNREACHABLE = {"i32": 0x3F3F3F3F, "u16": 0x7F7F, "u8": 255}  # docs/format.md; inf in the other kinds
_BLOCK = 64 << 20  # bytes of a matrix that are in memory at a time
_COARSE = 4_000_000_000  # nanoseconds; volumes note times of change to two seconds or better

_Ask = TypeVar("_Ask", bound=Callable[..., Any])


def _of_one_store(ask: _Ask) -> _Ask:
    """A question that is refused if the folder does not hold the same solved store at its end: no id comes twice."""

    @functools.wraps(ask)
    def asked(self: Store, *args: Any, **kwargs: Any) -> Any:
        try:
            found = ask(self, *args, **kwargs)
        except program.CorruptError:  # which says more
            raise
        except Exception:  # maybe because there is another store
            self._check()
            raise
        self._check()
        return found

    return asked  # type: ignore[return-value]


def open(path: str | os.PathLike[str]) -> Store:
    """Opens a solved store. InputError if it is none, or not solved to the end."""
    return Store(path)


class Store:
    """A solved store: the distances of a graph, on disk. ooc.open and ooc.solve make it.

    Vertices are named by their ids, as in the graph. Distances are in its units, and inf where there is no path; they are
    float64, which holds those of every kind exactly, but float32 for kind f32. What reads rows and blocks reads the file
    itself, and leaves its checksums to verify. Once the folder holds another store, or is solved again, every question
    is refused, with InputError.
    """

    folder: Path
    n: int  # vertices
    kind: str  # of the distances: i32, f32, u16, u8 or f64
    layout: str  # which tiles are stored: square, rows, upper; factors if none
    directed: bool
    dtype: np.dtype[Any]  # of distances that are asked for

    def __init__(self, path: str | os.PathLike[str], ids: Ids | None = None) -> None:
        self.folder = Path(path)
        (status,) = program.run("status", "--", self.folder)
        if status.get("state") != "solved":
            at = status["process"]
            why = "the same call of ooc.solve goes on" if at in (None, "ended") else f"a process works on it ({at})"
            raise program.InputError(f"{path} is not solved to the end: {why}", 3)
        self._json, self._state = (os.path.join(path, name) for name in ("store.json", "state"))
        self._seen: list[tuple[int, int, int]] = []  # of these files when they were last read; empty if it may not be relied on
        self._described = Path(self._json).read_bytes()  # with the store's id
        meta = json.loads(self._described)
        self.n, self.kind, self.layout, self.directed = meta["n"], meta["kind"], meta["layout"], meta["directed"]
        self.dtype = np.dtype(np.float32 if self.kind == "f32" else np.float64)
        self._meta = meta
        self._ids = ids
        self._at: dict[Hashable, int] = {}
        self._row_of = _sources(meta.get("sources"))  # of a vertex that is one of chosen sources
        self._tiles: Array | None = None

    def _check(self) -> None:
        """InputError if another store is in the folder by now, or this one is solved again."""
        try:
            seen = [(f.st_ino, f.st_size, f.st_mtime_ns) for f in (os.stat(self._json), os.stat(self._state))]
            if seen == self._seen:
                return
            same = Path(self._json).read_bytes() == self._described and self._solved()
        except OSError:
            same = False
        if not same:
            raise program.InputError(f"{self.folder} was made anew, or removed, since it was opened: open it again, with ooc.open", 3)
        # A file that was written just now may be written again without another time.
        if time.time_ns() - max(modified for _, _, modified in seen) > _COARSE:
            self._seen = seen

    def _solved(self) -> bool:
        """Whether no restart has taken the restore points away, each of which says how much is done (docs/format.md)."""
        raw = Path(self._state).read_bytes()
        points = [raw[at : at + 48] for at in (0, 4096, 8192) if raw[at : at + 8] == b"OOCSTATE"]
        return any(int.from_bytes(point[40:], "little") >= self.shape[0] for point in points)

    def __repr__(self) -> str:
        return f"<ooc.Store {str(self.folder)!r}: {self.shape[0]} x {self.shape[1]}, {self.kind}, {self.layout}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns: one of each for every vertex, or rows for the chosen sources alone."""
        return (self.n if self._row_of is None else len(self._row_of)), self.n

    @property
    def ids(self) -> Ids:
        """The vertices, in the order of the columns."""
        if self._ids is None:
            if not self._meta["ids"]:
                self._ids = range(self._meta["id_base"], self._meta["id_base"] + self.n)
            else:
                self._ids = self._own_ids()
        return self._ids

    @_of_one_store
    def _own_ids(self) -> Ids:
        """What the store's file of ids has (docs/format.md)."""
        raw = (self.folder / "ids").read_bytes()
        numbers = np.frombuffer(raw, "<i8", self.n, 64).tolist()
        if self._meta["ids"] == "numeric":
            return numbers
        text = raw[64 + 8 * self.n :]
        return [text[start:end].decode() for start, end in zip([0, *numbers], numbers)]

    @property
    def sources(self) -> Ids:
        """The vertices that have rows, in their order."""
        return self.ids if self._row_of is None else [self.ids[i] for i in self._row_of]

    def index(self, vertex: Hashable) -> int:
        """The column of a vertex. KeyError if the graph does not have it."""
        ids = self.ids
        if isinstance(ids, range):
            try:
                return ids.index(vertex)  # type: ignore[arg-type]
            except ValueError:
                raise KeyError(vertex) from None
        if not self._at:
            self._at = {label: i for i, label in enumerate(ids)}
        return self._at[vertex]

    def _row_index(self, vertex: Hashable) -> int:
        at = self.index(vertex)
        if self._row_of is None:
            return at
        if at not in self._row_of:
            raise KeyError(f"{vertex!r} is none of the sources that have rows")
        return self._row_of[at]

    @_of_one_store
    def tiles(self) -> Array:
        """The file of distances, mapped: nothing is read yet. As stored: docs/format.md says where tiles are, and what entries mean."""
        return self._mapped()

    def _mapped(self) -> Array:
        if self.layout == "factors":
            raise ValueError(f"{self.folder} keeps factors, and no matrix: ask it for rows")
        if self._tiles is None:
            self._tiles = np.load(self.folder / "dist.npy", mmap_mode="r")
        return self._tiles

    def _field(self, name: str) -> Array:
        tiles = self._mapped()
        return tiles[name] if tiles.dtype.names else tiles

    def _places(self, i: int) -> tuple[Array, int]:
        """Where layout upper has the tiles above tile (i, i), and where it has that tile, which those to its right follow."""
        side = -(-self.n // self._meta["tile"])
        j = np.arange(i + 1)
        places = j * side - j * (j - 1) // 2 + i - j
        return places[:i], int(places[i])

    def _distances(self, stored: Array) -> Array:
        """What stored words mean."""
        made = stored.astype(self.dtype)
        if self.kind in _UNREACHABLE:
            made[stored == _UNREACHABLE[self.kind]] = np.inf
        if self._meta["scale"] != 1:
            made /= self._meta["scale"]
        return made

    @_of_one_store
    def __getitem__(self, pair: tuple[Hashable, Hashable]) -> float:
        """The distance between two vertices: store[u, v]."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("a distance is that of two vertices: store[u, v]")
        return float(self._block([self._row_index(pair[0])], [self.index(pair[1])])[0, 0])

    def row(self, u: Hashable) -> Array:
        """The distances from u to all vertices, in the order of ids."""
        return self.rows([u])[0]

    @_of_one_store
    def rows(self, us: Iterable[Hashable]) -> Array:
        """The distances from these vertices to all: an array of a row each."""
        return self._block([self._row_index(u) for u in us])

    @_of_one_store
    def table(self, us: Iterable[Hashable] | None = None, vs: Iterable[Hashable] | None = None) -> pd.DataFrame:
        """The distances from us to vs, by default from all sources to all vertices: a pandas table with the vertices as its index and
        its columns."""
        pandas = tables.needed("store.table")
        us, vs = self.sources if us is None else list(us), None if vs is None else list(vs)
        columns = None if vs is None else [self.index(v) for v in vs]
        found = self._block([self._row_index(u) for u in us], columns)
        return pandas.DataFrame(found, tables.index(us, "source"), tables.index(self.ids if vs is None else vs, "target"))

    def to_xarray(self) -> xr.DataArray:
        """All distances as an xarray.DataArray of the dimensions source and target. It reads from disk what is asked of it, when it is.

        D.sel(source=u, target=v) is store[u, v]. D.load() reads all into memory.
        """
        import xarray
        from xarray.backends import BackendArray
        from xarray.core import indexing

        store = self

        class Distances(BackendArray):
            shape, dtype = store.shape, store.dtype

            def __getitem__(self, key: Any) -> Any:
                return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, store._outer)

        self._check()
        coordinates = {"source": tables.index(self.sources), "target": tables.index(self.ids)}
        return xarray.DataArray(
            xarray.Variable(("source", "target"), indexing.LazilyIndexedArray(Distances()), {"kind": self.kind}),
            coordinates,
            name="distance",
        )

    @_of_one_store
    def _outer(self, key: tuple[Any, ...]) -> Array:
        """The distances that an index of each dimension picks: an integer, a slice, or an array of integers."""
        rows, columns = (np.arange(size)[part] for size, part in zip(self.shape, key))
        every = np.array_equal(columns, np.arange(self.n))
        found = self._block(np.atleast_1d(rows), None if every else np.atleast_1d(columns))
        return found.reshape(np.shape(rows) + np.shape(columns))

    def _block(self, rows: Any, columns: Any = None) -> Array:
        """The distances at these rows and columns, by their numbers; without columns, at all of them."""
        if self.layout == "factors":
            return self._computed(rows, columns)
        made = np.empty((len(rows), self.n if columns is None else len(columns)), self.dtype)
        columns = None if columns is None else np.asarray(columns, np.int64)
        for i, r in enumerate(rows):
            made[i] = self._distances(self._stored_row(r) if columns is None else self._stored_at(r, columns))
        return made

    def _stored_at(self, r: int, columns: Array) -> Array:
        """The words of a row at these columns: what else is in the row is not read."""
        tile = self._meta["tile"]
        if self.layout != "upper":
            return self._field("distance")[r // tile, columns // tile, r % tile, columns % tile]
        low, high = np.minimum(columns, r), np.maximum(columns, r)
        side, i = -(-self.n // tile), low // tile
        return self._field("distance")[i * side - i * (i - 1) // 2 + high // tile - i, low % tile, high % tile]

    def _stored_row(self, r: int, field: str = "distance") -> Array:
        tiles, (i, k) = self._field(field), divmod(r, self._meta["tile"])
        if self.layout != "upper":
            return tiles[i, :, k].reshape(-1)[: self.n]
        above, at = self._places(i)
        side = -(-self.n // self._meta["tile"])
        return np.concatenate([tiles[above, :, k], tiles[at : at + side - i, k]]).reshape(-1)[: self.n]

    def _computed(self, rows: Any, columns: Any = None) -> Array:
        """The same of a store that keeps factors."""
        if not len(rows) or (columns is not None and not len(columns)):
            return np.empty((len(rows), self.n if columns is None else len(columns)), self.dtype)
        with tempfile.TemporaryDirectory(prefix="ooc-") as folder:
            file, words = Path(folder, "distances.npy"), ["--unreachable", "inf"]
            for flag, wanted in (("rows", rows), ("cols", columns)):
                if wanted is not None:
                    graphs.listed((self._name(i) for i in wanted), Path(folder, flag))
                    words.append(f"--{flag}=@{Path(folder, flag)}")
            program.run("export", *words, "--", self.folder, file)
            return np.load(file).astype(self.dtype, copy=False)

    def _blocks(self, field: str) -> Iterator[tuple[int, int, Array]]:
        """The stored matrix in blocks: the first row, the first column, and the words from there to the last column. Of layout
        upper, columns begin at the tile on the diagonal."""
        tiles, tile = self._field(field), self._meta["tile"]
        side, (rows, n) = -(-self.n // self._meta["tile"]), self.shape
        step = min(tile, max(1, _BLOCK // (8 * n)))
        for i in range(-(-rows // tile)):
            first = i * tile if self.layout == "upper" else 0
            across = tiles[i]
            if self.layout == "upper":
                at = self._places(i)[1]
                across = tiles[at : at + side - i]
            for k in range(0, min(tile, rows - i * tile), step):
                height = min(step, tile - k, rows - i * tile - k)
                yield i * tile + k, first, across[:, k : k + height].transpose(1, 0, 2).reshape(height, -1)[:, : n - first]
        self._check()  # for operator, whose products are no methods

    @_of_one_store
    def to_numpy(self) -> Array:
        """All distances: an array of shape, in memory."""
        if self.layout == "factors":
            return self._computed(range(self.n))
        tiles, tile, made = self._field("distance"), self._meta["tile"], np.empty(self.shape, self.dtype)

        def fill(i: int) -> None:  # no two of these write to one place
            first = i if self.layout == "upper" else 0
            across = tiles[self._places(i)[1] :] if self.layout == "upper" else tiles[i]
            rows = slice(i * tile, (i + 1) * tile)
            for j in range(first, -(-self.n // tile)):
                columns = slice(j * tile, (j + 1) * tile)
                height, width = made[rows, columns].shape
                block = self._distances(across[j - first, :height, :width])
                made[rows, columns] = block
                if self.layout == "upper" and j > i:
                    made[columns, rows] = block.T

        with ThreadPoolExecutor(os.cpu_count()) as threads:  # NumPy copies without Python's lock
            list(threads.map(fill, range(-(-self.shape[0] // tile))))
        return made

    @_of_one_store
    def predecessors(self, none: int = -9999, us: Iterable[Hashable] | None = None) -> Array:
        """The column of the vertex before each, on a shortest path from the row's vertex: an array of int32, in memory. Of us it has
        a row each, without it of all.

        none stands where there is no path, and on the diagonal. A store of an array must have been solved with predecessors=True;
        of other graphs they are computed.
        """
        if not self._meta.get("predecessors"):
            with tempfile.TemporaryDirectory(prefix="ooc-") as folder:
                file = os.path.join(folder, "predecessors.npy")
                words = ["--predecessors", f"--no-path={none}"]
                if us is not None:
                    names = Path(folder, "names")
                    graphs.listed((self._name(self.index(u)) for u in us), names)
                    words.append(f"--rows=@{names}")
                program.run("export", *words, "--", self.folder, file)
                return np.load(file)
        if us is None:
            made = np.empty(self.shape, np.int32)
            for r, c, stored in self._blocks("predecessor"):
                made[r : r + len(stored), c:] = stored
        else:
            rows = [self._stored_row(self._row_index(u), "predecessor") for u in us]
            made = np.array(rows, np.int32).reshape(-1, self.n)
        made[made < 0] = none
        return made

    def operator(self, transform: Callable[[Array], Array] | None = None) -> Any:
        """A scipy.sparse.linalg.LinearOperator that multiplies with the matrix of distances and reads it from disk each time.

        transform is applied to every block of distances before it is multiplied, such as numpy.square. Where some pairs have no
        path, it has to put numbers in the place of inf.
        """
        from scipy.sparse.linalg import LinearOperator

        def blocks() -> Iterator[tuple[slice, int, Array]]:
            for r, c, stored in self._blocks("distance"):
                block = self._distances(stored)
                yield slice(r, r + len(block)), c, block if transform is None else transform(block)

        def times(x: Array) -> Array:
            made = np.zeros((self.shape[0], *x.shape[1:]))
            for rows, c, block in blocks():
                made[rows] += block @ x[c:]
                if self.layout == "upper":
                    below = c + self._meta["tile"]
                    made[below:] += block[:, below - c :].T @ x[rows]
            return made

        def transposed(x: Array) -> Array:
            if self.layout == "upper":
                return times(x)
            made = np.zeros((self.n, *x.shape[1:]))
            for rows, _, block in blocks():
                made += block.T @ x[rows]
            return made

        self.tiles()  # which factors do not have
        return LinearOperator(self.shape, times, transposed, times, np.float64, transposed)

    @_of_one_store
    def path(self, u: Hashable, v: Hashable) -> list[Hashable]:
        """The vertices of a shortest path from u to v, in order; empty if there is none."""
        (found,) = program.run("path", "--", self.folder, self._name(self.index(u)), self._name(self.index(v)))
        return [self._label(name) for name in found["vertices"]]

    @_of_one_store
    def paths(self, pairs: Iterable[tuple[Hashable, Hashable]] | pd.DataFrame) -> pd.DataFrame:
        """A shortest path of each pair of vertices: a pandas table with the columns source, target, distance and path, the list of the
        vertices in order. Where there is no path it is empty, and the distance inf.

        pairs are pairs of vertices, or the rows of a table of two columns.
        """
        pandas = tables.needed("store.paths")
        asked = [tuple(pair) for pair in (pairs.itertuples(index=False) if hasattr(pairs, "itertuples") else pairs)]
        if any(len(pair) != 2 for pair in asked):
            raise ValueError("pairs= has two vertices in each pair")
        names = [",".join(graphs.quoted(self._name(self.index(vertex))) for vertex in pair) for pair in asked]
        found = []
        if names:
            with tempfile.TemporaryDirectory(prefix="ooc-") as folder:
                file = Path(folder, "pairs")
                file.write_text("\n".join(names) + "\n", encoding="utf-8")
                found = program.run("path", f"--pairs={file}", "--", self.folder)
        made = {
            "source": tables.index([u for u, _ in asked]),
            "target": tables.index([v for _, v in asked]),
            "distance": np.array([one["length"] if one["reachable"] else np.inf for one in found], np.float64),
            "path": pandas.Series([[self._label(name) for name in one["vertices"]] for one in found], dtype=object),
        }
        return pandas.DataFrame(made)

    @_of_one_store
    def stats(self, **flags: Unpack[typed.StoreStats]) -> Statistics:
        """What ooc stats --json prints, with ids as in the graph: docs/stats.md defines each number. None is infinite, or unknown.
        What there is of each vertex is also a pandas table: stats().table.

        flags are those of the command: bins, within, k_nearest, plot.
        """
        (found,) = program.run("stats", *program.flags(flags), "--", self.folder)
        return Statistics.labelled(found, self._label)

    def nearest(self, k: int) -> tuple[Array, Array]:
        """The k nearest other vertices of each, the nearest first, and their distances: two arrays of n rows and k columns.

        Where there are fewer, the vertex is None and the distance inf.
        """
        columns = self.stats(k_nearest=k)["vertices"]
        vertices, distances = np.full((self.n, k), None, object), np.full((self.n, k), np.inf)
        for i in range(min(k, self.n - 1)):
            vertices[:, i] = columns[f"nearest_{i + 1}"]
            distances[:, i] = [np.inf if d is None else d for d in columns[f"nearest_{i + 1}_distance"]]
        return vertices, distances

    @_of_one_store
    def verify(self, **flags: Unpack[typed.Verify]) -> dict[str, Any]:
        """Compares every checksum, and distances with an independent search. CorruptError if something is wrong.

        flags are those of ooc verify: rows=64 samples, or full=True to prove every distance. Returns what was compared.
        """
        return program.run("verify", *program.flags(flags), "--", self.folder)[-1]

    def _name(self, i: int) -> str:
        """What the command calls the vertex of column i."""
        return str(self.ids[i]) if self._meta["ids"] else str(self._meta["id_base"] + i)

    def _label(self, name: str) -> Hashable:
        """The vertex that the command calls name."""
        if not self._meta["ids"]:
            return self.ids[int(name) - self._meta["id_base"]]
        return int(name) if self._meta["ids"] == "numeric" else name


def _sources(listed: str | None) -> dict[int, int] | None:
    """The row of each chosen source, from how store.json lists them; None if all vertices have rows."""
    if not listed:
        return None
    at: list[int] = []
    for part in listed.split(","):
        first, _, last = part.partition("..")
        at.extend(range(int(first), int(last or first) + 1))
    return {vertex: row for row, vertex in enumerate(at)}
