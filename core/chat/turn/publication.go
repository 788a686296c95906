package turn

import (
	"errors"
	"strings"
	"sync"
)

// publication is the text of an attempt so far, and its subscribers.
type publication struct {
	mu sync.Mutex
	// text is what was generated, and shown is how much of it subscribers may
	// read.
	text  strings.Builder
	shown int
	// notices are the messages for those who wait.
	notices     []string
	subscribers int
	// more is closed when there is more to read; nil while nobody waits.
	more chan struct{}

	// done is closed at the end. The fields below are set then.
	done   chan struct{}
	answer Answer
	err    error
}

// subscribe counts a subscriber, unless the attempt has ended.
func (p *publication) subscribe() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended() {
		return false
	}
	p.subscribers++
	return true
}

// unsubscribe reports whether the last subscriber has left.
func (p *publication) unsubscribe() (last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.subscribers--
	return p.subscribers == 0
}

// add appends to what was generated. Subscribers may read it at once if it is
// shown. It returns the length of the text.
func (p *publication) add(text string, shown bool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.WriteString(text)
	if shown {
		p.shown = p.text.Len()
		p.wake()
	}
	return p.text.Len()
}

// note adds a message for those who wait.
func (p *publication) note(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notices = append(p.notices, message)
	p.wake()
}

// show lets subscribers read so much of the answer.
func (p *publication) show(length int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = max(p.shown, length)
	p.wake()
}

// settle says that the attempt has ended.
func (p *publication) settle(answer Answer, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer, p.err = answer, err
	if err == nil { // it is stored
		p.shown = p.text.Len()
	}
	close(p.done)
}

func (p *publication) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// next returns a notice or a piece that a subscriber has not read, or a channel
// that is closed when there is one.
func (p *publication) next(notices, offset int) (notice, piece string, more <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if notices < len(p.notices) {
		return p.notices[notices], "", nil
	}
	if offset < p.shown {
		return "", p.text.String()[offset:p.shown], nil
	}
	if p.more == nil {
		p.more = make(chan struct{})
	}
	return "", "", p.more
}

// readable is the part of the answer that subscribers may read.
func (p *publication) readable() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()[:p.shown]
}

// all is what was generated.
func (p *publication) all() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// length is that of what was generated.
func (p *publication) length() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Len()
}

// wake tells the subscribers. It is called with the lock held.
func (p *publication) wake() {
	if p.more != nil {
		close(p.more)
		p.more = nil
	}
}

// output publishes what a pipeline makes, and gives it to the caller of an
// attempt that runs on its goroutine.
type output struct {
	attempt *attempt
	emit    func(Event) error
}

// Delta takes the next piece of the text.
func (o *output) Delta(piece string) error {
	a := o.attempt
	length := a.published.add(piece, !a.durable)
	if a.durable {
		signal(a.unsaved)
	}
	if o.emit == nil {
		return nil
	}
	return o.emit(Event{Delta, piece, Position{AnswerID: a.answerID, Attempt: a.number, Offset: length}})
}

// Waiting takes a message for a person. Only the caller reads an attempt that
// is not detached, so it keeps none.
func (o *output) Waiting(message string) error {
	a := o.attempt
	if a.detached() {
		a.published.note(message)
	}
	if o.emit == nil {
		return nil
	}
	return o.emit(Event{Waiting, message, Position{AnswerID: a.answerID, Attempt: a.number, Offset: a.published.length()}})
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// join subscribes to an attempt, unless it has ended or is about to.
func (a *attempt) join() bool { return a.causeOfEnd() == nil && a.published.subscribe() }

// leave is called by a subscriber that leaves, with the reason if it leaves
// early. An attempt that nobody reads ends, unless it is durable. So does one
// whose subscriber must not read on.
func (a *attempt) leave(cause error) {
	last := a.published.unsubscribe()
	alone := last && !a.durable && a.detached()
	if cause != nil && (alone || !errors.Is(cause, ErrLeft)) {
		a.end(cause)
	}
}
