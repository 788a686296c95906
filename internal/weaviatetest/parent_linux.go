package weaviatetest

import (
	"os/exec"
	"syscall"
)

// endWithParent has the command killed when this process ends, as a test that
// takes too long does without any cleaning up.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
