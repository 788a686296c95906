package bench

import (
	"fmt"
	"time"
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
