// Package plan owns the data that plans are made of, the measured rates, and the choice between algorithms. Each
// algorithm adds its own plan: package rounds for its rounds, package eliminate for elimination. So this package lies
// below both.
//
// # Units and invariants
//
// Times are seconds, sizes bytes, rates per second; a rate of 0 is unknown unless its field says otherwise. A plan
// covers what is left of a solve, not what earlier runs have done. Planning writes nothing to a store.
package plan
