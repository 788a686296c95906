package store_test

import (
	"context"
	"time"

	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/outbox"
	"parley/core/subscription"
	"parley/core/tenant"
)

// methodsThatAdd add to what is named, which is a's: the domain package has looked
// it up before.
var methodsThatAdd = []confined{
	{"AddMember", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.AddMember(ctx, as, tenant.Member{UserID: "usr_c", Role: tenant.RoleMember, CreatedAt: epoch})
	}},
	{"CreateInvitation", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.CreateInvitation(ctx, as, tenant.Invitation{ID: "inv_" + as, Email: "x@example.com", Role: tenant.RoleMember}, as)
	}},
	{"CreateChatbot", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.CreateChatbot(ctx, as, chatbot.Chatbot{ID: "cb_new_" + as, CreatedAt: epoch})
	}},
	{"CreateToken", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CreateToken(ctx, as, chatbot.Token{ID: "tok_" + as, ChatbotID: a.chatbot, CreatedAt: epoch}, as)
	}},
	{"CreateProvider", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CreateProvider(ctx, as, a.newProvider("mp_"+as))
	}},
	{"CreateDocument", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		document := a.newDocument("doc_" + as)
		document.WorkspaceID = as
		return nil, s.CreateDocument(ctx, as, document)
	}},
	{"AddPassages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		document := a.newDocument(a.document)
		document.Version = 9
		return nil, s.AddPassages(ctx, as, document, a.newPassages(1))
	}},
	{"KeepOriginal", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.KeepOriginal(ctx, as, a.document, "mine", knowledge.Upload{Name: "mine", Body: []byte("mine")})
	}},
	{"CreateUpload", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CreateUpload(ctx, as, a.document, knowledge.Upload{Name: "mine", Body: []byte("mine")})
	}},
	{"CreateSource", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CreateSource(ctx, as, a.newSource("src_"+as))
	}},
	{"CreateFound", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		found := []knowledge.Document{a.newDocument("doc_found_" + as)}
		return s.CreateFound(ctx, as, a.newSource(a.source), found, 10, 10)
	}},
	{"CreateRemoval", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CreateRemoval(ctx, as, a.newRemoval("doc_other_"+as))
	}},
	{"SaveEmbeddings", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SaveEmbeddings(ctx, as, "model", map[string][]float32{a.secret: {1, 0}}, epoch.Add(time.Hour))
	}},
	{"SaveSubscription", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.SaveSubscription(ctx, as, subscription.Subscription{CustomerID: "cus_of_" + as, Revision: 7})
	}},
	{"AddAudit", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.AddAudit(ctx, as, audit.Entry{Actor: audit.Operator, Action: audit.PlanChanged, At: epoch})
	}},
	{"SaveReversal", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.SaveReversal(ctx, as, subscription.Reversal{StripeID: "re_of_" + as, Kind: subscription.Refund, Currency: "usd", At: epoch})
	}},
	{"AddQuotaNotice", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.AddQuotaNotice(ctx, as, thisMonth, 100, epoch)
	}},
	{"AddMail", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.AddMail(ctx, as, outbox.Mail{Key: "key of " + as, CreatedAt: epoch})
	}},
	{"CreateConversation", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.CreateConversation(ctx, as, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch})
	}},
	{"BeginConversation", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		_, answer, err := s.BeginConversation(ctx, as, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, a.newTurn())
		return answer, err
	}},
	{"BeginTurn", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		id, _, err := s.BeginTurn(ctx, as, a.newTurn())
		return id, err
	}},
}
