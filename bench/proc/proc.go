// Package proc reads what a process uses from /proc.
package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the unit of CPU time in /proc: USER_HZ is 100 on every Linux that Go
// runs on (proc_pid_stat(5)).
const tick = 10 * time.Millisecond

var errProc = errors.New("what /proc says of a process cannot be read: the benchmark needs Linux")

// CPU returns the CPU time that a process has used, in user and kernel
// mode, with all its threads.
func CPU(pid int) (time.Duration, error) {
	read, err := readStat(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, errors.Join(errProc, err)
	}
	return read.own, nil
}

// Resident returns the bytes of memory that a process holds.
func Resident(pid int) (int64, error) {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, errors.Join(errProc, err)
	}
	return parseResident(statm, os.Getpagesize())
}

// parseResident reads the second field of /proc/PID/statm, in pages.
func parseResident(statm []byte, pageSize int) (int64, error) {
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0, errProc
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0, errors.Join(errProc, err)
	}
	return pages * int64(pageSize), nil
}
