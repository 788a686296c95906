//go:build !linux

package extract

func misbehave() {}
