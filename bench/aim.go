package bench

import (
	"fmt"
	"time"

	"parley/bench/retrieval"
)

func (r Ratio) aim() Aim {
	return Aim{
		Text: fmt.Sprintf("at least %.1f of the requests/s of the %s, `%s`, %d clients", aimRatio, r.Relay, r.Endpoint, r.Clients),
		Read: fmt.Sprintf("%.2f", r.Value), IsMet: r.Value >= aimRatio,
	}
}

func (c Cell) aim() Aim {
	return Aim{
		Text: fmt.Sprintf("less than %d ms added to the first text at the median, 1 client, %s", aimAdded/time.Millisecond, c.System),
		Read: fmt.Sprintf("%.2f ms", milliseconds(c.Added)), IsMet: c.Failures == 0 && c.Added < aimAdded,
	}
}

func (m Memory) aim() Aim {
	read := fmt.Sprintf("%.1f KiB", kib(m.PerStream()))
	if m.Failure != "" {
		read = "failed"
	}
	return Aim{
		Text: fmt.Sprintf("less than %d KiB for an open stream, %s", aimStream>>10, m.System),
		Read: read, IsMet: m.Failure == "" && m.PerStream() < aimStream,
	}
}

// The aims of retrieval, on the embedded index.
const (
	aimMedian    = 10 * time.Millisecond
	aimSlow      = 50 * time.Millisecond
	aimIngestion = 2000 // passages a second
)

// Aims judges the measurements. What was not measured has no aim.
func (r RetrievalReport) Aims() []Aim {
	var aims []Aim
	for _, c := range r.Cells {
		if c.System == retrieval.Embedded && c.Busy {
			where := asked(c) + ", while another is indexed"
			aims = append(aims, timeAim("p50", where, c.P50, aimMedian), timeAim("p99", where, c.P99, aimSlow))
		}
	}
	for _, l := range r.Loads {
		if l.System == retrieval.Embedded && !l.Prepared {
			aims = append(aims, Aim{
				Text: fmt.Sprintf("at least %s passages/s in, embedded, %s", thousands(aimIngestion), plural(l.Writers, "writer")),
				Read: fmt.Sprintf("%.0f", l.Rate), IsMet: l.Rate >= aimIngestion,
			})
		}
	}
	return aims
}

func timeAim(name, where string, read, most time.Duration) Aim {
	return Aim{
		Text: fmt.Sprintf("%s under %d ms, embedded, %s", name, most/time.Millisecond, where),
		Read: fmt.Sprintf("%.2f ms", milliseconds(read)), IsMet: read < most,
	}
}
