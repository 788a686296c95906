package extract

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
)

// lateness is how far a child can exceed its limit between two checks.
const lateness = 96 << 20

func TestMemory(t *testing.T) {
	const most = 300 << 20
	selfDrawing := func() []byte {
		for _, h := range hostile {
			if strings.Contains(h.name, "draws itself") {
				return h.body()
			}
		}
		return nil
	}
	for name, c := range map[string]struct {
		program string
		in      Input
	}{
		"a PDF that makes its reader take ever more memory": {"", Input{Kind: knowledge.PDF, Body: selfDrawing()}},
		"a reader that takes all the memory it can":         {"eats", Input{Kind: knowledge.HTML, Body: []byte("<p>x")}},
	} {
		t.Run(name+" stays under the cap", func(t *testing.T) {
			e := newExtractor(t, Limits{Memory: most, Time: time.Minute})
			if err := e.warmUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			if c.program != "" {
				e.beBad(c.program)
			}
			highest := make(chan int64, 1)
			e.began = func(pid int) { go func() { highest <- highWater(pid) }() }
			_, err := e.Extract(t.Context(), c.in)
			peak := <-highest
			t.Logf("peak %d MB: %v", peak>>20, err)
			if !fault.Is(err, fault.TooLarge) {
				t.Errorf("got %v, want a fault about memory", err)
			}
			if peak == 0 || peak > most+lateness {
				t.Errorf("the child took %d MB, its limit is %d MB", peak>>20, most>>20)
			}
		})
	}
}

// highWater follows a process until it ends, and returns the most memory that it
// had (proc_pid_status(5), VmHWM). The figure from wait4 would not do: a child
// begins with its parent's.
func highWater(pid int) int64 {
	peak := int64(0)
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for ; ; <-ticker.C {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return peak
		}
		_, after, found := strings.Cut(string(status), "VmHWM:")
		if !found {
			return peak // it is dead, and about to be reaped
		}
		kilobytes, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
		if err != nil {
			return peak
		}
		peak = max(peak, kilobytes<<10)
	}
}
