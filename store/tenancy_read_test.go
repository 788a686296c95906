package store_test

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/plan"
	"parley/core/retrieval"
)

// methodsThatRead only read.
var methodsThatRead = []confined{
	{"Workspace", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Workspace(ctx, as)
	}},
	{"FoundChatbots", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.FoundChatbots(ctx, as, a.secret)
	}},
	{"FoundDocuments", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.FoundDocuments(ctx, as, a.chatbot, a.secret)
	}},
	{"FoundConversations", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		found, err := s.FoundConversations(ctx, as, a.chatbot, a.user, "")
		return shownIf(a, len(found)), err
	}},
	{"ListConversations", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		found, err := s.ListConversations(ctx, as, a.chatbot, chat.List{Limit: 10})
		return shownIf(a, len(found)), err
	}},
	{"ChatbotNames", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.ChatbotNames(ctx, as, []string{a.chatbot})
	}},
	{"LockWorkspace", func(ctx context.Context, s *everything, as string, _ tenancy) (got any, err error) {
		err = s.InTx(ctx, func(ctx context.Context) (err error) { got, err = s.LockWorkspace(ctx, as); return err })
		return got, err
	}},
	{"Members", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) { return s.Members(ctx, as) }},
	{"Invitations", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Invitations(ctx, as)
	}},
	{"Chatbots", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Chatbots(ctx, as)
	}},
	{"Chatbot", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Chatbot(ctx, as, a.chatbot)
	}},
	{"Tokens", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Tokens(ctx, as, a.chatbot)
	}},
	{"Provider", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Provider(ctx, as, a.provider)
	}},
	{"Providers", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Providers(ctx, as)
	}},
	{"Document", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Document(ctx, as, a.chatbot, a.document)
	}},
	{"Documents", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Documents(ctx, as, a.chatbot)
	}},
	{"DocumentByInput", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.DocumentByInput(ctx, as, a.chatbot, "input of "+a.document)
	}},
	{"DocumentByExternalID", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.DocumentByExternalID(ctx, as, a.chatbot, "name of "+a.document)
	}},
	{"Original", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Original(ctx, as, a.document)
	}},
	{"OriginalPart", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		part, err := s.OriginalPart(ctx, as, a.document, 0)
		return string(part.Body), err
	}},
	{"Upload", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Upload(ctx, as, a.document)
	}},
	{"Source", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Source(ctx, as, a.chatbot, a.source)
	}},
	{"Sources", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Sources(ctx, as, a.chatbot)
	}},
	{"SourceDocuments", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.SourceDocuments(ctx, as, a.source)
	}},
	{"DueSource", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.DueSource(ctx, as, epoch)
	}},
	{"Removals", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Removals(ctx, as, a.chatbot, 10)
	}},
	{"Removal", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Removal(ctx, as, a.chatbot, a.newRemoval("doc_gone_"+a.id).ID)
	}},
	{"RemovalOf", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.RemovalOf(ctx, as, a.chatbot, "doc_gone_"+a.id)
	}},
	{"AnswersFrom", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		n, ids, err := s.AnswersFrom(ctx, as, a.chatbot, a.document, 10)
		return strings.Repeat("secret-of-a ", n+len(ids)), err
	}},
	{"Embeddings", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Embeddings(ctx, as, "model", []string{a.secret})
	}},
	{"Unencoded", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Unencoded(ctx, as, a.chatbot, 10)
	}},
	{"UnencodedOf", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		n, err := s.UnencodedOf(ctx, as, a.chatbot)
		return shownIf(a, n), err
	}},
	{"KnowledgeSizes", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		chars, stored, err := s.KnowledgeSizes(ctx, as)
		return strings.Repeat("secret-of-a ", min(chars+stored, 1)), err // b has nothing stored
	}},
	{"UploadSize", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		n, err := s.UploadSize(ctx, as, a.document)
		return strings.Repeat("secret-of-a ", min(n, 1)), err
	}},
	{"HeldDocuments", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		found, err := s.HeldDocuments(ctx, as, a.chatbot, "", 10)
		return shownIf(a, len(found)), err
	}},
	{"PassagesHeld", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.PassagesHeld(ctx, as, []knowledge.Document{{ID: a.document, Live: 1}})
	}},
	{"Passages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Passages(ctx, as, a.document, 1)
	}},
	{"LivePassages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.LivePassages(ctx, as, a.chatbot, []int64{a.passage})
	}},
	{"LivePassagesAt", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.LivePassagesAt(ctx, as, a.chatbot, []retrieval.Position{{DocumentID: a.document, Version: 1, Ordinal: 0}})
	}},
	{"Surroundings", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Surroundings(ctx, as, a.chatbot, []browse.Place{{DocumentID: a.document}}, 1, 1)
	}},
	{"KnowledgeVersion", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		version, err := s.KnowledgeVersion(ctx, as, a.chatbot)
		if err != nil {
			return nil, err
		}
		return a.secret + version, nil
	}},
	{"Messages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Messages(ctx, as, a.conversation, 0, 0)
	}},
	{"MessageSizes", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		sizes, err := s.MessageSizes(ctx, as, a.conversation, 0, 10)
		return strings.Repeat("secret-of-a ", len(sizes)), err
	}},
	{"HasMessage", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		known, err := s.HasMessage(ctx, as, a.conversation, a.answer)
		if !known {
			return nil, err
		}
		return a.secret, err
	}},
	{"LastMessages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.LastMessages(ctx, as, a.conversation, 0, 10)
	}},
	{"Samples", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Samples(ctx, as, a.chatbot, 3, 3)
	}},
	{"TurnsOf", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.TurnsOf(ctx, as, a.conversation, 10, 1<<20)
	}},
	{"ConversationOf", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		id, err := s.ConversationOf(ctx, as, a.answer)
		if id != a.conversation {
			return nil, err
		}
		return a.secret, err
	}},
	{"AnswersOf", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		answers, err := s.AnswersOf(ctx, as, a.rated, []int64{a.answered})
		if len(answers) == 0 {
			return nil, err
		}
		return a.secret, err
	}},
	{"Turn", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Turn(ctx, as, a.conversation, 0)
	}},
	{"Claimed", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Claimed(ctx, as, a.newKey(), time.Time{})
	}},
	{"CachedAnswer", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.CachedAnswer(ctx, as, a.chatbot, "question", time.Time{})
	}},
	{"Spent", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Spent(ctx, as, epoch)
	}},
	{"Recorded", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Recorded(ctx, as, []int64{a.answered, a.answer})
	}},
	{"MessagesOf", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		n, err := s.MessagesOf(ctx, as, thisMonth)
		return strings.Repeat("secret-of-a ", n), err
	}},
	{"QuotaUse", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		use, err := s.QuotaUse(ctx, as, thisMonth)
		return strings.Repeat("secret-of-a ", use.Used), err
	}},
	{"ReserveMessages", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		used, err := s.MessagesOf(ctx, as, thisMonth)
		free, failed := s.ReserveMessages(ctx, as, quota.Reservation{Month: thisMonth, Limit: used + 1, Want: 1, Lease: time.Minute})
		return strings.Repeat("secret-of-a ", free*used), errors.Join(err, failed)
	}},
	{"SetRequestMinute", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		var minute plan.Minute
		minute.Take(epoch, 7, 10, 0)
		return s.SetRequestMinute(ctx, as, minute, 0)
	}},
	{"RequestMinute", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		minute, _, _, err := s.RequestMinute(ctx, as)
		if as == a.id {
			return strings.Repeat("secret-of-a ", minute.Used(epoch)), err
		}
		return nil, err
	}},
	{"Subscription", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Subscription(ctx, as)
	}},
	{"Holdings", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Holdings(ctx, as)
	}},
	{"Audit", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Audit(ctx, as, audit.Filter{Actions: audit.Actions(), Limit: 10})
	}},
	{"CountAudit", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		n, err := s.CountAudit(ctx, as, audit.Filter{Actor: audit.Stripe.Name})
		return strings.Repeat("secret-of-a ", n), err
	}},
	{"Reversals", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Reversals(ctx, as, 10)
	}},
}
