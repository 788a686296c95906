package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"parley/app/keyfile"
	"parley/app/status"
	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/core/seal"
	"parley/internal/health"
	"parley/llm/upstream"
)

// tallies count how real calls to others end, so that nobody has to be called to find out.
type tallies struct {
	// model is of the server's own models, never of a workspace's provider, and embedding of its
	// embedding model.
	model, embedding, mail, stripe *health.Tally
}

const (
	// modelWindow and otherWindow are how long a failed call counts, and modelEnough how many
	// answers in a row show that the models work again.
	modelWindow = time.Minute
	otherWindow = 75 * time.Minute // Stripe is called once an hour
	modelEnough = 3
)

func newTallies() tallies {
	return tallies{
		model: health.NewTally(modelWindow, modelEnough, time.Now), embedding: health.NewTally(modelWindow, modelEnough, time.Now),
		mail: health.NewTally(otherWindow, 1, time.Now), stripe: health.NewTally(otherWindow, 1, time.Now),
	}
}

// indexProgress says how many of the documents that were ready when this process started are
// in its index.
type indexProgress func(ctx context.Context) (indexed, ready int, err error)

// parts returns the parts that /readyz and the doctor name. Those are vital without which this
// process cannot serve; the others fail for all processes alike, or for a part of the work.
func (s *Server) parts() []health.Part {
	return []health.Part{
		{Name: "database", Vital: true, Check: s.Store.Check},
		{Name: "storage", Vital: true, Check: s.storageReady},
		{Name: "index", Vital: true, Check: s.indexReady},
		{Name: "settings", Vital: true, Check: s.settingsReady},
		{Name: "model", Check: s.modelReady},
		{Name: "jobs", Check: s.Queue.Working},
		{Name: "readers", Check: s.readers.Check},
		{Name: "mail", Check: s.mailReady},
		{Name: "stripe", Check: s.stripeReady},
	}
}

func (p *Program) storageReady(ctx context.Context) error {
	err := p.checkStorage(ctx)
	if fault.IsOutOfStorage(err) {
		return &health.Reason{Sentence: "The storage is full: the server can only be read from. Free space; the log says where.", Cause: err}
	}
	return err
}

func (p *Program) indexReady(ctx context.Context) error {
	if err := p.Searcher.Check(ctx); err != nil {
		return err
	}
	indexed, ready, err := p.indexed(ctx)
	if err != nil || indexed >= ready {
		return err
	}
	return &health.Reason{Sentence: plan.Thousands(indexed) + " of " + plan.Thousands(ready) + " documents", Pending: true}
}

// indexedAtOnce is the progress of an index that is switched to when all of it is there.
func (p *Program) indexedAtOnce() indexProgress {
	var counting sync.Mutex
	ready := -1
	return func(ctx context.Context) (int, int, error) {
		version, err := p.Index.Version(ctx)
		if err != nil || version != "" {
			return 0, 0, err
		}
		counting.Lock()
		defer counting.Unlock()
		if ready >= 0 {
			return 0, ready, nil
		}
		n := 0
		for d, err := range p.Rebuilder.Documents.AllDocuments(ctx, accesses.index) {
			if err != nil {
				return 0, 0, err
			}
			if d.Held() > 0 {
				n++
			}
		}
		ready = n
		return 0, ready, nil
	}
}

// settingsReady fails when the keys that this process encrypts with cannot be read.
func (p *Program) settingsReady(context.Context) error {
	_, err := seal.ParseServerKeys(p.Config.SecretKey)
	if err == nil && p.Store.IsSQLite() {
		if _, err = keyfile.Read(p.Config.KeyPath()); errors.Is(err, fs.ErrNotExist) { // the first secret makes it
			err = nil
		}
	}
	if err != nil {
		return &health.Reason{Sentence: "The keys that secrets are sealed with cannot be read: check SECRET_KEY, and secret.key in the data folder.", Cause: err}
	}
	return nil
}

func (p *Program) modelReady(context.Context) error {
	for _, called := range []struct {
		tally *health.Tally
		which string
	}{{p.tallies.model, "Calls"}, {p.tallies.embedding, "Calls to EMBED_MODEL"}} {
		if called.tally.Failing() {
			calls, failed, last := called.tally.Counts()
			return &health.Reason{
				Sentence: fmt.Sprintf("%s failed in the last minute: %s.", called.which, modelFailure(last)),
				Cause:    fmt.Errorf("%d of %d failed, the last one: %w", failed, calls, last), // strangers need not know how many
			}
		}
	}
	return nil
}

// modelFailures says for the operator what a failure of the server's own model means.
var modelFailures = map[fault.Code]string{
	fault.ModelUnpaid:      "the account at the model's provider has no credit left",
	fault.ModelKeyRejected: "the model's provider rejects the server's key",
	fault.ModelUnknown:     "the model's provider does not know the model",
	fault.ModelBusy:        "the model's provider limits how often it is asked",
	fault.ModelRefused:     "the model's provider refuses the requests",
}

func modelFailure(err error) string {
	if sentence := modelFailures[fault.As(err).Code()]; sentence != "" {
		return sentence
	}
	return "the model does not answer"
}

func (p *Program) mailReady(context.Context) error {
	return lastFailed(p.tallies.mail, "The mail server did not take the last mail that was tried. Mails wait, and are tried again.")
}

func (p *Program) stripeReady(context.Context) error {
	return lastFailed(p.tallies.stripe, "The last call to Stripe failed. What was missed is read later.")
}

func lastFailed(tally *health.Tally, sentence string) error {
	if !tally.Failing() {
		return nil
	}
	_, _, last := tally.Counts()
	return &health.Reason{Sentence: sentence, Cause: last}
}

// counted counts how the calls of a server's own model end.
type counted struct {
	answer.Model
	tally *health.Tally
}

// Generate implements [answer.Model].
func (m counted) Generate(ctx context.Context, asked prompt.Prompt, emit func(text string) error) (answer.Generated, error) {
	var refused error // by the caller
	generated, err := m.Model.Generate(ctx, asked, func(text string) error {
		refused = emit(text)
		return refused
	})
	switch {
	case err == nil:
		m.tally.Succeeded()
	case refused == nil && ctx.Err() == nil && isModels(err):
		m.tally.Failed(err)
	}
	return generated, err
}

// isModels reports whether a failure tells of the model, and not of what it was asked.
func isModels(err error) bool {
	var useless *upstream.Useless
	if errors.As(err, &useless) {
		return false
	}
	code := fault.As(err).Code()
	return code != fault.ModelDeclined && code != fault.ContextTooLong
}

// countModels has the calls of the server's own models counted. The last one quotes passages,
// and calls nobody.
func (p *Program) countModels(own []answer.Model) []answer.Model {
	all := make([]answer.Model, len(own))
	for i, model := range own {
		all[i] = counted{model, p.tallies.model}
	}
	all[len(own)-1] = own[len(own)-1]
	return all
}

// countedEmbedder counts how the calls of the server's embedding model end.
type countedEmbedder struct {
	retrieval.Embedder
	tally *health.Tally
}

// Passages implements [retrieval.Embedder].
func (e countedEmbedder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.Embedder.Passages(ctx, texts)
	return vectors, e.count(ctx, err)
}

// Questions implements [retrieval.Embedder].
func (e countedEmbedder) Questions(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.Embedder.Questions(ctx, texts)
	return vectors, e.count(ctx, err)
}

func (e countedEmbedder) count(ctx context.Context, err error) error {
	switch {
	case err == nil:
		e.tally.Succeeded()
	case ctx.Err() == nil && isModels(err):
		e.tally.Failed(err)
	}
	return err
}

// sendMail sends a mail, and counts how that ends. A mail that can never be sent tells nothing
// of the mail server.
func (p *Program) sendMail(ctx context.Context, mail outbox.Mail) error {
	err := p.Mails.Send(ctx, mail)
	switch {
	case err == nil || fault.Is(err, fault.Invalid):
		p.tallies.mail.Succeeded()
	case ctx.Err() == nil:
		p.tallies.mail.Failed(err)
	}
	return err
}

// calledStripe counts how a call to Stripe ended.
func (p *Program) calledStripe(err error) {
	if err == nil {
		p.tallies.stripe.Succeeded()
		return
	}
	p.tallies.stripe.Failed(err)
}

// listenForDoctor lets parley doctor ask this server. Without that the server serves all the same.
func (s *Server) listenForDoctor() {
	began := time.Now()
	listener, err := status.Listen(s.lifetime, s.Config.DataDir, func() status.Status { return status.Of(s.version, began, s.API.States()) })
	if err != nil {
		s.Log.Warn("parley doctor cannot ask this server", "error", err)
		return
	}
	s.status = listener
}
