package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"time"

	"parley/billing"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/core/tenant"
	"parley/internal/metrics"
	"parley/internal/publicid"
	"parley/internal/security"
	"parley/jobs"
	"parley/mail"
	"parley/store"
)

// program is the rooms with their ports filled: what the server and the
// command line both work on.
type program struct {
	config *Config
	log    *slog.Logger

	store *store.Store
	index index
	queue *jobs.Queue

	tenants   *tenant.Service
	chatbots  *chatbot.Service
	knowledge *knowledge.Service
	searcher  *retrieval.Searcher
	evaluator *retrieval.Evaluator
	chat      *chat.Service
	// ids makes the identifiers of conversations and messages that callers,
	// people and the operator see.
	ids *publicid.Codec

	metrics  *metrics.Metrics
	security *security.Events
	// billing is nil without Stripe, and mails without a mail server.
	billing *billing.Service
	mails   *mail.Sender
}

// now is the one clock, in the precision that both databases keep.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// openProgram opens the database and the index and wires the rooms.
func openProgram(ctx context.Context, config *Config, log *slog.Logger) (*program, error) {
	return openWith(ctx, config, log, ports{})
}

// ports may wrap the ports to the network; tests do.
type ports struct {
	model func(chat.Model) chat.Model
	index func(retrieval.Index) retrieval.Index
}

func openWith(ctx context.Context, config *Config, log *slog.Logger, wrap ports) (*program, error) {
	if err := makePrivate(config, log); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, config.databaseURL())
	if err != nil {
		return nil, fmt.Errorf("the database cannot be opened: %w", err)
	}
	p := &program{config: config, log: log, store: db, metrics: metrics.New()}
	p.security = newSecurityEvents(log, p.metrics)
	if err := p.openIDs(ctx); err != nil {
		return nil, errors.Join(err, p.close())
	}
	if err := p.openKnowledge(ctx, wrap); err != nil {
		return nil, errors.Join(err, p.close())
	}
	p.tenants = tenant.New(db, now, rand.Reader, tenant.Options{
		Grace: config.grace(), StripeOff: config.StripeKey == "", Mails: config.SMTPURL != "", BaseURL: config.baseURL(config.listenAddress()),
	})
	if err := p.openChatbots(wrap.model); err != nil {
		return nil, errors.Join(err, p.close())
	}
	if err := p.openBilling(); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// openIDs makes the installation's key of public identifiers, or reads it.
func (p *program) openIDs(ctx context.Context) error {
	fresh := make([]byte, publicid.KeySize)
	if _, err := io.ReadFull(rand.Reader, fresh); err != nil {
		return err
	}
	key, err := p.store.KeepPublicIDKey(ctx, fresh)
	if err != nil {
		return fmt.Errorf("the key of public identifiers cannot be read: %w", err)
	}
	p.ids, err = publicid.New(key)
	return err
}

// openBilling opens what money and mails need, if they are configured.
func (p *program) openBilling() (err error) {
	p.metrics.KnowAlarms(billing.Alarms()...)
	if p.mails, err = p.config.mailSender(); err != nil {
		return err
	}
	if p.config.StripeKey != "" {
		p.billing = billing.New(p.config.billing(), p.tenants, now, p.log, p.metrics)
	}
	return nil
}

// openKnowledge opens what the knowledge of chatbots needs.
func (p *program) openKnowledge(ctx context.Context, wrap ports) error {
	ports, err := searchPorts(p.config)
	if err != nil {
		return err
	}
	if p.index, err = openIndex(ctx, p.config); err != nil {
		return fmt.Errorf("the index cannot be opened: %w", err)
	}
	if p.queue, err = openQueue(ctx, p.config, p.store, p.log); err != nil {
		return fmt.Errorf("the queue of jobs cannot be opened: %w", err)
	}
	sites, err := newVisitor(p.config, p.reportTarget)
	if err != nil {
		return err
	}
	ports.Store, ports.Index, ports.Queue, ports.Fetcher = p.store, p.index, p.queue, sites
	if ports.Extractor, err = newReader(p.config); err != nil {
		return err
	}
	if wrap.index != nil {
		ports.Index = wrap.index(p.index)
	}
	p.searcher = retrieval.NewSearcher(ports.Index, p.store, ports.Embedder, p.log)
	ports.Searcher = p.searcher
	p.knowledge = knowledge.New(ports, now, rand.Reader, p.log)
	p.evaluator = retrieval.NewEvaluator(p.searcher, p.knowledge)
	return nil
}

// requests counts the requests of workspaces, together with the processes that
// share the database.
func (p *program) requests() *tenant.Requests {
	if p.store.IsSQLite() {
		return tenant.NewRequests(nil, time.Now)
	}
	return tenant.NewRequests(p.store, time.Now)
}

func openQueue(ctx context.Context, config *Config, db *store.Store, log *slog.Logger) (*jobs.Queue, error) {
	settings := jobs.Config{Workers: config.workers(), Lease: config.JobLease, Log: log}
	if !db.IsSQLite() {
		settings.Postgres = config.databaseURL()
		return jobs.Open(ctx, settings)
	}
	connection, err := db.JobsDB()
	if err != nil {
		return nil, err
	}
	settings.SQLite = connection
	return jobs.Open(ctx, settings)
}

// defaultWorkers is more than there are processors: most of what workers do is
// to wait for sites, models and the index.
const defaultWorkers = 16

// workers are as many for each kind of work. Files are extracted by as many as
// there is use for: each holds a file in memory.
func (c *Config) workers() map[string]int {
	each := c.Workers
	if each == 0 {
		each = defaultWorkers
	}
	all := map[string]int{}
	for _, work := range knowledge.AllWork() {
		all[work] = each
	}
	all[knowledge.ExtractWork] = min(each, 2*runtime.GOMAXPROCS(0))
	return all
}

func (p *program) close() error {
	var failures []error
	if p.queue != nil {
		failures = append(failures, p.queue.Close())
	}
	if p.index != nil {
		failures = append(failures, p.index.Close())
	}
	return errors.Join(append(failures, p.store.Close())...)
}

// newLog returns the log on standard error.
func newLog(config *Config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(config.LogLevel)) // kong admits known levels only
	options := &slog.HandlerOptions{Level: level}
	if config.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}
