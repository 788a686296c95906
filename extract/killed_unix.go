//go:build unix

package extract

import (
	"os"
	"syscall"
)

// killedBy returns the name of the signal that ended a process, if it is one that only somebody
// outside of it sends.
func killedBy(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	switch status.Signal() {
	case syscall.SIGSYS:
		return "SIGSYS: a filter of system calls around the server"
	case syscall.SIGKILL:
		return "SIGKILL: the system is out of memory, or somebody ended it"
	}
	return ""
}
