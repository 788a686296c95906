package stats

import (
	"context"
	"errors"
	"time"

	"parley/core/fault"
	"parley/core/system"
)

// Kinds of what answers are counted by.
const (
	// Documents counts the answers that cite a document, by its id.
	Documents = "document"
	// Topics counts answers by the title and the heading of their first citation.
	Topics = "topic"
)

// Tally is how often names of a kind came in a day, or in a month such as
// 2026-11, which is kept too so that a year is read quickly.
type Tally struct {
	Period, Kind string
	Answers      map[string]int
}

// Thumb is feedback whose rating is not the one that is counted.
type Thumb struct {
	ID                     int64
	WorkspaceID, ChatbotID string
	// Counts is false for feedback in the playground.
	Counts bool
	// Rating and Counted are 1, -1 or 0.
	Rating, Counted int
	// Date is the day on which the feedback was first given.
	Date string
}

// RollStore is the port to the uncounted records and to the sums. Its records and
// thumbs are of any workspace.
type RollStore interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error
	// LockRoll lets one roller at a time, of all processes, change sums until the
	// transaction ends, and keeps chatbots until then. It reports false if there is
	// another.
	LockRoll(ctx context.Context, access system.Access, chatbotIDs ...string) (bool, error)
	// Uncounted returns the oldest records that are not counted. It leaves out records
	// of interrupted answers unless they are from before interruptedBefore.
	Uncounted(ctx context.Context, access system.Access, interruptedBefore time.Time, limit int) ([]Record, error)
	// CountRecords marks records as counted, and returns how many were not yet.
	CountRecords(ctx context.Context, access system.Access, ids []int64) (int, error)
	// UncountedThumbs returns feedback whose rating is not the counted one.
	UncountedThumbs(ctx context.Context, access system.Access, limit int) ([]Thumb, error)
	// CountThumb makes the rating of a thumb the counted one. It reports false if
	// either has changed.
	CountThumb(ctx context.Context, thumb Thumb) (bool, error)
	// AddToDay adds to the sums of a chatbot's day.
	AddToDay(ctx context.Context, workspaceID, chatbotID string, more Day) error
	// AddToTally adds to the counts of a period, of which the most frequent keep are
	// kept when there are more than twice as many.
	AddToTally(ctx context.Context, workspaceID, chatbotID string, more Tally, keep int) error
	// AddGaps makes gaps of answers that said that they do not know.
	AddGaps(ctx context.Context, workspaceID string, answerIDs []int64) error
}

// Roller adds new usage records and feedback to the sums of their days.
type Roller struct {
	store      RollStore
	system     system.Access
	now        func() time.Time
	subscriber Subscriber
}

// Subscriber hears of records in the transaction that counts them, which is once, or again
// when the sums are made again.
type Subscriber interface {
	Counted(ctx context.Context, records []Record) error
}

// Subscribe gives the roller its one subscriber.
func (r *Roller) Subscribe(s Subscriber) { r.subscriber = s }

// NewRoller returns a roller of a store.
func NewRoller(store RollStore, access system.Access, now func() time.Time) *Roller {
	return &Roller{store: store, system: access, now: now}
}

const (
	// batch is how many records one transaction counts, so that none keeps other
	// writers waiting.
	batch = 200
	// dayNames and monthNames are how many documents and topics are kept.
	dayNames, monthNames = 50, 150
	// settled is how long the record of an interrupted answer waits to be counted.
	// The process that was taken for dead may live, end its answer after all and
	// replace the record: what was counted of the first would stay in the sums.
	settled = time.Hour
)

// errOthers says that another roller was faster.
var errOthers error = fault.New(fault.Conflict, "Another process counts just now.")

// Roll counts everything that is not counted. Each batch is counted and marked in
// one transaction: whatever dies, it is counted once.
func (r *Roller) Roll(ctx context.Context) error {
	for {
		n, err := r.rollRecords(ctx)
		if errors.Is(err, errOthers) {
			return nil
		}
		if err != nil {
			return err
		}
		if n < batch {
			break
		}
	}
	for {
		n, err := r.rollThumbs(ctx)
		if errors.Is(err, errOthers) {
			return nil
		}
		if err != nil || n < batch {
			return err
		}
	}
}

func (r *Roller) uncounted(ctx context.Context, limit int) ([]Record, error) {
	return r.store.Uncounted(ctx, r.system, r.now().Add(-settled), limit)
}

// locked runs fn in a transaction in which nobody else rolls.
func (r *Roller) locked(ctx context.Context, chatbotIDs []string, fn func(context.Context) error) error {
	return r.store.InTx(ctx, func(ctx context.Context) error {
		mine, err := r.store.LockRoll(ctx, r.system, chatbotIDs...)
		if err != nil {
			return err
		}
		if !mine {
			return errOthers
		}
		return fn(ctx)
	})
}

// rollRecords counts some records. They are summed up before the transaction
// begins.
func (r *Roller) rollRecords(ctx context.Context) (int, error) {
	records, err := r.uncounted(ctx, batch)
	if err != nil || len(records) == 0 {
		return 0, err
	}
	sums := fold(records)
	ids := make([]int64, len(records))
	for i := range records {
		ids[i] = records[i].ID
	}
	chatbots := make([]string, len(sums))
	for i, s := range sums {
		chatbots[i] = s.chatbotID
	}
	return len(records), r.locked(ctx, chatbots, func(ctx context.Context) error {
		n, err := r.store.CountRecords(ctx, r.system, ids)
		if err != nil {
			return err
		}
		if n != len(ids) {
			return errOthers
		}
		if err := r.add(ctx, sums); err != nil || r.subscriber == nil {
			return err
		}
		return r.subscriber.Counted(ctx, records)
	})
}

func (r *Roller) add(ctx context.Context, sums []*sum) error {
	for _, s := range sums {
		if err := r.store.AddToDay(ctx, s.workspaceID, s.chatbotID, s.day); err != nil {
			return err
		}
		for _, tally := range s.tallies() {
			keep := dayNames
			if len(tally.Period) < len(s.day.Date) {
				keep = monthNames
			}
			if err := r.store.AddToTally(ctx, s.workspaceID, s.chatbotID, tally, keep); err != nil {
				return err
			}
		}
		if len(s.unknown) > 0 {
			if err := r.store.AddGaps(ctx, s.workspaceID, s.unknown); err != nil {
				return err
			}
		}
	}
	return nil
}

// rollThumbs counts some feedback.
func (r *Roller) rollThumbs(ctx context.Context) (int, error) {
	thumbs, err := r.store.UncountedThumbs(ctx, r.system, batch)
	if err != nil || len(thumbs) == 0 {
		return 0, err
	}
	chatbots := make([]string, len(thumbs))
	for i, t := range thumbs {
		chatbots[i] = t.ChatbotID
	}
	return len(thumbs), r.locked(ctx, chatbots, func(ctx context.Context) error {
		for _, t := range thumbs {
			mine, err := r.store.CountThumb(ctx, t)
			if err != nil {
				return err
			}
			if !mine || !t.Counts {
				continue
			}
			day := Day{Date: t.Date}
			day.rate(t.Rating, 1)
			day.rate(t.Counted, -1)
			if err := r.store.AddToDay(ctx, t.WorkspaceID, t.ChatbotID, day); err != nil {
				return err
			}
		}
		return nil
	})
}

// rate adds n to the thumbs of a rating.
func (d *Day) rate(rating, n int) {
	switch rating {
	case 1:
		d.ThumbsUp += n
	case -1:
		d.ThumbsDown += n
	}
}
