package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
)

func TestHistogramInterpolates(t *testing.T) {
	var none Histogram
	if none.Quantile(0.5) != 0 {
		t.Error("none has a median")
	}
	var h Histogram
	for ms := 1; ms <= 1000; ms++ {
		h.Observe(time.Duration(ms) * time.Millisecond)
	}
	for share, want := range map[float64]time.Duration{0.5: 500 * time.Millisecond, 0.95: 950 * time.Millisecond, 0.1: 100 * time.Millisecond} {
		if got := h.Quantile(share); (got - want).Abs() > 2*time.Millisecond {
			t.Errorf("%v is %v, want %v", share, got, want)
		}
	}
	var slow Histogram
	slow.Observe(time.Hour)
	if got := slow.Quantile(0.5); got != time.Minute {
		t.Errorf("beyond the last bound it is %v", got)
	}
}

func TestSketchCounts(t *testing.T) {
	for _, n := range []int{0, 1, 2, 10, 100, 500, 5_000, 200_000} {
		var s Sketch
		for i := range n {
			s.Add(fmt.Sprint("user ", i))
			if n <= 500 {
				s.Add(fmt.Sprint("user ", i)) // again
			}
		}
		allowed := 0.07 * float64(n)
		if n <= 10 {
			allowed = 0
		}
		if got := s.Count(); math.Abs(float64(got-n)) > allowed {
			t.Errorf("%d names are counted as %d", n, got)
		}
		if len(s) > registers {
			t.Errorf("%d names take %d bytes", n, len(s))
		}
	}
}

func TestSketchesOfPartsMergeToThatOfAll(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all, merged Sketch
	parts := make([]Sketch, 7)
	for range 3_000 {
		name := fmt.Sprint(random.IntN(2_000))
		all.Add(name)
		parts[random.IntN(len(parts))].Add(name)
	}
	for _, part := range parts {
		merged.Merge(part)
	}
	if !slices.Equal(all, merged) {
		t.Errorf("the parts count %d, all %d", merged.Count(), all.Count())
	}
}

func TestSketchReadsWhatItCannotHaveWritten(t *testing.T) {
	s := Sketch{0xff, 0xff, 9, 1, 2}
	s.Add("a")
	if n := s.Count(); n > 2 {
		t.Errorf("it counts %d", n)
	}
}

func TestFoldCountsByChatbotAndDay(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	cites := []answer.Citation{
		{Number: 1, DocumentID: "doc_unused", Title: "Unused"},
		{Number: 2, Cited: true, DocumentID: "doc_a", Title: "Returns", HeadingPath: []string{"Returns", "Exchanging a size"}},
		{Number: 3, Cited: true, DocumentID: "doc_a", Title: "Returns"},
	}
	sums := fold([]Record{
		{ID: 1, ChatbotID: "cb_b", Counts: true, MessageID: 1, Attempt: 1, Opens: true, Outcome: chat.Answered, ExternalUserID: "ann", FirstText: time.Second, Citations: cites, At: noon},
		{ID: 2, ChatbotID: "cb_b", Counts: true, MessageID: 2, Attempt: 1, Outcome: chat.OutcomeFailed, ExternalUserID: "ann", At: noon},
		{ID: 3, ChatbotID: "cb_b", Counts: true, MessageID: 2, Attempt: 2, Outcome: chat.NoAnswer, ExternalUserID: "bob", Citations: cites, At: noon},
		{ID: 4, ChatbotID: "cb_b", Counts: false, MessageID: 4, Attempt: 1, Opens: true, Outcome: chat.Answered, At: noon},
		{ID: 5, ChatbotID: "cb_b", Counts: true, MessageID: 5, Attempt: 1, Opens: true, Outcome: chat.OutcomeInterrupted, At: noon.AddDate(0, 0, 1)},
		{ID: 6, ChatbotID: "cb_a", Counts: true, MessageID: 6, Attempt: 1, Opens: true, Outcome: chat.Answered, At: noon},
	})
	if len(sums) != 3 || sums[0].chatbotID != "cb_a" || sums[1].day.Date != "2026-11-22" || sums[2].day.Date != "2026-11-23" {
		t.Fatalf("there are %d sums: %+v", len(sums), sums)
	}
	d := sums[1].day
	if d.Questions != 2 || d.Conversations != 1 || d.Answered != 1 || d.Failed != 1 || d.NoAnswer != 1 || d.Stopped != 0 || d.Hours[12] != 2 {
		t.Errorf("the day is %+v", d)
	}
	if n := d.Users.Count(); n != 2 {
		t.Errorf("it has %d users", n)
	}
	if got := sums[1].documents; len(got) != 1 || got["doc_a"] != 1 {
		t.Errorf("documents are %v", got)
	}
	if got := sums[1].topics; len(got) != 1 || got["Returns › Exchanging a size"] != 1 {
		t.Errorf("topics are %v", got)
	}
	if got := sums[1].unknown; !slices.Equal(got, []int64{2}) {
		t.Errorf("the gaps are those of %v", got)
	}
	if sums[2].day.Stopped != 1 {
		t.Errorf("the next day is %+v", sums[2].day)
	}
}

func TestPeriodsCoverARangeOnce(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"2026-11-22", "2026-11-22", "[2026-11-22]"},
		{"2026-10-30", "2026-12-01", "[2026-10-30 2026-10-31 2026-11 2026-12-01]"},
		{"2026-02-01", "2026-02-28", "[2026-02]"},
		{"2026-02-01", "2026-02-27", ""},
	} {
		r, err := ParseRange(c.from, c.to)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(r.periods())
		if c.want == "" {
			if n := len(r.periods()); n != 27 {
				t.Errorf("%s to %s has %d periods", c.from, c.to, n)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s to %s is %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

func TestRangesThatAreRefused(t *testing.T) {
	for _, c := range [][2]string{{"", "2026-01-01"}, {"2026-01-01", "soon"}, {"2026-01-02", "2026-01-01"}, {"2025-01-01", "2026-01-02"}} {
		if r, err := ParseRange(c[0], c[1]); err == nil {
			t.Errorf("%v is %v", c, r)
		}
	}
	r, _ := ParseRange("2026-03-01", "2026-03-07")
	if before := r.Before(); dateOf(before.From) != "2026-02-22" || dateOf(before.To) != "2026-02-28" {
		t.Errorf("before the week comes %v", before)
	}
}

func TestHoursMoveWithTheZoneOfEachDay(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	for _, date := range []string{"2026-10-24", "2026-10-26", "no day"} { // summer time ends on the 25th
		d := Day{Date: date}
		d.Hours[23] = 1
		r.Days = append(r.Days, d)
	}
	if got := r.HoursIn(berlin); got[1] != 1 || got[0] != 1 {
		t.Errorf("in Berlin they are %v", got)
	}
	if got := r.HoursIn(time.UTC); got[23] != 2 {
		t.Errorf("in UTC they are %v", got)
	}
	if got := r.HoursIn(time.FixedZone("west", -11*3600)); got[12] != 2 {
		t.Errorf("far west they are %v", got)
	}
}
