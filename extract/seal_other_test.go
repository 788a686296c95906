//go:build !linux

package extract

func misbehave() {}

func filtered() {}
