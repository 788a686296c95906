// Package quota admits questions to a model: each within the length that its
// workspace's plan allows, and never more in a month than the plan includes, of all
// processes together. A [Ticket] proves it, and package answer asks no model without.
//
// It does not own the limits (package plan), nor when a message begins (package
// turn).
package quota

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/system"
)

const (
	// sliceFor is how long a process may begin messages that it has reserved.
	sliceFor = 30 * time.Second
	// sliceLease is how long others leave them to it: until it can't store one
	// any more. After a crash they are lost for as long.
	sliceLease = sliceFor + chat.StoreWithin + 20*time.Second
	// refusedFor is how long a workspace without messages left is refused
	// before the database is asked again.
	refusedFor = 5 * time.Second
	// quotaMax is how many months are remembered. There may be more, because no
	// month is forgotten while a message of it is being admitted or stored.
	quotaMax = 20_000
)

// Months is the port to what counts the messages of months. The playground's
// count in months of their own: see [chat.Origin].
type Months interface {
	// ReserveMessages reserves messages for this process as
	// [Reservation.Grant] says, and returns how many it may begin in all. While
	// none is left, it writes nothing.
	ReserveMessages(ctx context.Context, workspaceID string, asked Reservation) (free int, err error)
	// ReleaseMessages gives back what this process has reserved in any
	// workspace. It begins no more of them.
	ReleaseMessages(ctx context.Context, access system.Access) error
}

// Quota admits the messages of a month: never more than the plan includes, of
// all processes together. A process reserves a slice of what is left and
// begins messages from it without asking again; see [Reservation].
type Quota struct {
	store Months
	now   func() time.Time
	// Ready fails for a chatbot that cannot be asked now, because its documents are not all
	// in the index yet. Nil stands for none. It is set before the first question.
	Ready func(ctx context.Context, workspaceID, chatbotID string) error

	mu     sync.Mutex
	months *simplelru.LRU[counted, *monthOf]
}

// counted is whose messages are counted.
type counted struct {
	workspaceID string
	origin      chat.Origin
}

// monthOf is what a process knows of a workspace's month.
type monthOf struct {
	month string
	// limit is what the plan included when free messages were reserved, which
	// may be begun until a time. open ones are being stored.
	limit, free, open int
	until             time.Time
	// refused is until when nobody is admitted. That is unsure while messages
	// are being stored, which may have been counted twice.
	refused time.Time
	unsure  bool
	// waiting messages wait for a reservation, which is nil while there is
	// none.
	waiting   int
	reserving *reserving
}

// reserving is a reservation that runs until done is closed. Then err is set.
type reserving struct {
	done chan struct{}
	err  error
}

// New returns the quota of a store.
func New(store Months, now func() time.Time) *Quota {
	// makeRoom evicts: the list itself does not know which months are in use.
	months, _ := simplelru.NewLRU[counted, *monthOf](math.MaxInt, nil) // fails below one
	return &Quota{store: store, now: now, months: months}
}

// Take admits a question to a chatbot as a message of an origin's month. It is Invalid for
// one that is blank, cannot be stored, or is longer than the plan allows, Unavailable while
// the chatbot is not ready, and RateLimited when the plan admits no more of them. A plan
// without a limit costs nothing.
func (q *Quota) Take(ctx context.Context, workspaceID, chatbotID string, origin chat.Origin, p plan.Plan, question string) (*Ticket, error) {
	ticket, err := q.Again(ctx, workspaceID, chatbotID, origin, p, question)
	if err != nil {
		return nil, err
	}
	limit, resource := limitOf(origin, p)
	if limit == plan.Unlimited {
		return ticket, nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	m := q.of(counted{workspaceID, origin}, nameOfMonth(origin, now))
	m.waiting++
	defer func() { m.waiting-- }()
	for {
		known := m.limit == limit && now.Before(m.until)
		if known && m.free > 0 {
			m.free--
			m.open++
			ticket.of = m
			return ticket, nil
		}
		if known && now.Before(m.refused) {
			refused := *fault.As(p.Admit(resource, limit+1))
			refused.RetryAfter = plan.NextMonth(now).Sub(now)
			return nil, &refused
		}
		if err := q.reserve(ctx, m, workspaceID, limit, now); err != nil {
			return nil, err
		}
	}
}

// Again admits another answer to a question whose message is counted already.
func (q *Quota) Again(ctx context.Context, workspaceID, chatbotID string, origin chat.Origin, p plan.Plan, question string) (*Ticket, error) {
	if err := check(question, p); err != nil {
		return nil, err
	}
	if err := q.CheckReady(ctx, workspaceID, chatbotID); err != nil {
		return nil, err
	}
	return &Ticket{quota: q, workspaceID: workspaceID, origin: origin, question: question}, nil
}

// CheckReady fails for a chatbot that cannot be asked now.
func (q *Quota) CheckReady(ctx context.Context, workspaceID, chatbotID string) error {
	if q.Ready == nil {
		return nil
	}
	return q.Ready(ctx, workspaceID, chatbotID)
}

// check refuses a question that no model is asked.
func check(question string, p plan.Plan) error {
	if strings.TrimSpace(question) == "" {
		return fault.InField("message", "message is required and must not be blank.")
	}
	if !chat.Storable(question) {
		return fault.InField("message", "message must be valid UTF-8 without NUL characters.")
	}
	return p.Admit(plan.MessageChars, utf8.RuneCountInString(question))
}

// of returns the month of a workspace. Tickets of an earlier month keep that.
func (q *Quota) of(whose counted, month string) *monthOf {
	m, ok := q.months.Get(whose)
	if ok && m.month == month {
		return m
	}
	if !ok {
		q.makeRoom()
	}
	m = &monthOf{month: month}
	q.months.Add(whose, m)
	return m
}

// makeRoom forgets the month that was asked for longest ago, when there are
// many. One that is in use stays: it knows of messages that are being stored,
// which another monthOf of that workspace would admit again.
func (q *Quota) makeRoom() {
	if q.months.Len() < quotaMax {
		return
	}
	for range q.months.Len() {
		whose, oldest, _ := q.months.GetOldest()
		if oldest.open == 0 && oldest.waiting == 0 {
			q.months.Remove(whose)
			return
		}
		q.months.Get(whose) // makes it the newest
	}
}

// reserve asks the database, or waits for the answer to a request that is
// already waiting.
func (q *Quota) reserve(ctx context.Context, m *monthOf, workspaceID string, limit int, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, chat.StoreWithin)
	defer cancel()
	if under := m.reserving; under != nil {
		q.unlocked(func() {
			select {
			case <-under.done:
			case <-ctx.Done():
			}
		})
		if err := ctx.Err(); err != nil {
			return chat.TimedOut(err)
		}
		return under.err
	}
	under := &reserving{done: make(chan struct{})}
	m.reserving = under
	defer func() {
		m.reserving = nil
		close(under.done)
	}()
	asked := Reservation{Month: m.month, Limit: limit, Want: m.waiting, Free: m.free, Open: m.open, Lease: sliceLease}
	free, err := 0, error(nil)
	q.unlocked(func() { free, err = q.store.ReserveMessages(ctx, workspaceID, asked) })
	if err != nil {
		under.err = chat.TimedOut(err)
		return under.err
	}
	m.free += free - asked.Free // some may have been given back meanwhile
	m.limit, m.until = limit, now.Add(sliceFor)
	if m.free <= 0 {
		m.refused, m.unsure = now.Add(refusedFor), asked.Open > 0
	}
	return nil
}

// Release gives back the messages that this process has reserved. It begins none
// after that.
func (q *Quota) Release(ctx context.Context, access system.Access) error {
	return q.store.ReleaseMessages(ctx, access)
}

// unlocked runs do without the lock, and takes the lock again after it even if
// it panics.
func (q *Quota) unlocked(do func()) {
	q.mu.Unlock()
	defer q.mu.Lock()
	do()
}

// Recheck lets the next message of a workspace and an origin ask the database
// again: one was given back.
func (q *Quota) Recheck(workspaceID string, origin chat.Origin) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if m, ok := q.months.Peek(counted{workspaceID, origin}); ok {
		m.refused = time.Time{}
	}
}

// Ticket is a question that was admitted. Only a [Quota] makes one that admits.
type Ticket struct {
	quota       *Quota
	workspaceID string
	origin      chat.Origin
	question    string
	spent       atomic.Bool
	// of is nil for a plan without a limit, and for a message that is counted already.
	of    *monthOf
	ended bool
}

var errNoTicket = fault.New(fault.Internal, "a question came to the model without a ticket of its own")

// Spend returns the question, once: each answer needs a ticket of its own.
func (t *Ticket) Spend(workspaceID string) (question string, err error) {
	if t == nil || t.quota == nil || t.workspaceID != workspaceID || t.spent.Swap(true) {
		return "", errNoTicket
	}
	return t.question, nil
}

// Counts returns the month in which a message counts that is stored now, and
// whether it was reserved there: it is not when the month has just changed.
func (t *Ticket) Counts(now time.Time) (month string, reserved bool) {
	month = nameOfMonth(t.origin, now)
	return month, t.of != nil && t.of.month == month
}

// Keep says that the message is stored.
func (t *Ticket) Keep() { t.end(0) }

// Drop gives the message back, unless it was kept. After an error that leaves
// open whether it was stored it stays reserved until the lease ends.
func (t *Ticket) Drop(err error) {
	if fault.Is(err, fault.Unavailable) {
		t.end(0)
		return
	}
	t.end(1)
}

func (t *Ticket) end(givenBack int) {
	if t == nil || t.of == nil {
		return
	}
	t.quota.mu.Lock()
	defer t.quota.mu.Unlock()
	if t.ended {
		return
	}
	t.ended = true
	t.of.open--
	t.of.free += givenBack
	if t.of.unsure {
		t.of.refused, t.of.unsure = time.Time{}, false
	}
}

// limitOf is how many messages of an origin a plan includes in a month.
func limitOf(o chat.Origin, p plan.Plan) (limit int, resource plan.Resource) {
	if o == chat.Playground {
		return p.Limits.PlaygroundPerMonth, plan.Playground
	}
	return p.Limits.MessagesPerMonth, plan.Messages
}

// nameOfMonth is the month of a time in which messages of the origin count.
func nameOfMonth(o chat.Origin, at time.Time) string {
	_, resource := limitOf(o, plan.Plan{})
	return plan.MonthOf(resource, at)
}
