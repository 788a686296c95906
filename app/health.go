package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"parley/app/keyfile"
	"parley/app/status"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/seal"
	"parley/internal/health"
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
	switch lag := p.IndexLag(); {
	case !lag.Known:
		return &health.Reason{Sentence: "The index is being compared with the database.", Pending: true}
	case lag.Behind > 0:
		return &health.Reason{Sentence: plan.Thousands(lag.Total-lag.Behind) + " of " + plan.Thousands(lag.Total) + " documents", Pending: true}
	}
	return nil
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
