// Package shoptest runs all pages over a real database for tests, with a till in
// place of Stripe.
package shoptest

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/net/html"

	"parley/api/route"
	"parley/billing"
	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/answer"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/insight"
	"parley/core/insight/history"
	"parley/core/insight/stats"
	"parley/core/knowledge/browse"
	"parley/core/plan"
	"parley/core/privacy"
	"parley/core/retrieval"
	"parley/core/seal"
	"parley/core/subscription"
	"parley/core/system/grant"
	"parley/core/tenant"
	"parley/core/webhook"
	"parley/internal/clientaddr"
	"parley/internal/publicid"
	"parley/internal/requestid"
	"parley/passkey"
	"parley/store"
	"parley/store/bots"
	chatstore "parley/store/chat"
	insightstore "parley/store/insight"
	knowledgestore "parley/store/knowledge"
	"parley/store/outbound"
	"parley/store/people"
	"parley/store/ports"
	privacystore "parley/store/privacy"
	"parley/store/tenancy"
	"parley/web"
	"parley/web/page"
	"parley/web/webtest"
)

// Shop is the pages over a real database, with a till in place of Stripe.
type Shop struct {
	*testing.T
	app *fiber.App
	// Routes are all that the pages declare.
	Routes   route.Table
	Tenants  *tenancy.Services
	Chatbots chatbot.Services
	db       *store.Store
	Till     *Till
	// serverKeys seal the keys of providers.
	ServerKeys []seal.ServerKey
	// Asked are the providers that were asked for their models, which are Names
	// unless NamesFail.
	Asked []chatbot.OpenedProvider
	Names []string
	// Links are those that the operator sees: there are no mails.
	Links     *Links
	NamesFail error
	// home is the workspace, and cookie the session of its owner.
	Home   tenant.Workspace
	Owner  account.User
	Cookie string
	// handled is called when a handler has returned, before its answer is sent.
	handled *func()
}

// Till takes what pages ask of Stripe. A fail is what it answers instead.
type Till struct {
	tenants *tenancy.Services
	Fail    error
	// PayAt is the address of the page to pay on.
	PayAt    string
	Purchase billing.Purchase
	Back     billing.Back
	Billed   subscription.Billed
	Listed   []billing.Invoice
	Canceled []string
}

const (
	CheckoutURL = "https://checkout.stripe.com/c/1"
	PortalURL   = "https://billing.stripe.com/p/1"
)

func (t *Till) Checkout(_ context.Context, _ string, purchase billing.Purchase, back billing.Back) (string, error) {
	t.Purchase, t.Back = purchase, back
	return t.PayAt, t.Fail
}

func (t *Till) Portal(_ context.Context, _, back string) (string, error) {
	t.Back = billing.Back{Done: back}
	return PortalURL, t.Fail
}

// Refresh applies what is billed, as the real one does.
func (t *Till) Refresh(ctx context.Context, workspaceID string, cause subscription.Cause) (subscription.Applied, error) {
	if t.Fail != nil {
		return subscription.Applied{}, t.Fail
	}
	s, err := t.tenants.Customers.Set(ctx, workspaceID, subscription.Customer{ID: "cus_1"})
	if err != nil {
		return subscription.Applied{}, err
	}
	return t.tenants.Ledger.Apply(ctx, workspaceID, s.Revision, t.Billed, false, cause)
}

func (t *Till) Invoices(context.Context, string, int) ([]billing.Invoice, error) {
	return t.Listed, t.Fail
}

func (t *Till) Cancel(_ context.Context, workspaceID string) error {
	t.Canceled = append(t.Canceled, workspaceID)
	return t.Fail
}

type forgetful struct{}

func (forgetful) Forget(context.Context, string, string) error { return nil }

func (forgetful) Count(context.Context, retrieval.Scope, string) (int, error) { return 0, nil }

const Password = "correct horse battery"

// ticking is a clock that shows a later time whenever it is looked at, so that
// what is made later is younger.
func ticking() func() time.Time {
	var ticks atomic.Int64
	return func() time.Time { return webtest.Today.Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
}

// Open is a shop that sells, unless the change says otherwise.
func Open(t *testing.T, change func(*page.Deps)) *Shop {
	t.Helper()
	clock := ticking()
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "parley.db"))
	webtest.Must(t, err)
	t.Cleanup(func() { webtest.Must(t, db.Close()) })
	links := &Links{}
	s := &Shop{T: t, db: db, Links: links, ServerKeys: []seal.ServerKey{{1, 2, 3}}, Tenants: tenancy.Open(db, access, clock, rand.Reader, tenancy.Options{
		Payments: subscription.Options{Grace: 21 * 24 * time.Hour}, Links: links,
		Vault: seal.NewSealer(rand.Reader, func() ([]seal.ServerKey, error) { return []seal.ServerKey{{1}}, nil }), WebAuthn: passkey.Browsers{},
	})}
	s.Tenants.Passwords.WeakenForTests()
	s.Till = &Till{tenants: s.Tenants, PayAt: CheckoutURL}
	s.Chatbots = chatbot.New(ports.ForChatbot(db, access), forgetful{}, s.Tenants.Holdings, clock, rand.Reader, chatbot.Options{
		Sealer:    seal.NewSealer(rand.Reader, func() ([]seal.ServerKey, error) { return s.ServerKeys, nil }),
		OwnModels: []string{"own-model", "other-own"},
		ModelNames: func(_ context.Context, p chatbot.OpenedProvider) ([]string, error) {
			s.Asked = append(s.Asked, p)
			return s.Names, s.NamesFail
		},
	})
	ids, err := publicid.New(make([]byte, publicid.KeySize))
	webtest.Must(t, err)
	hooks := s.openWebhooks(clock)
	deps := page.Deps{
		Webhooks: hooks, Deliveries: webhook.NewDeliveries(hooks), Privacy: s.openPrivacy(clock, ids),
		Accounts: s.Tenants.Accounts, Factors: s.Tenants.Factors, Tenants: s.Tenants.Tenants, Team: s.Tenants.Team, Subscriptions: s.Tenants.Subscriptions,
		Audit: s.Tenants.Audit, Letters: s.Tenants.Letters,
		Chatbots: s.Chatbots, Sessions: page.NewSessions(s.Tenants.Sessions, s.Tenants.People, false, webtest.BaseURL), BaseURL: webtest.BaseURL,
		Insight: page.Insight{
			Feedback: insight.NewFeedbacks(insightstore.NewFeedback(db), nil, clock), Gaps: insight.NewGaps(insightstore.NewGaps(db), nil, nil, clock),
			History: history.New(insightstore.NewHistory(db), db, clock), Reports: stats.NewReports(insightstore.NewStats(db), clock),
		},
		IDs: ids, Browser: browse.New(bots.NewChatbots(db), nil, nil, knowledgestore.NewKnowledgePages(db), nil, nil),
		Chat: chat.New(ports.ForChat(db, access), nil, clock, slog.New(slog.DiscardHandler)), Billing: s.Till, TrialDays: 14, Now: clock, Log: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&deps)
	}
	s.app, s.handled = fiber.New(fiber.Config{Immutable: true}), new(func())
	*s.handled = func() {}
	s.app.Use(func(c *fiber.Ctx) error {
		err := c.Next()
		(*s.handled)()
		return err
	})
	s.app.Use(requestid.Middleware, page.Origin(clientaddr.Proxies{}))
	web.Register(s.app, &s.Routes, deps)
	owner, workspaceID, err := s.Tenants.SignUps.Create(t.Context(), account.Account{Email: "ada@example.com", Password: Password, Workspace: "Acme"})
	webtest.Must(t, err)
	s.Home, err = s.Tenants.Workspaces.Workspace(t.Context(), workspaceID)
	webtest.Must(t, err)
	s.Owner = owner
	s.SignIn(s.Owner)
	return s
}

// openPrivacy returns the services about people's data, over an index that is empty.
func (s *Shop) openPrivacy(clock func() time.Time, ids *publicid.Codec) privacy.Services {
	return privacy.New(privacy.Ports{
		InTx: s.db.InTx, Erasures: privacystore.NewErasures(s.db), Rows: privacystore.NewRows(s.db), Reader: privacystore.NewRows(s.db), AuditLog: s.Tenants.Audit.Of, EndUsers: privacystore.NewEndUsers(s.db), Persons: privacystore.NewPersons(s.db),
		Audit: s.db, System: access, Index: forgetful{}, Forget: forgetful{}.Forget, ForgetTurns: func(string) {}, Accounts: s.Tenants.Accounts, Tenants: s.Tenants.Tenants,
		Team: s.Tenants.Team, Deletions: s.Tenants.Deletions, Chatbots: s.Chatbots, Letters: s.Tenants.Letters, Billing: s.Till, IDs: ids,
	}, clock, rand.Reader)
}

var access = grant.Because("a test")

// anywhere takes every address.
type anywhere struct{}

func (anywhere) Check(context.Context, string) error { return nil }

func (anywhere) Post(context.Context, webhook.Request) (webhook.Answer, error) {
	return webhook.Answer{Status: fiber.StatusNoContent}, nil
}

// openWebhooks returns webhooks that can have every address, and to which nothing is sent.
func (s *Shop) openWebhooks(clock func() time.Time) *webhook.Endpoints {
	chatbots := bots.NewChatbots(s.db)
	return webhook.NewEndpoints(webhook.Ports{
		Tx: s.db, Workspaces: people.NewWorkspaces(s.db), Plans: s.db, Endpoints: outbound.NewWebhooks(s.db), Deliveries: outbound.NewWebhookDeliveries(s.db), Audit: s.db, System: access,
		Vault: seal.NewSealer(rand.Reader, func() ([]seal.ServerKey, error) { return s.ServerKeys, nil }), Poster: anywhere{},
		Chatbots: func(ctx context.Context, workspaceID, chatbotID string) error {
			_, err := chatbots.Chatbot(ctx, workspaceID, chatbotID)
			return err
		},
	}, clock, rand.Reader, webhook.Options{})
}

// LoseWebhookSecrets leaves all webhooks of a shop with secrets that no key opens.
func (s *Shop) LoseWebhookSecrets() {
	s.Helper()
	hooks := outbound.NewWebhooks(s.db)
	for e, err := range hooks.AllEndpoints(s.Context(), access) {
		webtest.Must(s.T, err)
		e.SealedSecret = []byte("lost")
		webtest.Must(s.T, hooks.UpdateEndpoint(s.Context(), e.WorkspaceID, e))
	}
}

func (s *Shop) SignIn(user account.User) {
	s.Helper()
	keys, err := s.Tenants.Sessions.Start(s.Context(), user.ID, signin.Proof{Method: signin.ByPassword}, account.Client{})
	webtest.Must(s.T, err)
	s.Cookie = "parley_session=" + keys.Session
}

// Links keeps the links that a server without mails prints.
type Links []string

// PrintLink keeps a link.
func (l *Links) PrintLink(_ context.Context, _, link string) { *l = append(*l, link) }

// Within is the shop for a part of a test.
func (s *Shop) Within(t *testing.T) *Shop {
	part := *s
	part.T = t
	return &part
}

func (s *Shop) Get(path string) webtest.Reply {
	s.Helper()
	return webtest.Send(s.T, s.app, "GET", path, "", map[string]string{"Cookie": s.Cookie})
}

func (s *Shop) Post(path string, typed url.Values) webtest.Reply {
	s.Helper()
	return webtest.Send(s.T, s.app, "POST", path, typed.Encode(), map[string]string{"Cookie": s.Cookie, "Content-Type": webtest.TypedForm["Content-Type"]})
}

// Meanwhile sends a form or, without one, asks for a page, and calls do when its handler has
// returned. What ends the answer in the middle is returned as an error.
func (s *Shop) Meanwhile(path string, typed url.Values, do func()) (webtest.Reply, error) {
	s.Helper()
	*s.handled = do
	defer func() { *s.handled = func() {} }()
	if typed == nil {
		return webtest.Receive(s.T, s.app, "GET", path, "", map[string]string{"Cookie": s.Cookie})
	}
	return webtest.Receive(s.T, s.app, "POST", path, typed.Encode(), map[string]string{"Cookie": s.Cookie, "Content-Type": webtest.TypedForm["Content-Type"]})
}

// Url is an address below the workspace's.
func (s *Shop) Url(path string) string { return "/workspaces/" + s.Home.ID + path }

// Records has the audit log say something of the workspace.
func (s *Shop) Records(entry audit.Entry) {
	s.Helper()
	webtest.Must(s.T, s.db.AddAudit(s.Context(), s.Home.ID, entry))
}

// WantPage fails unless the answer has the status and every text.
func (s *Shop) WantPage(got webtest.Reply, status int, says ...string) {
	s.Helper()
	if got.Status != status {
		s.Errorf("status %d, want %d: %s", got.Status, status, got.Body)
	}
	for _, text := range says {
		if !strings.Contains(got.Body, text) {
			s.Errorf("the page lacks %q: %s", text, got.Body)
		}
	}
}

// WantGone fails unless the answer leads to an address.
func (s *Shop) WantGone(got webtest.Reply, to string) {
	s.Helper()
	if got.Status != fiber.StatusSeeOther || got.Header.Get("Location") != to {
		s.Errorf("status %d to %q, want %q: %s", got.Status, got.Header.Get("Location"), to, got.Body)
	}
}

// Subscribe has the owner come back from a payment.
func (s *Shop) Subscribe(name plan.Name, status plan.Status) {
	s.Helper()
	s.Till.Billed = subscription.Billed{ID: "sub_1", Status: status, Plan: name, Interval: plan.Monthly, Amount: plan.Defaults()[2].Price.Monthly, Currency: "usd", PeriodEnd: webtest.On(2026, 12, 3)}
	if status == plan.Trialing {
		s.Till.Billed.TrialEnd = s.Till.Billed.PeriodEnd
	}
	_, err := s.Till.Refresh(audit.As(s.Context(), audit.Stripe), s.Home.ID, subscription.Cause{})
	webtest.Must(s.T, err)
}

// ProviderKey is the secret of the providers that NewProvider makes.
const ProviderKey = "sk-very-secret-0123456789-wxyz"

// NewProvider makes one that the pages did not.
func (s *Shop) NewProvider(name string) chatbot.Provider {
	s.Helper()
	made, err := s.Chatbots.Providers.Create(s.Context(), s.Home.ID, chatbot.ProviderSettings{
		Name: name, Kind: chatbot.OpenAI, BaseURL: "https://models.example.com/v1", Key: ProviderKey,
	})
	webtest.Must(s.T, err)
	return made
}

// WantNoKey fails if a page has a key.
func (s *Shop) WantNoKey(got webtest.Reply) {
	s.Helper()
	if strings.Contains(got.Body, "very-secret") {
		s.Errorf("the page has the key: %s", got.Body)
	}
}

// Answered stores an answer that has ended.
func (s *Shop) Answered(chatbotID string, status chat.Status, record answer.UsageRecord) {
	s.Helper()
	conversation := chat.Conversation{ChatbotID: chatbotID, Status: chat.Active, Origin: chat.API, CreatedAt: webtest.Today}
	opening := turn.Opening{Question: "When?", At: webtest.Today, LeaseUntil: webtest.Today, Month: "2026-11"}
	_, id, err := chatstore.NewTurns(s.db).BeginConversation(s.Context(), s.Home.ID, conversation, opening)
	webtest.Must(s.T, err)
	record.ChatbotID = chatbotID
	webtest.Must(s.T, chatstore.NewTurns(s.db).FinishTurn(s.Context(), s.Home.ID, turn.Answer{MessageID: id, Attempt: 1, Status: status, Answer: answer.Answer{Record: record}}))
}

// Answer is a question with its answer, for [Shop.Converse].
type Answer struct {
	Question string
	Outcome  chat.Outcome
	Origin   chat.Origin
	At       time.Time
	EndUser  string
}

// Converse stores answers of conversations of their own, and has them counted.
func (s *Shop) Converse(chatbotID string, all ...Answer) {
	s.Helper()
	for _, a := range all {
		conversation := chat.Conversation{ChatbotID: chatbotID, Status: chat.Active, Origin: a.Origin, Title: a.Question, CreatedAt: a.At, ExternalUserID: a.EndUser}
		opening := turn.Opening{Question: a.Question, At: a.At, LeaseUntil: a.At, Month: "2026-11"}
		c, id, err := chatstore.NewTurns(s.db).BeginConversation(s.Context(), s.Home.ID, conversation, opening)
		webtest.Must(s.T, err)
		webtest.Must(s.T, chatstore.NewTurns(s.db).FinishTurn(s.Context(), s.Home.ID, turn.Answer{
			MessageID: id, Attempt: 1, Status: chat.Complete, Outcome: a.Outcome, ConversationID: c.ID, Opens: true, Origin: a.Origin,
			Answer: answer.Answer{Text: "An answer.", Record: answer.UsageRecord{ChatbotID: chatbotID, FirstToken: time.Second, At: a.At}},
		}))
	}
	webtest.Must(s.T, stats.NewRoller(insightstore.NewRolls(s.db), access, time.Now).Roll(s.Context()))
}

// WantRows fails unless a table has these cells after its head.
func (s *Shop) WantRows(got webtest.Reply, id string, want ...[]string) {
	s.Helper()
	root, err := html.Parse(strings.NewReader(got.Body))
	webtest.Must(s.T, err)
	var rows [][]string
	for node := range root.Descendants() {
		if node.Data != "tr" || node.Parent.Data == "thead" || webtest.Attribute(node.Parent.Parent, "id") != id {
			continue
		}
		var row []string
		for cell := range node.ChildNodes() {
			row = append(row, webtest.Words(cell))
		}
		rows = append(rows, row)
	}
	if !reflect.DeepEqual(rows, want) {
		s.Errorf("the rows are\n%q, want\n%q", rows, want)
	}
}
