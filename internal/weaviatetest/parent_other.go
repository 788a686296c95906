//go:build !linux

package weaviatetest

import "os/exec"

// endWithParent needs a feature of Linux.
func endWithParent(*exec.Cmd) {}
