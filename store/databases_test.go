package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/fault"
	"parley/internal/pgtest"
)

// patience bounds every wait of these tests for something that must come.
const patience = 30 * time.Second

// epoch is a time in the precision that both databases keep.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var errTest = errors.New("refused by the test")

// bundle is an open store with calls that fail the test on an error.
type bundle struct {
	*testing.T
	*everything
	url string

	opening   sync.Once
	superuser *sql.DB
}

// everything is a store with all that is kept in it.
type everything struct {
	*Store
	kept
}

// kept has the types that keep one subject each. Their names here are not those
// of their methods, such as Users.
type kept struct {
	*ofChatbots
	*ofTokens
	*ofProviders
	*ofDocuments
	*ofUploads
	*ofSources
	*ofDueWork
	*ofPassages
	*ofRemovals
	*ofIndexChanges
	*ofUndo
	*ofPages
	*ofRebuilds
	*ofEmbeddings
	*ofEncodings
	*ofUsers
	*ofSessions
	*ofDevices
	*ofAttempts
	*ofCodes
	*ofMails
	*ofWorkspaces
	*ofAccess
	*ofMembers
	*ofInvitations
	*ofHoldings
	*ofPlans
	*ofSubscriptions
	*ofEvents
	*ofTrials
	*ofReversals
	*ofAudit
	*ofChores
	*ofMinutes
	*ofConversations
	*ofTurns
	*ofLeases
	*ofMonths
	*ofKeys
	*ofCachedAnswers
	*ofUsageRecords
	*ofRetentions
	*ofSizes
	*ofInstallation
	*ofFeedback
	*ofGaps
	*ofHistory
	*ofStats
	*ofRolls
	*ofTestRuns
	*ofWithdrawn
	*ofFinds
	*ofQuotaNotices
	*ofWebhooks
	*ofDeliveries
	*ofConnections
	*ofIdentities
	*ofErasures
	*ofRows
	*ofEndUsers
	*ofPersons
	*ofFiles
	*ofWall
}

type (
	ofChatbots      = Chatbots
	ofTokens        = Tokens
	ofProviders     = Providers
	ofDocuments     = Documents
	ofUploads       = Uploads
	ofSources       = Sources
	ofDueWork       = DueWork
	ofPassages      = Passages
	ofRemovals      = Removals
	ofIndexChanges  = IndexChanges
	ofUndo          = Undo
	ofPages         = KnowledgePages
	ofRebuilds      = Rebuilds
	ofEmbeddings    = Embeddings
	ofEncodings     = Encodings
	ofUsers         = Users
	ofSessions      = Sessions
	ofDevices       = Devices
	ofAttempts      = Attempts
	ofCodes         = AddressCodes
	ofMails         = Mails
	ofWorkspaces    = Workspaces
	ofAccess        = PlanAccess
	ofMembers       = Members
	ofInvitations   = Invitations
	ofHoldings      = Holdings
	ofPlans         = Plans
	ofSubscriptions = Subscriptions
	ofEvents        = BillingEvents
	ofTrials        = Trials
	ofReversals     = Reversals
	ofAudit         = AuditLog
	ofChores        = Chores
	ofMinutes       = RequestMinutes
	ofConversations = Conversations
	ofTurns         = Turns
	ofLeases        = Leases
	ofMonths        = Months
	ofKeys          = Keys
	ofCachedAnswers = CachedAnswers
	ofUsageRecords  = UsageRecords
	ofRetentions    = Retentions
	ofSizes         = Sizes
	ofInstallation  = Installation
	ofFeedback      = Feedback
	ofGaps          = Gaps
	ofHistory       = History
	ofStats         = Stats
	ofRolls         = Rolls
	ofTestRuns      = TestRuns
	ofWithdrawn     = WithdrawnTests
	ofFinds         = Finds
	ofQuotaNotices  = QuotaNotices
	ofWebhooks      = Webhooks
	ofDeliveries    = WebhookDeliveries
	ofConnections   = SSOConnections
	ofIdentities    = Identities
	ofErasures      = Erasures
	ofRows          = Rows
	ofEndUsers      = EndUsers
	ofPersons       = Persons
	ofFiles         = Files
	ofWall          = Wall
)

func allOf(s *Store) *everything {
	return &everything{s, kept{
		NewChatbots(s), NewTokens(s), NewProviders(s),
		NewDocuments(s), NewUploads(s), NewSources(s), NewDueWork(s), NewPassages(s), NewRemovals(s), NewIndexChanges(s), NewUndo(s), NewKnowledgePages(s), NewRebuilds(s), NewEmbeddings(s), NewEncodings(s),
		NewUsers(s), NewSessions(s), NewDevices(s), NewAttempts(s), NewAddressCodes(s), NewMails(s),
		NewWorkspaces(s), NewPlanAccess(s), NewMembers(s), NewInvitations(s), NewHoldings(s), NewPlans(s),
		NewSubscriptions(s), NewBillingEvents(s), NewTrials(s), NewReversals(s), NewAuditLog(s), NewChores(s), NewRequestMinutes(s),
		NewConversations(s), NewTurns(s), NewLeases(s), NewMonths(s), NewKeys(s), NewCachedAnswers(s), NewUsageRecords(s), NewRetentions(s),
		NewSizes(s), NewInstallation(s),
		NewFeedback(s), NewGaps(s), NewHistory(s), NewStats(s), NewRolls(s), NewTestRuns(s), NewWithdrawnTests(s), NewFinds(s), NewQuotaNotices(s), NewWebhooks(s), NewWebhookDeliveries(s), NewSSOConnections(s), NewIdentities(s), NewErasures(s), NewRows(s), NewEndUsers(s), NewPersons(s), NewFiles(s), NewWall(s),
	}}
}

// onBothDatabases runs a test on a SQLite file and on a PostgreSQL database
// that hold nothing but the schema.
func onBothDatabases(t *testing.T, test func(b *bundle)) {
	t.Helper()
	t.Parallel()
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   migratedSQLite,
		"postgres": func(t *testing.T) string { return migratedPostgres.New(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openBundle(t, database(t)))
		})
	}
}

// migratedPostgres is a database with the schema, and migrated a SQLite file.
// Migrating takes longer than most tests, so it is done once.
var migratedPostgres = pgtest.NewTemplate(func(url string) error {
	s, err := Open(context.Background(), url)
	if err != nil {
		return err
	}
	return s.Close()
})

var migrated = sync.OnceValues(func() (content []byte, err error) {
	folder, err := os.MkdirTemp("", "parley-store-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "parley.db")
	s, err := Open(context.Background(), sqliteScheme+file)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

func migratedSQLite(t *testing.T) string {
	t.Helper()
	content, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	url := sqliteURL(t)
	if err := os.WriteFile(strings.TrimPrefix(url, sqliteScheme), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return url
}

func sqliteURL(t *testing.T) string { return sqliteScheme + filepath.Join(t.TempDir(), "parley.db") }

func openBundle(t *testing.T, url string) *bundle {
	t.Helper()
	return openBundleWith(t, url, Options{})
}

func openBundleWith(t *testing.T, url string, options Options) *bundle {
	t.Helper()
	var s *Store
	eventually(t, "the store opens", func() bool { // on a busy machine a server may be too late for a test's limit
		opened, err := OpenWith(t.Context(), url, options)
		if err != nil && !fault.Is(err, fault.Unavailable) {
			t.Fatal(err)
		}
		s = opened
		return err == nil
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return &bundle{T: t, everything: allOf(s), url: url}
}

func (b *bundle) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) wantKind(err error, kind fault.Kind) {
	b.Helper()
	if !fault.Is(err, kind) {
		b.Errorf("the error is %v, want a fault of kind %d", err, kind)
	}
}

// beside is a pool beside the store's. On PostgreSQL it is a superuser's, whom the wall does
// not bind.
func (b *bundle) beside() *sql.DB {
	b.Helper()
	if b.IsSQLite() || b.url == "" {
		return b.reads
	}
	b.opening.Do(func() {
		var err error
		b.superuser, err = sql.Open("pgx", b.url)
		b.must(err)
		b.Cleanup(func() { b.must(b.superuser.Close()) })
	})
	return b.superuser
}

// count is the number of rows of a query that returns one.
func (b *bundle) count(query string) int {
	b.Helper()
	var n int
	b.must(b.beside().QueryRowContext(context.WithoutCancel(b.Context()), query).Scan(&n))
	return n
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come about that %s", what)
		}
	}
}

// receive waits for what a channel must bring.
func receive[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		t.Fatalf("it did not come about that %s", what)
		panic("unreachable")
	}
}

func contains(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %v, want one that says %q", err, text)
	}
}
