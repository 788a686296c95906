//go:build !amd64

package bge

func narrow() (restore func()) { return func() {} }
