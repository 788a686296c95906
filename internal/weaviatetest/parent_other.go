//go:build !linux

package weaviatetest

import "os/exec"

// endWithParent does nothing: it needs a feature of Linux.
func endWithParent(*exec.Cmd) {}
