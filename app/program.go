// Package app is the program: it opens the database, the index, the queue and the
// models that the configuration names, passes them to the domain packages, and
// serves. Only this package connects domain and adapters.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"runtime"
	"time"

	"parley/app/backups"
	"parley/app/config"
	"parley/app/letters"
	"parley/billing"
	"parley/core/answer"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/knowledge/encoding"
	"parley/core/knowledge/rebuild"
	"parley/core/privacy"
	"parley/core/rate"
	"parley/core/retrieval"
	"parley/core/seal"
	"parley/core/sso"
	"parley/core/subscription"
	"parley/extract"
	"parley/index/embedded"
	"parley/internal/diskspace"
	"parley/internal/metrics"
	"parley/internal/publicid"
	"parley/internal/recurring"
	"parley/internal/security"
	"parley/jobs"
	"parley/llm/upstream"
	"parley/mail"
	"parley/passkey"
	"parley/store"
	"parley/store/bots"
	knowledgestore "parley/store/knowledge"
	"parley/store/servers"
	"parley/store/tenancy"
	"parley/text/tokens"
)

// Config is the configuration of the program.
type Config = config.Config

// Program holds the domain packages with their ports connected. The server and the
// commands both use it.
type Program struct {
	Config *Config
	Log    *slog.Logger

	Store *store.Store
	Index index
	Queue *jobs.Queue

	Tenants   *tenancy.Services
	Chatbots  chatbot.Services
	Knowledge knowledge.Services
	// Browser shows people what chatbots know.
	Browser *browse.Browser
	// KnowledgeStores is where the knowledge is stored.
	KnowledgeStores knowledge.Stores
	Rebuilder       *rebuild.Rebuilder
	// Replicator is nil unless other processes may change what the index of this one
	// holds: an index in a file, and a database for many.
	Replicator *rebuild.Replicator
	Searcher   *retrieval.Searcher
	// Backlog says what the index lacks.
	Backlog   *retrieval.Backlog
	Evaluator *retrieval.Evaluator
	// Encoding is nil if passages are not encoded.
	Encoding *encoding.Service
	Answers  *answer.Pipeline
	Keys     *chat.Keys
	Quota    *quota.Quota
	Chat     *chat.Service
	Turns    *turn.Service
	Insight  Insight
	Webhooks Webhooks
	SSO      sso.Services
	Privacy  privacy.Services
	// IDs makes the public identifiers of conversations and messages for callers,
	// people and the operator.
	IDs *publicid.Codec

	// folders are those in which the server stores.
	folders *diskspace.Folders
	// readers are the confined readers of files.
	readers *extract.Readiness
	tallies tallies

	// ownIndex is nil where Replicator is.
	ownIndex *ownIndex

	now func() time.Time
	// embedder is nil when retrieval goes by words alone.
	embedder retrieval.Embedder
	// indexVersion is the version of the indexes that this program builds.
	indexVersion string
	// version is the program's version, or empty.
	version string

	metrics *metrics.Metrics
	// The calls of models, by whose account pays.
	serversCalls, workspacesCalls *metrics.Calls
	security                      *security.Events
	// Billing is nil without Stripe, and Mails without a mail server.
	Billing *billing.Service
	Mails   *mail.Sender
}

// Now returns the current time in the precision that both databases store.
func Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Background returns a context for a command, whose statements may take longer than the
// statements of a request.
func Background(ctx context.Context) context.Context { return store.Background(ctx) }

// Open opens the database, the index and the queue, and connects the domain
// packages to them.
func Open(ctx context.Context, config *Config, log *slog.Logger) (*Program, error) {
	return OpenWith(ctx, config, log, Options{})
}

// Options replace the clock and wrap the ports to models and the index, for tests, and
// say where the audit log goes.
type Options struct {
	// Now is the clock. Nil means the function Now.
	Now   func() time.Time
	Model func(answer.Model) answer.Model
	Index func(retrieval.Index) retrieval.Index
	// Audited is told of entries of the audit log: see [store.Options].
	Audited func([]audit.Entry)
	// LookUpTXT answers for the DNS. Nil asks the system's resolver.
	LookUpTXT func(ctx context.Context, name string) ([]string, error)
	// Version is the program's version: see [testrun.Run].
	Version string
	// WeakPasswords is for tests: see [account.Passwords.WeakenForTests].
	WeakPasswords bool
	// Program is the path of the program whose processes read files. Empty means this one.
	Program string
}

// OpenWith is Open with options.
func OpenWith(ctx context.Context, config *Config, log *slog.Logger, options Options) (*Program, error) {
	log = slog.New(recurring.Handler(log.Handler()))
	if err := backups.RefuseUnfinished(config); err != nil {
		return nil, err
	}
	if err := makePrivate(config, log); err != nil {
		return nil, err
	}
	settings := config.Serving.Store()
	settings.Audited = options.Audited
	db, err := store.OpenWith(ctx, config.Database(), settings)
	if err != nil {
		return nil, fmt.Errorf("cannot open the database: %w", err)
	}
	p := &Program{Config: config, Log: log, Store: db, folders: diskspace.In(config.DataDirs()...), metrics: metrics.New(), tallies: newTallies(), now: options.Now, version: options.Version}
	if p.now == nil {
		p.now = Now
	}
	p.security = newSecurityEvents(p.now, log, p.metrics)
	p.openFigures()
	if err := p.openIDs(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.openPublisher()
	if err := p.openKnowledge(ctx, options); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.Tenants = tenancy.Open(db, accesses.people, p.now, rand.Reader, tenancy.Options{
		Payments: subscription.Options{Grace: config.Grace(), StripeOff: config.StripeKey == ""},
		Mails:    letters.Options(config.PublicURL(config.ListenAddress()), config.SMTPURL != ""),
		Quotas:   p.events(),
		Links:    letters.Log{Logger: log}, FactorOfAll: config.FactorOfAll,
		Vault: newSealer(config, db.IsSQLite()), WebAuthn: passkey.Browsers{},
	})
	if options.WeakPasswords {
		p.Tenants.Passwords.WeakenForTests()
	}
	if err := p.openChatbots(options.Model); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if err := p.openWebhooks(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	vault := seal.NewSealer(rand.Reader, func() ([]seal.ServerKey, error) { return serverKeys(config, db.IsSQLite()) })
	if err := p.openSSO(vault, options.LookUpTXT); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if err := p.openBilling(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.openPrivacy()
	return p, nil
}

// openIDs reads the installation's key of public identifiers, or creates it.
func (p *Program) openIDs(ctx context.Context) error {
	fresh := make([]byte, publicid.KeySize)
	if _, err := io.ReadFull(rand.Reader, fresh); err != nil {
		return err
	}
	key, err := servers.NewInstallation(p.Store).KeepPublicIDKey(ctx, fresh)
	if err != nil {
		return fmt.Errorf("cannot read the key of public identifiers: %w", err)
	}
	p.IDs, err = publicid.New(key)
	return err
}

// openBilling connects to Stripe and to the mail server, if they are configured.
func (p *Program) openBilling() (err error) {
	if p.Config.SMTPURL != "" {
		if p.Mails, err = mail.New(p.Config.Mails(p.now)); err != nil {
			return err
		}
	}
	if p.Config.StripeKey != "" {
		account := p.Config.Billing()
		account.Called = p.calledStripe
		p.Billing = billing.New(account, billing.NewBooks(p.Tenants.Subscriptions, p.Tenants.Tenants, p.Tenants.Audit, p.Store), p.now, p.Log, p.metrics)
	}
	return nil
}

// openKnowledge opens the index, the queue, and the readers of sites and files.
func (p *Program) openKnowledge(ctx context.Context, options Options) error {
	embedder, err := OpenEmbedder(p.Config)
	if err != nil {
		return err
	}
	if p.Config.EmbedModel != "" {
		embedder = countedEmbedder{embedder, p.serversCalls, p.tallies.embedding}
	}
	p.embedder = embedder
	if p.Index, err = openIndex(ctx, p.Config); err != nil {
		return fmt.Errorf("cannot open the index: %w", err)
	}
	if err := p.openQueue(ctx); err != nil {
		return fmt.Errorf("cannot open the job queue: %w", err)
	}
	sites, err := p.newKnowledgeFetcher()
	if err != nil {
		return err
	}
	p.KnowledgeStores = knowledgeStores(p.Store)
	ports := knowledge.Ports{
		Stores: p.KnowledgeStores, Index: p.Index, Queue: p.Queue, Fetcher: sites, Embedder: embedder, Tokens: tokens.Count, Subscriber: p.events(),
	}
	extractor, err := openExtractor(p.Config, options.Program)
	if err != nil {
		return err
	}
	extractor.Count = func(end extract.End) { p.metrics.ReaderEnded(string(end)) }
	p.readers = extractor.Readiness()
	reader := extract.NewReader(extractor, runtime.GOMAXPROCS(0))
	ports.Extractor, ports.Splitter = reader, reader
	if options.Index != nil {
		ports.Index = options.Index(p.Index)
	}
	p.Searcher = retrieval.NewSearcher(ports.Index, knowledgestore.NewPassages(p.Store), ports.Embedder, p.Log)
	p.Backlog = retrieval.NewBacklog(p.now)
	p.Searcher.RefuseBehind(p.Backlog)
	p.indexVersion = retrieval.IndexVersion(ports.Embedder)
	p.Knowledge = knowledge.New(ports, p.now, rand.Reader, p.Log)
	pages := knowledgestore.NewKnowledgePages(p.Store)
	p.Browser = browse.New(ports.Stores.Chatbots, ports.Stores.Documents, ports.Stores.Sources, pages, pages, tokens.Count)
	p.openEncoding()
	var lease rebuild.Lease
	if p.Config.WeaviateURL != "" {
		lease = &fillingLease{p: p}
	}
	p.Rebuilder = rebuild.New(rebuild.Ports{
		Documents: knowledgestore.NewDocuments(p.Store), Chatbots: bots.NewChatbots(p.Store), Removals: knowledgestore.NewRemovals(p.Store),
		Marks: knowledgestore.NewRebuilds(p.Store), System: accesses.index, Index: ports.Index, Searcher: p.Searcher,
		Indexer: p.Knowledge.Indexer, Backlog: p.Backlog, Lease: lease, Version: p.indexVersion, Log: p.Log,
	}, p.now)
	p.Backlog.CompareWith(p.Rebuilder.Lacks, lease != nil)
	if own, ok := p.Index.(*embedded.Index); ok && !p.Store.IsSQLite() {
		p.Replicator = rebuild.NewReplicator(knowledgestore.NewIndexChanges(p.Store), embedded.NewBookmark(own), p.Rebuilder, p.now, p.Log)
	}
	p.Evaluator = retrieval.NewEvaluator(p.Searcher, p.Knowledge.Documents)
	return nil
}

// requests counts the requests of each workspace. On PostgreSQL all processes
// count together.
func (p *Program) requests() *rate.Requests {
	if p.Store.IsSQLite() {
		return rate.NewRequests(nil, time.Now)
	}
	return rate.NewRequests(servers.NewRequestMinutes(p.Store), time.Now)
}

func (p *Program) openQueue(ctx context.Context) (err error) {
	settings := jobs.Config{Workers: p.Config.JobWorkers(), Lease: p.Config.JobLease, Failed: p.metrics.JobFailed, Log: p.Log}
	if p.Store.IsSQLite() {
		if settings.SQLite, err = p.Store.JobsDB(); err != nil {
			return err
		}
		settings.Reads = p.Store.Raw(ctx)
	} else {
		settings.Postgres, settings.Role = p.Config.Database(), store.NewWall(p.Store).JobsRole()
	}
	p.Queue, err = jobs.Open(ctx, settings)
	return err
}

func (p *Program) Close() error {
	var failures []error
	if p.Queue != nil {
		failures = append(failures, p.Queue.Close())
	}
	if p.Index != nil {
		failures = append(failures, p.Index.Close())
	}
	return errors.Join(append(failures, p.Store.Close())...)
}

// NewLog returns the log on standard error. What libraries log with package log goes
// there, too, without what they quote.
func NewLog(config *Config) *slog.Logger {
	log.SetOutput(upstream.WithoutQuotes(os.Stderr))
	var level slog.Level
	_ = level.UnmarshalText([]byte(config.LogLevel)) // kong admits known levels only
	options := &slog.HandlerOptions{Level: level}
	if config.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}

// knowledgeStores are the ports of package knowledge to the database.
func knowledgeStores(db *store.Store) knowledge.Stores {
	return knowledge.Stores{
		Transactions: db, Workspaces: db, Plans: db, Chatbots: bots.NewChatbots(db), Sizes: knowledgestore.NewSizes(db), Audit: db,
		Documents: knowledgestore.NewDocuments(db), Uploads: knowledgestore.NewUploads(db), Originals: knowledgestore.NewOriginals(db), Sources: knowledgestore.NewSources(db), Passages: knowledgestore.NewPassages(db),
		Removals: knowledgestore.NewRemovals(db), Undo: knowledgestore.NewUndo(db), Embeddings: knowledgestore.NewEmbeddings(db), Due: knowledgestore.NewDueWork(db), System: accesses.knowledge,
	}
}
