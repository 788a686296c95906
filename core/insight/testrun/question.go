// Package testrun asks an owner's test questions after each change of what a
// chatbot knows or how it answers, and says which of them it answers as expected,
// before and after.
package testrun

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/fault"
	"parley/internal/id"
	"parley/internal/plain"
)

// Expectation says what a good answer is.
type Expectation string

// The expectations.
const (
	// AnAnswer is any answer from the knowledge.
	AnAnswer Expectation = "answer"
	// NoAnswer is that the chatbot says that it does not know.
	NoAnswer Expectation = "no_answer"
	// AText is an answer that has a text in it.
	AText Expectation = "text"
)

// Wanted is a question with what a good answer to it is.
type Wanted struct {
	Question string
	Expects  Expectation
	// Expected is the text of [AText].
	Expected string
	// Reference is a good answer, to compare with. Document is the title of the
	// document that an answer should cite. Each may be empty.
	Reference, Document string
}

// Question is one that is asked after each change.
type Question struct {
	ID, ChatbotID string
	Wanted
	CreatedBy string
	CreatedAt time.Time
	// UpdatedAt is when it was changed last, and RemovedAt when it was withdrawn, or nil.
	UpdatedAt, RemovedAt *time.Time
}

// The limits of test questions. All but the first are in characters.
const (
	// MaxQuestions is how many a chatbot has at most.
	MaxQuestions = 200
	maxQuestion  = 2_000
	maxExpected  = 500
	maxReference = 4_000
	maxDocument  = 300
)

// check returns a question as it is stored, or refuses it.
func (w Wanted) check() (Wanted, error) {
	w.Question, w.Expected, w.Reference = strings.TrimSpace(w.Question), strings.TrimSpace(w.Expected), strings.TrimSpace(w.Reference)
	w.Document = plain.Line(w.Document)
	if w.Expects != AText {
		w.Expected = ""
	}
	if w.Expects == NoAnswer {
		w.Reference, w.Document = "", ""
	}
	for field, text := range map[string]string{"question": w.Question, "expected": w.Expected, "reference": w.Reference, "document": w.Document} {
		if !plain.Storable(text) {
			return w, fault.InField(field, "Use plain text.")
		}
	}
	switch {
	case w.Question == "":
		return w, fault.InField("question", "Enter a question.")
	case utf8.RuneCountInString(w.Question) > maxQuestion:
		return w, fault.InField("question", "The question is longer than %d characters. Shorten it.", maxQuestion)
	case w.Expects != AnAnswer && w.Expects != NoAnswer && w.Expects != AText:
		return w, fault.InField("expects", "Choose what a good answer is: answer, text or no_answer.")
	case w.Expects == AText && w.Expected == "":
		return w, fault.InField("expected", "Enter what the answer must say.")
	case utf8.RuneCountInString(w.Expected) > maxExpected:
		return w, fault.InField("expected", "This is longer than %d characters. Shorten it.", maxExpected)
	case utf8.RuneCountInString(w.Reference) > maxReference:
		return w, fault.InField("reference", "The expected answer is longer than %d characters. Shorten it.", maxReference)
	case utf8.RuneCountInString(w.Document) > maxDocument:
		return w, fault.InField("document", "This is longer than %d characters. Shorten it.", maxDocument)
	}
	return w, nil
}

// folded is a text in lower case with one space between its words.
func folded(text string) string { return strings.ToLower(plain.Spaced(text)) }

var (
	errFull       = fault.InField("question", "A chatbot has at most %d test questions. Remove one first.", MaxQuestions)
	errNoQuestion = fault.New(fault.NotFound, "Test question not found.")
)

// Questions returns the test questions of a chatbot, oldest first.
func (s *Service) Questions(ctx context.Context, workspaceID, chatbotID string) ([]Question, error) {
	return s.questions.TestQuestions(ctx, workspaceID, chatbotID)
}

// Question returns a test question.
func (s *Service) Question(ctx context.Context, workspaceID, chatbotID, questionID string) (Question, error) {
	known, err := s.Questions(ctx, workspaceID, chatbotID)
	if err != nil {
		return Question{}, err
	}
	for _, q := range known {
		if q.ID == questionID {
			return q, nil
		}
	}
	return Question{}, errNoQuestion
}

// Add adds a test question.
func (s *Service) Add(ctx context.Context, workspaceID, chatbotID string, wanted Wanted, by string) (Question, error) {
	wanted, err := wanted.check()
	if err != nil {
		return Question{}, err
	}
	q := s.question(chatbotID, wanted, by)
	err = s.underLock(ctx, workspaceID, func(ctx context.Context) error {
		known, err := s.Questions(ctx, workspaceID, chatbotID)
		if err != nil {
			return err
		}
		if len(known) >= MaxQuestions {
			return errFull
		}
		return s.questions.CreateTestQuestion(ctx, workspaceID, q)
	})
	return q, err
}

func (s *Service) question(chatbotID string, wanted Wanted, by string) Question {
	return Question{ID: id.New(s.random, "tq"), ChatbotID: chatbotID, Wanted: wanted, CreatedBy: by, CreatedAt: s.now()}
}

// Change replaces what a test question is and expects. Its earlier results stay.
func (s *Service) Change(ctx context.Context, workspaceID, chatbotID, questionID string, wanted Wanted) (Question, error) {
	wanted, err := wanted.check()
	if err != nil {
		return Question{}, err
	}
	var q Question
	err = s.underLock(ctx, workspaceID, func(ctx context.Context) error {
		if q, err = s.Question(ctx, workspaceID, chatbotID, questionID); err != nil || q.Wanted == wanted {
			return err
		}
		q = q.changed(wanted, s.now())
		return s.questions.UpdateTestQuestion(ctx, workspaceID, q)
	})
	return q, err
}

func (q Question) changed(wanted Wanted, at time.Time) Question {
	q.Wanted, q.UpdatedAt = wanted, &at
	return q
}

// Remove removes a test question with its results, for good.
func (s *Service) Remove(ctx context.Context, workspaceID, chatbotID, questionID string) error {
	return orNotFound(s.questions.DeleteTestQuestion(ctx, workspaceID, chatbotID, questionID))
}

// Imported says what became of questions that were imported.
type Imported struct{ Added, Changed, Same int }

// Import adds questions. One that is known already, but for upper and lower case, gets
// the new expectations. Either all are taken or none.
func (s *Service) Import(ctx context.Context, workspaceID, chatbotID string, wanted []Wanted, by string) (done Imported, err error) {
	wanted, err = checkAll(wanted)
	if err != nil {
		return done, err
	}
	err = s.underLock(ctx, workspaceID, func(ctx context.Context) error {
		done = Imported{}
		known, err := s.Questions(ctx, workspaceID, chatbotID)
		if err != nil {
			return err
		}
		byText := make(map[string]Question, len(known))
		for _, q := range known {
			byText[folded(q.Wanted.Question)] = q
		}
		for _, w := range wanted {
			if err := s.importOne(ctx, workspaceID, chatbotID, byText, w, by, &done); err != nil {
				return err
			}
		}
		if n := len(known) + done.Added; n > MaxQuestions {
			return fault.InField("file", "With these there would be %d test questions. A chatbot has at most %d: remove some first.", n, MaxQuestions)
		}
		return nil
	})
	return done, err
}

// checkAll checks questions that come together, and says which is wrong.
func checkAll(wanted []Wanted) ([]Wanted, error) {
	switch {
	case len(wanted) == 0:
		return nil, fault.InField("file", "There is no question in it.")
	case len(wanted) > MaxQuestions:
		return nil, fault.InField("file", "These are %d questions. A chatbot has at most %d.", len(wanted), MaxQuestions)
	}
	checked := make([]Wanted, len(wanted))
	seen := map[string]int{}
	for i, w := range wanted {
		var err error
		if checked[i], err = w.check(); err != nil {
			return nil, fault.InField("file", "Question %d: %s", i+1, fault.As(err).Message)
		}
		text := folded(checked[i].Question)
		if before := seen[text]; before > 0 {
			return nil, fault.InField("file", "Question %d is question %d once more. Keep one of them.", i+1, before)
		}
		seen[text] = i + 1
	}
	return checked, nil
}

// importOne adds one question, or changes the one that has its text.
func (s *Service) importOne(ctx context.Context, workspaceID, chatbotID string, known map[string]Question, w Wanted, by string, done *Imported) error {
	q, there := known[folded(w.Question)]
	switch {
	case !there:
		done.Added++
		return s.questions.CreateTestQuestion(ctx, workspaceID, s.question(chatbotID, w, by))
	case q.Wanted == w:
		done.Same++
		return nil
	default:
		done.Changed++
		return s.questions.UpdateTestQuestion(ctx, workspaceID, q.changed(w, s.now()))
	}
}

// underLock runs fn in one transaction under the workspace's lock.
func (s *Service) underLock(ctx context.Context, workspaceID string, fn func(context.Context) error) error {
	return s.tx.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.tx.LockWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		return fn(ctx)
	})
}
