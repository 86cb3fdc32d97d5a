// Package parts divides the rows of a matrix among stores, and puts such stores together into one of all rows.
//
//   - Rows says which rows are part I of K: consecutive ones, cut where tiles are, as nearly as many in each as that
//
// allows. A
//
//	  store of these rows can be solved anywhere, by itself.
//	- Merge copies the tiles of all parts into a new store, and compares each with its checksum on the way. It looks at all
//	  of them before it writes anything, and writes to none of them.
//
// While it is being merged, the new store is one whose elimination has written its first rows: so whatever is known
// of such a store is known of this one, and Merge goes on from the same restore points as a solve does, as may a
// solve.
package parts
