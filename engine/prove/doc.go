// Package prove says whether a solved store is right. Sample compares all checksums and some rows with a search, All
// proves every entry from the arcs, Matrix those of a file that any program wrote, and Scrub reads every tile from disk
// and compares its checksum. A wrong distance is engine.ErrWrong, a damaged tile tiles.ErrCorrupt; docs/promises.md says
// what each finds.
package prove
