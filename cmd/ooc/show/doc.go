// Package show tells people how solves are doing: the status block and its keys, batches, and the screen of ooc watch. It
// draws with package terminal, and knows the command's flags as little as that does.
package show
