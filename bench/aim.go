package bench

import (
	"fmt"
	"strings"
	"time"

	"parley/bench/pages"
	"parley/bench/retrieval"
)

// Verdicts is a table that says what was read for each aim, and whether it was met.
func Verdicts(aims []Aim) string {
	var b strings.Builder
	rows := make([][]string, len(aims))
	for i, aim := range aims {
		rows[i] = []string{aim.Text, aim.Read, verdict(aim.IsMet)}
	}
	writeTable(&b, []string{"aim", "read", ""}, rows)
	return b.String()
}

func (r Ratio) aim(least float64) Aim {
	return Aim{
		Text: fmt.Sprintf("at least %.1f of the requests/s of the %s, `%s`, %s", least, r.Relay, r.Endpoint, plural(r.Clients, "client")),
		Read: fmt.Sprintf("%.2f", r.Value), IsMet: r.Value >= least,
	}
}

// steadyAims judges Parley on PostgreSQL at an even pace, beside the bare relay in
// the same run.
func (r Report) steadyAims() []Aim {
	bare, measured := r.steady(BareRelay)
	parley, ok := r.steady(ParleyPostgres)
	if !measured || !ok {
		return nil
	}
	whole := bare.Failures+parley.Failures == 0
	beyond := func(name string, read, most time.Duration) Aim {
		return Aim{
			Text: fmt.Sprintf("first text at most %.1f ms after the bare relay's, %s, %d streams/s, %s", milliseconds(most), name, steadyRate, parley.System),
			Read: fmt.Sprintf("%.2f ms", milliseconds(read)), IsMet: whole && read <= most,
		}
	}
	return []Aim{
		beyond("p50", parley.First-bare.First, aimBeyond),
		beyond("p99", parley.Slow-bare.Slow, aimBeyondSlow),
		{
			Text: fmt.Sprintf("at most %.1f CPU s for 1,000 streams, PostgreSQL included, %d streams/s", aimSteadyCPU, steadyRate),
			Read: fmt.Sprintf("%.2f s", parley.CPU), IsMet: whole && parley.CPU <= aimSteadyCPU,
		},
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

// The aims of retrieval: on the embedded index, and on Weaviate beside its raw
// client.
const (
	aimMedian    = 10 * time.Millisecond
	aimSlow      = 50 * time.Millisecond
	aimIngestion = 2000 // passages a second
	aimHybrid    = 1.3
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
	for _, c := range r.Cells {
		if hybrid, ok := r.beside(c, retrieval.RawHybrid); ok && c.System == retrieval.Weaviate && !c.Busy {
			times := float64(c.P50) / float64(hybrid.P50)
			aims = append(aims, Aim{
				Text: fmt.Sprintf("p50 at most %.1f × that of the raw client's hybrid query, Weaviate, %s", aimHybrid, asked(c)),
				Read: fmt.Sprintf("%.2f", times), IsMet: times <= aimHybrid,
			})
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

// beside is the cell of another system that was asked in the same way.
func (r RetrievalReport) beside(c retrieval.Cell, system string) (retrieval.Cell, bool) {
	for _, other := range r.Cells {
		if other.System == system && other.Busy == c.Busy && asked(other) == asked(c) {
			return other, true
		}
	}
	return retrieval.Cell{}, false
}

func timeAim(name, where string, read, most time.Duration) Aim {
	return Aim{
		Text: fmt.Sprintf("%s under %d ms, embedded, %s", name, most/time.Millisecond, where),
		Read: fmt.Sprintf("%.2f ms", milliseconds(read)), IsMet: read < most,
	}
}

// The aims of the dashboard: the longest median of a page, and the most bytes and
// requests of a first visit.
const (
	aimPage     = 20 * time.Millisecond
	aimVisit    = 100 << 10
	aimRequests = 12
)

// Aims judges the measurements.
func (r PagesReport) Aims() []Aim {
	var aims []Aim
	for _, database := range []string{ParleySQLite, ParleyPostgres} {
		if slowest, ok := r.most(database, func(c pages.Cell) int64 { return int64(c.Median) }); ok {
			aims = append(aims, Aim{
				Text: fmt.Sprintf("every page within %d ms at the median, %s", aimPage/time.Millisecond, database),
				Read: fmt.Sprintf("%.1f ms (%s)", milliseconds(slowest.Median), slowest.Page), IsMet: slowest.Median <= aimPage,
			})
		}
	}
	if heaviest, ok := r.most(r.Cells[0].System, func(c pages.Cell) int64 { return int64(c.FirstBytes) }); ok {
		aims = append(aims, Aim{
			Text: fmt.Sprintf("a first visit to any page within %d KiB", aimVisit>>10),
			Read: fmt.Sprintf("%.1f KiB (%s)", kib(int64(heaviest.FirstBytes)), heaviest.Page), IsMet: heaviest.FirstBytes <= aimVisit,
		})
	}
	if busiest, ok := r.most(r.Cells[0].System, func(c pages.Cell) int64 { return int64(c.Requests) }); ok {
		aims = append(aims, Aim{
			Text: fmt.Sprintf("a first visit to any page within %d requests", aimRequests),
			Read: fmt.Sprintf("%d (%s)", busiest.Requests, busiest.Page), IsMet: busiest.Requests <= aimRequests,
		})
	}
	return aims
}

// most returns the page of a system with the most of something.
func (r PagesReport) most(system string, of func(pages.Cell) int64) (found pages.Cell, ok bool) {
	for _, c := range r.Cells {
		if c.System == system && !c.Yardstick && (!ok || of(c) > of(found)) {
			found, ok = c, true
		}
	}
	return found, ok
}

const (
	// aimFlat and aimFlatSlow are how much longer a question may take in a large
	// installation than in one that is almost empty, at p50 and p99.
	aimFlat, aimFlatSlow = 1.25, 1.5
	// aimFlatPage is how much longer a page may take at the median.
	aimFlatPage = 5 * time.Millisecond
)

// Aims judges each filled system by the almost empty one on its database.
func (r ScaleReport) Aims() (aims []Aim) {
	for _, s := range r.Systems {
		empty, ok := r.emptyOf(s)
		if !ok {
			continue
		}
		times := func(name string, filled, empty time.Duration, most float64) Aim {
			ratio := float64(filled) / float64(empty)
			return Aim{
				Text: fmt.Sprintf("`/chat` at most %.2f times as long as when almost empty, %s, %s", most, name, s.Name),
				Read: fmt.Sprintf("%.2f", ratio), IsMet: ratio <= most && s.Failures == 0,
			}
		}
		aims = append(aims, times("p50", s.P50, empty.P50, aimFlat), times("p99", s.P99, empty.P99, aimFlatSlow))
		page, longer := r.slowest(s.Name, empty.Name)
		if page != "" {
			aims = append(aims, Aim{
				Text: fmt.Sprintf("each page at most %.0f ms longer than when almost empty, median, %s", milliseconds(aimFlatPage), s.Name),
				Read: fmt.Sprintf("%+.1f ms, %s", milliseconds(longer), page), IsMet: longer <= aimFlatPage,
			})
		}
	}
	return aims
}

// emptyOf is the almost empty system on the database of a filled one.
func (r ScaleReport) emptyOf(s ScaleSystem) (ScaleSystem, bool) {
	for _, other := range r.Systems {
		if s.Filled && !other.Filled && other.Database == s.Database && other.P50 > 0 && other.P99 > 0 {
			return other, true
		}
	}
	return ScaleSystem{}, false
}

// slowest is the page that takes most longer on one system than on another.
func (r ScaleReport) slowest(filled, empty string) (page string, longer time.Duration) {
	medians := map[string]time.Duration{}
	for _, c := range r.Pages {
		if c.System == empty {
			medians[c.Page] = c.Median
		}
	}
	for _, c := range r.Pages {
		base, known := medians[c.Page]
		if c.System == filled && known && (page == "" || c.Median-base > longer) {
			page, longer = c.Page, c.Median-base
		}
	}
	return page, longer
}
