package lock

import (
	"fmt"
	"os"
	"strings"

	"ooc/tiles/disk"
)

// ProcessState is what can be told of a process by its number and its identity.
type ProcessState string

// The states of a process. A number alone says nothing: it may be another process's by now, or count in another
// container.
const (
	processUnknown   ProcessState = ""
	ProcessRuns      ProcessState = "running"
	ProcessStopped   ProcessState = "stopped" // by SIGSTOP, Ctrl-Z or a debugger
	ProcessEnded     ProcessState = "ended"   // and something else keeps its lock
	ProcessElsewhere ProcessState = "on another host"
	ProcessContained ProcessState = "in another container"
)

// birth is what tells a process from all others: the run of the system that it belongs to, the container in which its
// number counts, and when it began. What the system does not say is "-".
type birth struct{ boot, space, start string }

func (b birth) String() string { return fmt.Sprintf("%s %s %s", b.boot, b.space, b.start) }

// self is what tells this process from all others, whose text is what stateOf takes; false: the system does not say.
func self() (birth, bool) {
	start, state := lookAt(os.Getpid())
	b := birth{disk.Boot(), container(), start}
	return b, b.boot != "" && b.space != "" && state != processUnknown
}

// stateOf says what the process of this number and identity does.
func stateOf(pid int, identity string) ProcessState {
	me, known := self()
	f := strings.Fields(identity)
	if len(f) != 3 || !known {
		return processUnknown
	}
	its := birth{f[0], f[1], f[2]}
	switch {
	case its.boot != me.boot:
		return ProcessElsewhere
	case its.space != me.space:
		return ProcessContained
	}
	start, state := lookAt(pid)
	if state != processUnknown && state != ProcessEnded && start != its.start {
		return ProcessEnded // and its number is another's
	}
	return state
}
