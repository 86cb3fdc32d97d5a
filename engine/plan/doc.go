// Package plan owns the request, the measured rates, and the choice between what algorithms offer. Each algorithm makes
// its plan, and says it (Plan), in a package above this one.
//
// # Units and invariants
//
// Times are seconds, sizes bytes, rates per second; a rate of 0 is unknown unless its field says otherwise. A plan
// covers what is left of a solve, not what earlier runs have done. Planning writes nothing to a store.
package plan
