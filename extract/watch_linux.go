package extract

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"
)

// watchMemory calls tooMuch when the resident memory of a process exceeds the
// limit. It returns then, when ctx ends, or when the process has exited.
func watchMemory(ctx context.Context, pid int, limit int64, tooMuch func()) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		resident, ok := residentMemory(pid)
		if !ok {
			return
		}
		if resident > limit {
			tooMuch()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// residentMemory reads the second field of /proc/<pid>/statm, in pages
// (proc_pid_statm(5)).
func residentMemory(pid int) (int64, bool) {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}
