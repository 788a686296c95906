package store_test

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
	"parley/store"
	auditstore "parley/store/audit"
	billingstore "parley/store/billing"
	"parley/store/bots"
	chatstore "parley/store/chat"
	insightstore "parley/store/insight"
	knowledgestore "parley/store/knowledge"
	"parley/store/outbound"
	"parley/store/people"
	privacystore "parley/store/privacy"
	"parley/store/servers"
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
	*store.Store
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
	*ofOriginals
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
	ofChatbots      = bots.Chatbots
	ofTokens        = bots.Tokens
	ofProviders     = bots.Providers
	ofDocuments     = knowledgestore.Documents
	ofUploads       = knowledgestore.Uploads
	ofOriginals     = knowledgestore.Originals
	ofSources       = knowledgestore.Sources
	ofDueWork       = knowledgestore.DueWork
	ofPassages      = knowledgestore.Passages
	ofRemovals      = knowledgestore.Removals
	ofIndexChanges  = knowledgestore.IndexChanges
	ofUndo          = knowledgestore.Undo
	ofPages         = knowledgestore.KnowledgePages
	ofRebuilds      = knowledgestore.Rebuilds
	ofEmbeddings    = knowledgestore.Embeddings
	ofEncodings     = knowledgestore.Encodings
	ofUsers         = people.Users
	ofSessions      = people.Sessions
	ofDevices       = people.Devices
	ofAttempts      = people.Attempts
	ofCodes         = people.AddressCodes
	ofMails         = outbound.Mails
	ofWorkspaces    = people.Workspaces
	ofAccess        = billingstore.PlanAccess
	ofMembers       = people.Members
	ofInvitations   = people.Invitations
	ofHoldings      = billingstore.Holdings
	ofPlans         = billingstore.Plans
	ofSubscriptions = billingstore.Subscriptions
	ofEvents        = billingstore.BillingEvents
	ofTrials        = billingstore.Trials
	ofReversals     = billingstore.Reversals
	ofAudit         = auditstore.AuditLog
	ofChores        = servers.Chores
	ofMinutes       = servers.RequestMinutes
	ofConversations = chatstore.Conversations
	ofTurns         = chatstore.Turns
	ofLeases        = chatstore.Leases
	ofMonths        = chatstore.Months
	ofKeys          = chatstore.Keys
	ofCachedAnswers = chatstore.CachedAnswers
	ofUsageRecords  = chatstore.UsageRecords
	ofRetentions    = chatstore.Retentions
	ofSizes         = knowledgestore.Sizes
	ofInstallation  = servers.Installation
	ofFeedback      = insightstore.Feedback
	ofGaps          = insightstore.Gaps
	ofHistory       = insightstore.History
	ofStats         = insightstore.Stats
	ofRolls         = insightstore.Rolls
	ofTestRuns      = insightstore.TestRuns
	ofWithdrawn     = insightstore.WithdrawnTests
	ofFinds         = insightstore.Finds
	ofQuotaNotices  = billingstore.QuotaNotices
	ofWebhooks      = outbound.Webhooks
	ofDeliveries    = outbound.WebhookDeliveries
	ofConnections   = people.SSOConnections
	ofIdentities    = people.Identities
	ofErasures      = privacystore.Erasures
	ofRows          = privacystore.Rows
	ofEndUsers      = privacystore.EndUsers
	ofPersons       = privacystore.Persons
	ofFiles         = store.Files
	ofWall          = store.Wall
)

func allOf(s *store.Store) *everything {
	return &everything{s, kept{
		bots.NewChatbots(s), bots.NewTokens(s), bots.NewProviders(s),
		knowledgestore.NewDocuments(s), knowledgestore.NewUploads(s), knowledgestore.NewOriginals(s), knowledgestore.NewSources(s), knowledgestore.NewDueWork(s), knowledgestore.NewPassages(s), knowledgestore.NewRemovals(s), knowledgestore.NewIndexChanges(s), knowledgestore.NewUndo(s), knowledgestore.NewKnowledgePages(s), knowledgestore.NewRebuilds(s), knowledgestore.NewEmbeddings(s), knowledgestore.NewEncodings(s),
		people.NewUsers(s), people.NewSessions(s), people.NewDevices(s), people.NewAttempts(s), people.NewAddressCodes(s), outbound.NewMails(s),
		people.NewWorkspaces(s), billingstore.NewPlanAccess(s), people.NewMembers(s), people.NewInvitations(s), billingstore.NewHoldings(s), billingstore.NewPlans(s),
		billingstore.NewSubscriptions(s), billingstore.NewBillingEvents(s), billingstore.NewTrials(s), billingstore.NewReversals(s), auditstore.NewAuditLog(s), servers.NewChores(s), servers.NewRequestMinutes(s),
		chatstore.NewConversations(s), chatstore.NewTurns(s), chatstore.NewLeases(s), chatstore.NewMonths(s), chatstore.NewKeys(s), chatstore.NewCachedAnswers(s), chatstore.NewUsageRecords(s), chatstore.NewRetentions(s),
		knowledgestore.NewSizes(s), servers.NewInstallation(s),
		insightstore.NewFeedback(s), insightstore.NewGaps(s), insightstore.NewHistory(s), insightstore.NewStats(s), insightstore.NewRolls(s), insightstore.NewTestRuns(s), insightstore.NewWithdrawnTests(s), insightstore.NewFinds(s), billingstore.NewQuotaNotices(s), outbound.NewWebhooks(s), outbound.NewWebhookDeliveries(s), people.NewSSOConnections(s), people.NewIdentities(s), privacystore.NewErasures(s), privacystore.NewRows(s), privacystore.NewEndUsers(s), privacystore.NewPersons(s), store.NewFiles(s), store.NewWall(s),
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
	s, err := store.Open(context.Background(), url)
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
	s, err := store.Open(context.Background(), store.SQLiteScheme+file)
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
	if err := os.WriteFile(strings.TrimPrefix(url, store.SQLiteScheme), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return url
}

func sqliteURL(t *testing.T) string {
	return store.SQLiteScheme + filepath.Join(t.TempDir(), "parley.db")
}

func openBundle(t *testing.T, url string) *bundle {
	t.Helper()
	return openBundleWith(t, url, store.Options{})
}

func openBundleWith(t *testing.T, url string, options store.Options) *bundle {
	t.Helper()
	var s *store.Store
	eventually(t, "the store opens", func() bool { // on a busy machine a server may be too late for a test's limit
		opened, err := store.OpenWith(t.Context(), url, options)
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
		return b.Reads()
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
