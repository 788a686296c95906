package quota

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/system"
)

// Whatever happens in one process, no message too many is stored, and none is
// refused while there is one that is neither stored nor claimed.
func TestQuotaIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, q := newLedger()
		limit := rapid.IntRange(0, 6).Draw(t, "limit")
		stored := func() int { return l.stored["ws 2026-11"] }
		var claimed, committed []*Ticket // committed ones are stored and not kept yet
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				claim, err := q.Take(context.Background(), "ws", "cb", chat.API, including(limit), "Question?")
				if err == nil {
					claimed = append(claimed, claim)
				} else if stored()+len(claimed)+len(committed) < limit {
					t.Fatalf("refused with %d stored, %d claimed and %d on the way of %d", stored(), len(claimed), len(committed), limit)
				}
			},
			"commit": func(t *rapid.T) {
				if len(claimed) > 0 {
					l.store("ws")
					claimed, committed = claimed[1:], append(committed, claimed[0])
				}
			},
			"keep": func(t *rapid.T) {
				if len(committed) > 0 {
					committed[0].Keep()
					committed = committed[1:]
				}
			},
			"fail": func(t *rapid.T) {
				if len(claimed) > 0 {
					claimed[0].Drop(nil)
					claimed = claimed[1:]
				}
			},
			"wait": func(t *rapid.T) {
				l.now = l.now.Add(time.Duration(rapid.IntRange(1, 6).Draw(t, "seconds")) * time.Second)
			},
			"": func(t *rapid.T) {
				if stored()+len(claimed) > limit {
					t.Fatalf("%d are stored and %d claimed of %d", stored(), len(claimed), limit)
				}
			},
		})
	})
}

// sharedLedger counts messages as a database does that has several processes.
type sharedLedger struct {
	now   time.Time
	begun map[int]int // by process
	holds map[int]sharedHold
}

type sharedHold struct {
	granted int
	until   time.Time
}

// process is what one process sees of the ledger.
type process struct {
	*sharedLedger
	number int
	q      *Quota
	opened []*Ticket
}

func (*process) ReleaseMessages(context.Context, system.Access) error { return nil }

func (p *process) ReserveMessages(_ context.Context, _ string, asked Reservation) (int, error) {
	use := MonthUse{Messages: p.stored()}
	for number, hold := range p.holds {
		switch kept := hold.granted - p.begun[number]; {
		case !p.now.Before(hold.until):
		case number == p.number:
			use.Mine, use.Held = kept, true
		default:
			use.Others += max(kept, 0)
		}
	}
	free, kept := asked.Grant(use)
	p.holds[p.number] = sharedHold{p.begun[p.number] + kept, p.now.Add(asked.Lease)}
	return free, nil
}

func (l *sharedLedger) stored() int {
	sum := 0
	for _, n := range l.begun {
		sum += n
	}
	return sum
}

// Whatever several processes do, and however often one of them is killed, no
// message too many is stored; and what is left is admitted when the leases of
// the dead have ended.
func TestQuotaIsExactAcrossProcesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &sharedLedger{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), begun: map[int]int{}, holds: map[int]sharedHold{}}
		limit, failed, started := rapid.IntRange(0, 400).Draw(t, "limit"), 0, 0
		startProcess := func() *process {
			started++
			p := &process{sharedLedger: l, number: started}
			p.q = New(p, func() time.Time { return l.now })
			return p
		}
		all := []*process{startProcess(), startProcess(), startProcess()}
		any := func(t *rapid.T) *process { return rapid.SampledFrom(all).Draw(t, "process") }
		take := func(p *process) bool {
			ticket, err := p.q.Take(context.Background(), "ws", "cb", chat.API, including(limit), "Question?")
			if err == nil {
				p.opened = append(p.opened, ticket)
			}
			return err == nil
		}
		end := func(p *process, outcome string) {
			if len(p.opened) == 0 {
				return
			}
			ticket := p.opened[0]
			p.opened = p.opened[1:]
			switch outcome {
			case "stored":
				p.begun[p.number]++
				ticket.Keep()
			case "lost and stored":
				p.begun[p.number]++
				ticket.Drop(fault.New(fault.Unavailable, "away"))
			case "lost":
				ticket.Drop(fault.New(fault.Unavailable, "away"))
			case "dropped":
				ticket.Drop(nil)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				p := any(t)
				for range rapid.IntRange(1, 20).Draw(t, "messages") {
					take(p)
				}
			},
			"end": func(t *rapid.T) {
				p := any(t)
				outcome := rapid.SampledFrom([]string{"stored", "stored", "lost and stored", "lost", "dropped"}).Draw(t, "outcome")
				for range rapid.IntRange(1, 20).Draw(t, "messages") {
					end(p, outcome)
				}
			},
			"fail": func(t *rapid.T) { // an answer that was counted is given back
				if p := any(t); l.stored() > 0 {
					l.begun[0]--
					failed++
					p.q.Recheck("ws", chat.API)
				}
			},
			"kill": func(t *rapid.T) {
				i := rapid.IntRange(0, len(all)-1).Draw(t, "process")
				all[i] = startProcess()
			},
			"wait": func(t *rapid.T) {
				for _, p := range all { // none is stored later than the database waits
					for len(p.opened) > 0 {
						end(p, "stored")
					}
				}
				l.now = l.now.Add(time.Duration(rapid.IntRange(1, 70).Draw(t, "seconds")) * time.Second)
			},
			"": func(t *rapid.T) {
				if l.stored() > limit {
					t.Fatalf("%d are stored of %d", l.stored(), limit)
				}
			},
		})
		for _, p := range all {
			for len(p.opened) > 0 {
				end(p, "dropped")
			}
		}
		l.now = l.now.Add(2 * sliceLease)
		for take(all[0]) {
			end(all[0], "stored")
		}
		if l.stored() != limit {
			t.Fatalf("in the end %d are stored of %d", l.stored(), limit)
		}
	})
}

// BenchmarkQuota is what the limit costs a request while the count is known.
func BenchmarkQuota(b *testing.B) {
	q := New(&messageStore{reserve: func(context.Context) (int, error) { return 1_000_000_000, nil }}, time.Now)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			claim, err := q.Take(context.Background(), "ws", "cb", chat.API, including(1_000_000_000), "Question?")
			if err != nil {
				b.Fatal(err)
			}
			claim.Keep()
		}
	})
}
