// Package enginetest makes what tests of engine, and of the packages that ask it, begin with: graphs of every kind,
// stores that are solved or filled by hand, limits of a solve drawn at random, matrices in files, devices for
// campaigns.
package enginetest
