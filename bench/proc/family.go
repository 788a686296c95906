package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// FamilyCPU returns the CPU time that a process and its children have used, including
// children of either that have ended. It never falls while the family lives: the time of a
// child that ends goes over to its parent.
func FamilyCPU(pid int) (time.Duration, error) {
	root, err := readStat(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, errors.Join(errProc, err)
	}
	total := root.own + root.ended
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, path := range stats {
		// A process that ends in the meantime is one that its parent counts.
		if child, err := readStat(path); err == nil && child.parent == pid {
			total += child.own + child.ended
		}
	}
	return total, nil
}

// Is reports whether a process of this machine has a name.
func Is(pid int, name string) bool {
	got, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err == nil && strings.TrimSpace(string(got)) == name
}

// Parent returns the process that started a process.
func Parent(pid int) (int, error) {
	stat, err := readStat(fmt.Sprintf("/proc/%d/stat", pid))
	return stat.parent, err
}

// stat is what of /proc/PID/stat matters here.
type stat struct {
	parent int
	// own is the process's CPU time, and ended the CPU time of its children that have ended.
	own, ended time.Duration
}

func readStat(path string) (stat, error) {
	line, err := os.ReadFile(path)
	if err != nil {
		return stat{}, err
	}
	return parseStat(line)
}

// parseStat reads fields 4 and 14 to 17: ppid, utime, stime, cutime and cstime.
// The second field is a name that may hold anything, and ends with the last
// parenthesis.
func parseStat(line []byte) (stat, error) {
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(fields) < 15 {
		return stat{}, errProc
	}
	var numbers [5]int
	for i, at := range []int{1, 11, 12, 13, 14} {
		n, err := strconv.Atoi(string(fields[at]))
		if err != nil {
			return stat{}, errors.Join(errProc, err)
		}
		numbers[i] = n
	}
	return stat{
		parent: numbers[0],
		own:    time.Duration(numbers[1]+numbers[2]) * tick,
		ended:  time.Duration(numbers[3]+numbers[4]) * tick,
	}, nil
}
