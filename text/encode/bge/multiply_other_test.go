//go:build !amd64 && !arm64

package bge

func withEach(check func(kind string)) { check("Go") }
