package store

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/answer"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/insight"
	"parley/core/insight/history"
	"parley/core/insight/stats"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/core/subscription"
	"parley/core/tenant"
)

// acrossWorkspaces are the methods that take no workspace; the package comment
// gives the reasons.
var acrossWorkspaces = map[string]bool{
	"InTx": true, "Close": true, "Check": true, "IsSQLite": true, "JobsDB": true,
	"PrincipalByTokenHash": true, "InvitationByCode": true,
	"CreateUser": true, "User": true, "UserByEmail": true, "Users": true, "CountUsers": true, "LockUsers": true, "CreateAddressCode": true, "AddressCode": true, "DeleteAddressCode": true, "DeleteAddressCodes": true,
	"AddAccountMail": true, "ClaimAccountMail": true, "SettleAccountMail": true, "SetPassword": true, "SetEmail": true, "SetProfile": true,
	"Memberships": true, "LockMemberships": true, "CreateSession": true, "Session": true, "SessionsOf": true, "TouchSession": true, "DeleteSession": true,
	"DeleteSessions": true, "TrustDevice": true, "TrustedBy": true, "ForgetDevices": true, "DeleteExpired": true, "DeleteExpiredInvitations": true, "CountAttempt": true, "ForgiveAttempt": true,
	"AllDocuments": true, "ChangedDocuments": true, "DeleteEmbeddings": true, "RemovalsSince": true, "WorkspacesDue": true, "RenewLeases": true, "InterruptLapsed": true,
	"StopsAsked": true, "DeleteKeys": true, "DeleteCachedAnswers": true,
	"CreateWorkspace": true, "Workspaces": true, "WorkspaceOf": true, "AllProviders": true, "Plans": true, "Plan": true, "UpdatePlan": true, "SetOnSale": true,
	"AddTrial": true, "HasTrial": true,
	"WorkspaceByCustomer": true, "Subscriptions": true, "LapsedAccess": true, "UnverifiedAccess": true, "EndedGrants": true,
	"AddBillingEvent": true, "HasBillingEvent": true, "DeleteBillingEvents": true,
	"ClaimMail": true, "DeleteMails": true, "AuditEntries": true, "DeleteAudit": true, "BeginChore": true, "Retentions": true,
	"ReleaseMessages": true, "SettleMessages": true, "DeleteRequestMinutes": true,
	"RemovalsToCount": true, "BeginRebuild": true, "Rebuilds": true, "EndRebuild": true, "KeepPublicIDKey": true,
	"LockRoll": true, "Uncounted": true, "CountRecords": true, "UncountedThumbs": true, "CountThumb": true, "RecordedMonths": true,
	"ClaimTestRun": true, "Tested": true,
	"DeleteFailedUploads": true, "TrimEmbeddings": true, "TrimRemovals": true,
}

// confined calls a method on things of a, as workspace as.
type confined struct {
	method string
	call   func(ctx context.Context, s *everything, as string, a tenancy) (any, error)
}

// shownIf stands for numbers of things of a, in which no secret shows.
func shownIf(a tenancy, n int) string {
	if n == 0 {
		return ""
	}
	return a.secret
}

// workspaceMethods has a row forevery method that takes a workspace, in an
// order in which all of them do something when the workspace is the right one.
var workspaceMethods = []confined{
	{"Workspace", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Workspace(ctx, as)
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
	{"AnswersFrom", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		n, ids, err := s.AnswersFrom(ctx, as, a.chatbot, a.document, 10)
		return strings.Repeat("secret-of-a ", n+len(ids)), err
	}},
	{"Embeddings", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Embeddings(ctx, as, "model", []string{a.secret})
	}},
	{"KnowledgeChars", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		n, err := s.KnowledgeChars(ctx, as)
		return strings.Repeat("secret-of-a ", n), err // b has none of its own
	}},
	{"StoredBytes", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		n, err := s.StoredBytes(ctx, as)
		return strings.Repeat("secret-of-a ", min(n, 1)), err // b has nothing stored
	}},
	{"UploadSize", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		n, err := s.UploadSize(ctx, as, a.document)
		return strings.Repeat("secret-of-a ", min(n, 1)), err
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
	{"Samples", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Samples(ctx, as, a.chatbot, 3, 3)
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
		return s.TurnsOf(ctx, as, a.conversation, 10)
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
		return s.Spent(ctx, as, time.Time{}, epoch.Add(time.Hour))
	}},
	{"MessagesOf", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		n, err := s.MessagesOf(ctx, as, thisMonth)
		return strings.Repeat("secret-of-a ", n), err
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
	{"Reversals", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Reversals(ctx, as, 10)
	}},

	{"SetOverLimit", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetOverLimit(ctx, as, plan.Chatbots, []string{a.chatbot})
	}},
	{"SetKept", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetKept(ctx, as, plan.Members, []string{a.user})
	}},
	{"SettleMail", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SettleMail(ctx, as, a.mail, &epoch, nil)
	}},
	{"CountRemoval", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CountRemoval(ctx, as, "rm_doc_gone_"+a.id, 1, []int64{a.answer}, epoch)
	}},
	{"SetExternalUser", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetExternalUser(ctx, as, a.conversation, a.secret)
	}},
	{"Conversation", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Conversation(ctx, as, a.chatbot, a.conversation)
	}},
	{"SaveProgress", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SaveProgress(ctx, as, a.answer, 1, "mine")
	}},
	{"AskToStop", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.AskToStop(ctx, as, a.answer)
	}},
	{"FinishTurn", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.FinishTurn(ctx, as, turn.Answer{MessageID: a.answer, Attempt: 1, Status: chat.Failed, Answer: answer.Answer{Text: "mine"}})
	}},
	{"BeginAgain", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.BeginAgain(ctx, as, turn.Retry{ConversationID: a.conversation, AnswerID: a.answer, LeaseUntil: epoch, Month: thisMonth})
	}},
	{"FinishTurn", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.FinishTurn(ctx, as, turn.Answer{MessageID: a.answer, Attempt: 2, Status: chat.Complete, Answer: answer.Answer{Text: "mine"}})
	}},
	{"Claim", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		made := chat.Claim{ConversationID: a.conversation, AnswerID: a.answer, At: epoch.Add(time.Hour)}
		return nil, s.Claim(ctx, as, a.newKey(), made, epoch) // the one that is there has expired
	}},
	{"CacheAnswer", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CacheAnswer(ctx, as, a.chatbot, "question", answer.CachedAnswer{Text: "mine", At: epoch})
	}},
	{"KeepConversations", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.KeepConversations(ctx, as, epoch, 30)
	}},
	{"SetGrantEnd", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.SetGrantEnd(ctx, as, &epoch)
	}},
	{"SetPlan", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.SetPlan(ctx, as, plan.Premium, plan.Basic)
	}},
	{"SetRole", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetRole(ctx, as, a.user, tenant.RoleMember)
	}},
	{"UpdateChatbot", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.UpdateChatbot(ctx, as, a.chatbot, chatbot.Settings{Name: "mine"})
	}},
	{"UpdateProvider", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		provider := a.newProvider(a.provider)
		provider.Name = "mine"
		return nil, s.UpdateProvider(ctx, as, provider)
	}},
	{"TouchToken", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.TouchToken(ctx, as, a.token, epoch)
	}},
	{"RenameToken", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.RenameToken(ctx, as, a.chatbot, a.token, "Renamed")
	}},
	{"SetExpiry", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetExpiry(ctx, as, a.chatbot, a.token, epoch)
	}},
	{"RenameWorkspace", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.RenameWorkspace(ctx, as, "Renamed")
	}},
	{"RevokeToken", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.RevokeToken(ctx, as, a.chatbot, a.token, epoch)
	}},
	{"MarkReindex", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.MarkReindex(ctx, as, a.chatbot, epoch)
	}},
	{"UpdateDocument", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		document := a.newDocument(a.document)
		document.State, document.Version = knowledge.Ready, 1
		return nil, s.UpdateDocument(ctx, as, knowledge.Indexing, document, false)
	}},
	{"RefreshFound", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.RefreshFound(ctx, as, a.source, epoch)
	}},
	{"DueDocument", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.DueDocument(ctx, as, knowledge.FetchWork, epoch, nil)
	}},
	{"SetIndexed", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetIndexed(ctx, as, a.document, 7)
	}},
	{"DocumentPage", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.DocumentPage(ctx, as, a.chatbot, browse.Filter{}, browse.Slice{Limit: 10})
	}},
	{"CountDocuments", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		counts, err := s.CountDocuments(ctx, as, a.chatbot, browse.Filter{})
		return shownIf(a, len(counts)), err
	}},
	{"SourcePage", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.SourcePage(ctx, as, a.chatbot, browse.Slice{Limit: 10})
	}},
	{"CountSources", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		n, err := s.CountSources(ctx, as, a.chatbot)
		return shownIf(a, n), err
	}},
	{"CountPages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		counts, err := s.CountPages(ctx, as, []string{a.source})
		return shownIf(a, len(counts)), err
	}},
	{"RemovalPage", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.RemovalPage(ctx, as, a.chatbot, browse.Slice{Limit: 10})
	}},
	{"PassagePage", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.PassagePage(ctx, as, a.document, 1, 0, 10)
	}},
	{"AnswersGiven", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.AnswersGiven(ctx, as, a.chatbot, a.document, 10, 10)
	}},
	{"Withdraw", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Withdraw(ctx, as, a.chatbot, []string{a.document}, epoch, epoch)
	}},
	{"Withdrawn", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Withdrawn(ctx, as, a.chatbot, epoch)
	}},
	{"UndoRemoval", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.UndoRemoval(ctx, as, knowledge.Document{ID: a.document, State: knowledge.Ready, Version: 1, Live: 1})
	}},
	{"EndUndo", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		d := a.newDocument("doc_withdrawn")
		err := s.CreateDocument(ctx, as, d)
		_, withdrawn := s.Withdraw(ctx, as, a.chatbot, []string{d.ID}, epoch, epoch)
		return nil, errors.Join(err, withdrawn, s.EndUndo(ctx, as, d.ID, epoch), s.DeleteDocument(ctx, as, d.ID))
	}},
	{"MarkSourceRemoving", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.MarkSourceRemoving(ctx, as, a.source, epoch)
	}},
	{"MarkRemoving", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.MarkRemoving(ctx, as, a.document, epoch.Add(time.Hour))
	}},
	{"PostponeRemoval", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.PostponeRemoval(ctx, as, a.document, 7, epoch)
	}},
	{"ConfirmRemoval", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.ConfirmRemoval(ctx, as, "doc_gone_"+a.id, epoch, 1, []int64{a.answer})
	}},
	{"UpdateSource", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		source := a.newSource(a.source)
		source.State = knowledge.SourceFailed
		return nil, s.UpdateSource(ctx, as, source)
	}},

	// These add to what is named, which is a's: the domain package has looked it up before.
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
		return s.BeginTurn(ctx, as, a.newTurn())
	}},

	{"RatedAnswer", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.RatedAnswer(ctx, as, a.chatbot, a.answered)
	}},
	{"ListedConversations", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		found, _, err := s.ListedConversations(ctx, as, a.chatbot, history.Query{Limit: 10})
		return secretIf(a, slices.ContainsFunc(found, func(c history.Summary) bool { return c.ID == a.rated })), err
	}},
	{"ListedConversation", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		found, err := s.ListedConversation(ctx, as, a.chatbot, a.rated)
		return secretIf(a, found.ID == a.rated), err
	}},
	{"ThreadMessages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.ThreadMessages(ctx, as, a.rated, 0, 10)
	}},
	{"ThreadMessagesAfter", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.ThreadMessagesAfter(ctx, as, a.rated, 0, 10)
	}},
	{"Gaps", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.ofGaps.Gaps(ctx, as, a.chatbot, insight.Open, 10)
	}},
	{"Gap", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Gap(ctx, as, a.chatbot, a.answered)
	}},
	{"CountGaps", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		n, err := s.CountGaps(ctx, as, a.chatbot)
		return secretIf(a, n > 0), err
	}},
	{"Days", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		days, err := s.Days(ctx, as, a.chatbot, "2026-01-01", "2026-12-31")
		return secretIf(a, len(days) > 0), err
	}},
	{"Tops", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Tops(ctx, as, a.chatbot, stats.Topics, []string{"2026-03-01"}, 10)
	}},
	{"SaveFeedback", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		changed := a.newFeedback()
		changed.Comment = "another"
		return nil, s.SaveFeedback(ctx, as, changed)
	}},
	{"DropGap", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.InTx(ctx, func(ctx context.Context) error { return s.DropGap(ctx, as, a.answered, insight.Disliked) })
	}},
	{"AddGap", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.InTx(ctx, func(ctx context.Context) error { return s.AddGap(ctx, as, a.newGap()) })
	}},
	{"AddGaps", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		if as != a.id {
			return nil, s.InTx(ctx, func(ctx context.Context) error { return s.AddGaps(ctx, as, []int64{a.answered}) })
		}
		err := s.InTx(ctx, func(ctx context.Context) error { return s.DropGap(ctx, a.id, a.answered, insight.Disliked) })
		if err != nil {
			return nil, err
		}
		err = s.InTx(ctx, func(ctx context.Context) error { return s.AddGaps(ctx, as, []int64{a.answered}) })
		found, missing := s.Gap(ctx, as, a.chatbot, a.answered)
		return found, errors.Join(err, missing)
	}},
	{"SettleGaps", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		gaps, err := s.ofGaps.Gaps(ctx, a.id, a.chatbot, insight.Open, 10)
		if err != nil {
			return nil, err
		}
		_, err = s.SettleGaps(ctx, as, a.chatbot, []int64{gaps[0].ID}, insight.Answered, a.document, epoch)
		return nil, err
	}},
	{"AddToDay", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.InTx(ctx, func(ctx context.Context) error {
			return s.AddToDay(ctx, as, a.chatbot, stats.Day{Date: "2026-03-01", Questions: 1})
		})
	}},
	{"AddToTally", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.InTx(ctx, func(ctx context.Context) error { return s.AddToTally(ctx, as, a.chatbot, a.newTally(), 10) })
	}},
	{"ForgetMonth", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		return nil, s.InTx(ctx, func(ctx context.Context) error {
			return s.ForgetMonth(ctx, as, a.chatbot, march, march.AddDate(0, 1, 0))
		})
	}},
	{"TestQuestions", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.TestQuestions(ctx, as, a.chatbot)
	}},
	{"TestRuns", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.ofTestRuns.TestRuns(ctx, as, a.chatbot, 10)
	}},
	{"TestResults", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.TestResults(ctx, as, a.run)
	}},
	{"CreateTestQuestion", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CreateTestQuestion(ctx, as, a.newQuestion("tq_more_"+as))
	}},
	{"CreateTestRun", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CreateTestRun(ctx, as, a.newRun("tr_more_"+as))
	}},
	{"UpdateTestRun", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		run := a.newRun(a.run)
		run.Passed = 7
		return nil, s.UpdateTestRun(ctx, as, run)
	}},
	{"AddTestResult", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.AddTestResult(ctx, as, a.newResult())
	}},
	{"TrimTestRuns", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.TrimTestRuns(ctx, as, a.chatbot, 1)
	}},
	{"DeleteTestQuestion", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteTestQuestion(ctx, as, a.chatbot, a.question)
	}},
	{"DeleteConversation", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteConversation(ctx, as, a.chatbot, a.rated)
	}},

	{"DeleteOldConversations", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.DeleteOldConversations(ctx, as, time.Time{}, epoch.Add(time.Hour), 10)
	}},
	{"DeletePassages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeletePassages(ctx, as, a.document, 9)
	}},
	{"DeleteUpload", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteUpload(ctx, as, a.document)
	}},
	{"DeleteSource", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteSource(ctx, as, a.source)
	}},
	{"DeleteDocument", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteDocument(ctx, as, a.document)
	}},
	{"DeleteProvider", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteProvider(ctx, as, a.provider)
	}},
	{"DeleteInvitation", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteInvitation(ctx, as, a.invitation)
	}},
	{"RemoveMember", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.RemoveMember(ctx, as, a.user)
	}},
	{"DeleteChatbot", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteChatbot(ctx, as, a.chatbot)
	}},
	{"DeleteWorkspace", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.DeleteWorkspace(ctx, as)
	}},
}

// secretIf is the secret if something was seen that does not name it.
func secretIf(a tenancy, seen bool) string {
	if seen {
		return a.secret
	}
	return ""
}

func TestEveryMethodKeepsWorkspacesApart(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		b.must(b.CreateWorkspace(b.Context(), tenant.Workspace{ID: "ws_b", Name: "b", Plan: plan.Starter, CreatedAt: epoch}))
		b.must(b.CreateUser(b.Context(), account.User{ID: "usr_c", Email: "c@example.com", CreatedAt: epoch}))

		b.Run("as another workspace", func(t *testing.T) {
			before := b.rows(a.id)
			for _, m := range workspaceMethods {
				got, err := m.call(t.Context(), b.everything, "ws_b", a)
				if shown := fmt.Sprintf("%+v", got); err == nil && strings.Contains(shown, a.secret) {
					t.Errorf("%s sees %s", m.method, shown)
				}
				if after := b.rows(a.id); after != before {
					t.Fatalf("%s changed\n%s\nto\n%s", m.method, before, after)
				}
			}
		})

		// Otherwise a row above could name what nobody has.
		b.Run("as the workspace itself", func(t *testing.T) {
			b.must(b.wipe("ws_b"))
			for _, m := range workspaceMethods {
				before := b.rows(a.id)
				got, err := m.call(t.Context(), b.everything, a.id, a)
				if err != nil {
					t.Errorf("%s: %v", m.method, err)
				}
				if shown := fmt.Sprintf("%+v", got); !strings.Contains(shown, a.secret) && b.rows(a.id) == before {
					t.Errorf("%s neither shows nor changes anything: %s", m.method, shown)
				}
			}
		})
	})
}

// wipe takes away what the first half of the test has added.
func (b *bundle) wipe(workspaceID string) error {
	return b.InTx(b.Context(), func(ctx context.Context) error {
		for _, table := range []string{
			"receipts", "idempotency_keys", "cached_answers", "providers",
			"test_results", "test_runs", "test_questions", "feedbacks", "gaps", "daily_stats", "daily_counts", "messages", "conversations", "passages", "uploads", "documents", "sources", "removals", "embeddings",
			"tokens", "chatbots", "invitations", "members", "subscriptions", "audit_entries", "mails", "usages", "reversals",
			"message_holds", "request_minutes",
		} {
			if _, err := b.raw(ctx).ExecContext(ctx, "DELETE FROM "+table+" WHERE workspace_id = '"+workspaceID+"'"); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestEveryMethodIsInOneList(t *testing.T) {
	takes := takingWorkspace(t)
	listed := map[string]bool{}
	for _, m := range workspaceMethods {
		listed[m.method] = true
	}
	store := reflect.TypeFor[*everything]()
	for i := range store.NumMethod() {
		name := store.Method(i).Name
		switch {
		case listed[name] == acrossWorkspaces[name]:
			t.Errorf("%s must be in one of workspaceMethods and acrossWorkspaces", name)
		case listed[name] != takes[name]:
			t.Errorf("%s: whether it is in workspaceMethods (%v) must say whether it takes a workspaceID (%v)", name, listed[name], takes[name])
		}
	}
}

// takingWorkspace reads, from the source, which methods have workspaceID as
// the parameter after the context.
func takingWorkspace(t *testing.T) map[string]bool {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	takes := map[string]bool{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range file.Decls {
			if method, is := declared.(*ast.FuncDecl); is && method.Recv != nil {
				takes[method.Name.Name] = takes[method.Name.Name] || secondIsWorkspace(method.Type.Params.List)
			}
		}
	}
	return takes
}

func secondIsWorkspace(params []*ast.Field) bool {
	return len(params) > 1 && len(params[1].Names) > 0 && params[1].Names[0].Name == "workspaceID"
}
