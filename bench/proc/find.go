package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Find returns the number of the process that runs a program and has the given
// arguments next to each other, or zero if it sees none.
func Find(program string, arguments ...string) int {
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0
	}
	for _, path := range commands {
		line, err := os.ReadFile(path)
		if err != nil || !matches(line, program, arguments) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			return pid
		}
	}
	return 0
}

// matches reports whether a line of /proc/PID/cmdline, whose words end with a
// zero byte, is a program's with some arguments.
func matches(line []byte, program string, arguments []string) bool {
	var words []string
	for _, word := range bytes.Split(bytes.TrimSuffix(line, []byte{0}), []byte{0}) {
		words = append(words, string(word))
	}
	if filepath.Base(words[0]) != program {
		return false
	}
	for at := 1; at+len(arguments) <= len(words); at++ {
		if slices.Equal(words[at:at+len(arguments)], arguments) {
			return true
		}
	}
	return false
}
