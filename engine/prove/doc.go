// Package prove says whether a solved store is right. Sample compares all checksums, and some rows with a search. All
// proves every entry from the arcs, and Matrix does the same for a file that any program wrote. Scrub reads every
// tile from disk and compares its checksum. The error for a wrong distance is engine.ErrWrong, that for a damaged
// tile disk.ErrCorrupt. docs/promises.md says what each of them finds.
package prove
