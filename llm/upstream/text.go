package upstream

import "strings"

// maxAnswerBytes bounds the text of an answer, whatever the server sends.
const maxAnswerBytes = 1 << 20

// Text is the text of one answer on its way to the caller, without the blocks in
// which a model thinks aloud and without space before the first word. Set Call and
// Emit first; do not copy it after use.
type Text struct {
	Call *Call
	// Habit is the model's, or nil for one that is not known to think.
	Habit *Habit
	// Whole says that nobody reads the text before its end.
	Whole bool
	// Emit gets the text in whole UTF-8 characters, never an empty piece.
	Emit func(text string) error

	emitted strings.Builder
	pending partial
	visible visible
	// arrived says that text has arrived, and elsewhere that thoughts come beside it.
	arrived, elsewhere bool
}

// Arrived reports whether anything of the text has arrived.
func (t *Text) Arrived() bool { return t.arrived }

// ThinksElsewhere says that the server sends the model's thoughts beside the text.
func (t *Text) ThinksElsewhere() { t.elsewhere = true }

// Add emits the whole characters of a piece. The rest of the last character may
// arrive with the next piece; bytes that are not UTF-8 become U+FFFD. It fails for
// a text of more than 1 MiB, if Emit fails, or if the caller has gone.
func (t *Text) Add(piece string) error {
	if piece == "" {
		return nil
	}
	t.Call.Started()
	if !t.arrived {
		t.arrived = true
		t.visible.begin(t.Habit, t.Whole, t.elsewhere)
	}
	return t.give(t.visible.pass(t.pending.join(piece)))
}

// End emits the rest. It fails for an answer without text, unless the answer
// called tools.
func (t *Text) End(called bool) error {
	if err := t.give(t.visible.pass(t.pending.rest()) + t.visible.rest()); err != nil {
		return err
	}
	if t.Len() == 0 && !called {
		return errEmpty
	}
	t.visible.learn(t.Habit)
	return nil
}

// Hidden returns the number of bytes of the model's thoughts.
func (t *Text) Hidden() int { return t.visible.hidden + t.visible.waiting.Len() }

// Len returns the number of emitted bytes.
func (t *Text) Len() int { return t.emitted.Len() }

// String returns the emitted text.
func (t *Text) String() string { return t.emitted.String() }

func (t *Text) give(text string) error {
	if t.emitted.Len()+t.Hidden()+len(text) > maxAnswerBytes {
		return errTooLong
	}
	if text == "" {
		return nil
	}
	if err := t.Call.caller.Err(); err != nil {
		return err
	}
	t.emitted.WriteString(text)
	if err := t.Emit(text); err != nil {
		return &emitError{err}
	}
	return nil
}

// emitError distinguishes an error of Emit from one of the server.
type emitError struct{ err error }

func (e *emitError) Error() string { return e.err.Error() }
