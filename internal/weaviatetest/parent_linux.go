package weaviatetest

import (
	"os/exec"
	"syscall"
)

// endWithParent makes the kernel kill the command when this process ends, because a test
// that times out does not clean up.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
