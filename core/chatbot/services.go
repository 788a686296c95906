package chatbot

import (
	"context"
	"io"
	"time"

	"parley/core/audit"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/seal"
	"parley/core/system"
	"parley/core/tenant"
)

// Database is what this package keeps and reads, one port for each subject.
type Database struct {
	Tx         transactor
	Workspaces locker
	Plans      planReader
	Chatbots   Store
	Tokens     TokenStore
	Members    memberReader
	Providers  ProviderStore
	Audit      audit.Log
	System     system.Access
}

// transactor runs a function in one transaction; calls inside it join.
type transactor interface {
	InTx(ctx context.Context, fn func(context.Context) error) error
}

// locker locks a workspace until the transaction ends.
type locker interface {
	LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
}

// memberReader reads who is in a workspace.
type memberReader interface {
	Members(ctx context.Context, workspaceID string) ([]tenant.Member, error)
}

// planReader reads plans.
type planReader interface {
	Plan(ctx context.Context, name plan.Name) (plan.Plan, error)
}

// Options are what an operator decides about models. The zero value keeps no
// keys.
type Options struct {
	// Sealer keeps the keys of providers. Without one none can be kept.
	Sealer *seal.Sealer
	// OwnModels are the names of the server's own models that a chatbot may
	// choose, its default first.
	OwnModels []string
	// PlainHTTP admits providers at http addresses, for servers in networks of
	// the operator.
	PlainHTTP bool
	// ModelNames asks a provider which models it has. An error of a server that
	// answered has a method Status, with the HTTP status of the answer.
	ModelNames func(ctx context.Context, provider OpenedProvider) ([]string, error)
	// Letters writes mails to owners about tokens; nil writes none.
	Letters *outbox.Writer
	// Subscriber hears of tokens that expire soon. It may be nil.
	Subscriber TokenSubscriber
}

// Services are the services of this package over one database: what can be done
// with chatbots, with their tokens, and with providers of models, and how a chatbot
// is tried.
type Services struct {
	*Chatbots
	Tokens     *Tokens
	Callers    *Callers
	Uses       *Uses
	Announcer  *Announcer
	Providers  *Providers
	Catalog    *Catalog
	Playground *Playground
}

// New returns the services. Random must be cryptographically secure.
func New(db Database, forgetter Forgetter, settler Settler, now func() time.Time, random io.Reader, options Options) Services {
	base, known := base{db: db, settler: settler, now: now, random: random}, newCache(now)
	callers := &Callers{base: base, known: known}
	announcer := &Announcer{base: base, letters: options.Letters, subscriber: options.Subscriber}
	providers := &Providers{base: base, options: options}
	chatbots := &Chatbots{base: base, forgetter: forgetter, options: options, known: known}
	return Services{
		Chatbots:   chatbots,
		Tokens:     &Tokens{base: base, callers: callers, announcer: announcer},
		Callers:    callers,
		Uses:       &Uses{base: base},
		Announcer:  announcer,
		Providers:  providers,
		Catalog:    &Catalog{providers},
		Playground: &Playground{base: base, chatbots: chatbots},
	}
}

// base is what the services share.
type base struct {
	db      Database
	settler Settler
	now     func() time.Time
	random  io.Reader
}

// Settler says which chatbots, members and tokens of a workspace are over the
// limits of its plan; package tenant is one. It joins the transaction of ctx,
// and writes nothing where nothing changes.
type Settler interface {
	Settle(ctx context.Context, workspaceID string) error
}

// change runs do in a transaction, and settles what is over the plan's limits
// after it. The workspace is locked before anything is written: to settle is
// to write to chatbots and tokens, and two changes that lock them in different
// orders would wait for each other.
func (s base) change(ctx context.Context, workspaceID string, do func(ctx context.Context, workspace tenant.Workspace) error) error {
	return s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.db.Workspaces.LockWorkspace(ctx, workspaceID)
		if err != nil {
			return err
		}
		if err := do(ctx, workspace); err != nil {
			return err
		}
		return s.settler.Settle(ctx, workspaceID)
	})
}
