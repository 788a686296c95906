package extract

import "os"

// End says how a process that reads a file has ended.
type End string

// The ends.
const (
	// Finished is one that has answered, whatever it says of the file.
	Finished End = "finished"
	// AtLimit is one that was at its limit of time, memory or output.
	AtLimit End = "limit"
	// Killed is one that the system has ended, such as for lack of memory or for a call
	// that its filter forbids.
	Killed End = "killed"
	// Broken is one that could not be started, or ended without an answer.
	Broken End = "failed"
)

// Ends are all of them.
func Ends() []End { return []End{Finished, AtLimit, Killed, Broken} }

// endOf says how a process has ended that this one stopped, or not. State is nil if it
// could not be started.
func endOf(state *os.ProcessState, stopped bool) End {
	switch {
	case state == nil:
		return Broken
	case stopped || state.ExitCode() == exitMemory:
		return AtLimit
	case state.Success():
		return Finished
	case !state.Exited():
		return Killed
	}
	return Broken
}
