package stats

import (
	"context"
	"math"
	"time"

	"parley/core/fault"
)

// Store is the port to the sums.
type Store interface {
	// Days returns a chatbot's days from one to another, both included, that have
	// sums, in order.
	Days(ctx context.Context, workspaceID, chatbotID, from, to string) ([]Day, error)
	// Tops returns the most frequent names of a kind over periods, each with its
	// count.
	Tops(ctx context.Context, workspaceID, chatbotID, kind string, periods []string, limit int) ([]Top, error)
}

// Top is a name that answers were counted by.
type Top struct {
	// Name is a topic, or a document's id, and Title the document's, which is
	// empty when it is gone.
	Name, Title string
	Answers     int
}

// Reports makes reports of the sums.
type Reports struct {
	store Store
	now   func() time.Time
}

// NewReports returns the reports of a store.
func NewReports(store Store, now func() time.Time) *Reports { return &Reports{store, now} }

const (
	// MaxDays is the longest range of a report: a leap year.
	MaxDays = 366
	// topsShown is how many topics and documents a report has.
	topsShown = 8
)

// Range is the days of a report, both included.
type Range struct{ From, To time.Time }

// Last is the range of the last days, today included.
func (s *Reports) Last(days int) Range {
	to := s.now().UTC().Truncate(24 * time.Hour)
	return Range{to.AddDate(0, 0, 1-days), to}
}

// ParseRange reads two days such as 2026-11-22.
func ParseRange(from, to string) (r Range, err error) {
	if r.From, err = time.Parse(time.DateOnly, from); err != nil {
		return r, fault.InField("from", "Enter the first day as YYYY-MM-DD.")
	}
	if r.To, err = time.Parse(time.DateOnly, to); err != nil {
		return r, fault.InField("to", "Enter the last day as YYYY-MM-DD.")
	}
	switch {
	case r.To.Before(r.From):
		return r, fault.InField("to", "The last day comes before the first. Swap them.")
	case r.Days() > MaxDays:
		return r, fault.InField("from", "A report covers at most %d days. Choose a shorter range.", MaxDays)
	}
	return r, nil
}

// Days is how many days the range has.
func (r Range) Days() int { return int(r.To.Sub(r.From)/(24*time.Hour)) + 1 }

// Before is the range of as many days that ends when r begins.
func (r Range) Before() Range {
	return Range{r.From.AddDate(0, 0, -r.Days()), r.From.AddDate(0, 0, -1)}
}

// periods are the whole months of the range, and its days that are in none.
func (r Range) periods() (all []string) {
	for day := r.From; !day.After(r.To); {
		next := day.AddDate(0, 1, 0)
		if day.Day() == 1 && !next.AddDate(0, 0, -1).After(r.To) {
			all, day = append(all, monthOf(dateOf(day))), next
			continue
		}
		all, day = append(all, dateOf(day)), day.AddDate(0, 0, 1)
	}
	return all
}

// Report is what a chatbot did in a range of days.
type Report struct {
	Range Range
	// Days has every day of the range, in order.
	Days []Day
	// Total sums up the range, and Before as many days before it.
	Total, Before     Total
	Topics, Documents []Top
}

// Total sums days up.
type Total struct {
	Day
	// P50 and P95 are the times within which half, and 95 of 100, of the answers
	// had their first text.
	P50, P95 time.Duration
}

// Users is about how many different external users there were.
func (t Total) Users() int { return t.Day.Users.Count() }

// AnsweredShare is the share of questions that were answered, from 0 to 1. It is
// false of none.
func (t Total) AnsweredShare() (float64, bool) {
	if t.Questions == 0 {
		return 0, false
	}
	return min(1, float64(t.Answered)/float64(t.Questions)), true
}

// Satisfaction is the share of thumbs that are up. It is false of none.
func (t Total) Satisfaction() (float64, bool) {
	rated := t.ThumbsUp + t.ThumbsDown
	if rated <= 0 {
		return 0, false
	}
	return float64(t.ThumbsUp) / float64(rated), true
}

// Read sums up a range, compared with as many days before it.
func (s *Reports) Read(ctx context.Context, workspaceID, chatbotID string, r Range) (Report, error) {
	report, err := s.Sums(ctx, workspaceID, chatbotID, r)
	if err != nil {
		return report, err
	}
	periods := r.periods()
	if report.Topics, err = s.store.Tops(ctx, workspaceID, chatbotID, Topics, periods, topsShown); err != nil {
		return report, err
	}
	report.Documents, err = s.store.Tops(ctx, workspaceID, chatbotID, Documents, periods, topsShown)
	return report, err
}

// Sums is Read without topics and documents, in one query.
func (s *Reports) Sums(ctx context.Context, workspaceID, chatbotID string, r Range) (Report, error) {
	before := r.Before()
	days, err := s.store.Days(ctx, workspaceID, chatbotID, dateOf(before.From), dateOf(r.To))
	if err != nil {
		return Report{}, err
	}
	report := Report{Range: r}
	known := map[string]*Day{}
	for i := range days {
		known[days[i].Date] = &days[i]
	}
	report.Before, _ = sumUp(before, known)
	report.Total, report.Days = sumUp(r, known)
	return report, nil
}

// HoursIn are the questions of the days by the hour of the day at a place. A day's
// hours move by its own distance from UTC, at noon, to the nearest hour.
func (r Report) HoursIn(place *time.Location) (hours [24]int) {
	for i := range r.Days {
		day, err := time.Parse(time.DateOnly, r.Days[i].Date)
		if err != nil {
			continue
		}
		_, seconds := day.Add(12 * time.Hour).In(place).Zone()
		moved := int(math.Round(float64(seconds) / 3600))
		for hour, n := range r.Days[i].Hours {
			hours[(hour+moved+48)%24] += n
		}
	}
	return hours
}

func sumUp(r Range, known map[string]*Day) (total Total, days []Day) {
	days = make([]Day, 0, r.Days())
	for at := r.From; !at.After(r.To); at = at.AddDate(0, 0, 1) {
		day := Day{Date: dateOf(at)}
		if d := known[day.Date]; d != nil {
			total.Add(d)
			day = *d
		}
		days = append(days, day)
	}
	total.P50, total.P95 = total.FirstText.Quantile(0.5), total.FirstText.Quantile(0.95)
	return total, days
}
