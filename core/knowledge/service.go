package knowledge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
)

// Store is the port to the database. A missing row is a NotFound fault.
type Store interface {
	InTx(ctx context.Context, fn func(context.Context) error) error
	LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
	Plan(ctx context.Context, name plan.Name) (plan.Plan, error)
	Chatbot(ctx context.Context, workspaceID, chatbotID string) (chatbot.Chatbot, error)

	// CreateDocument adds a document and its passages.
	CreateDocument(ctx context.Context, workspaceID string, document Document, passages []Passage) error
	Document(ctx context.Context, workspaceID, chatbotID, documentID string) (Document, error)
	// Documents leaves the contents out.
	Documents(ctx context.Context, workspaceID, chatbotID string) ([]Document, error)
	// DocumentByHash finds a document that is not being removed.
	DocumentByHash(ctx context.Context, workspaceID, chatbotID, contentHash string) (Document, error)
	SetDocumentState(ctx context.Context, workspaceID, documentID string, state State, reason string) error
	DeleteDocument(ctx context.Context, workspaceID, documentID string) error
	// UnsettledDocuments returns pending and removing documents of every
	// workspace that were created before the given time, without contents.
	UnsettledDocuments(ctx context.Context, before time.Time) ([]Document, error)
	// AllDocuments returns the documents of every workspace without contents.
	AllDocuments(ctx context.Context) ([]Document, error)
	// KnowledgeChars is the length of all documents of a workspace.
	KnowledgeChars(ctx context.Context, workspaceID string) (int, error)
	// Passages returns a document's passages in order.
	Passages(ctx context.Context, workspaceID, documentID string) ([]Passage, error)
	// ReplacePassages gives a document new passages.
	ReplacePassages(ctx context.Context, workspaceID string, document Document, passages []Passage) error
	// ReadyPassages returns those of the passages that belong to the chatbot
	// and to a ready document, in any order.
	ReadyPassages(ctx context.Context, workspaceID, chatbotID string, ids []int64) ([]Passage, error)
}

// Service is the room: documents in, passages out.
type Service struct {
	store  Store
	index  Index
	now    func() time.Time
	random io.Reader
	log    *slog.Logger
}

// New returns the room over a store and an index.
func New(store Store, index Index, now func() time.Time, random io.Reader, log *slog.Logger) *Service {
	return &Service{store: store, index: index, now: now, random: random, log: log}
}

// NewDocument is what a person gives to add a document.
type NewDocument struct {
	Title string
	// Kind is Markdown when empty.
	Kind    Kind
	Content string
}

// MaxContent is the largest content of one document, in bytes.
const MaxContent = 5 << 20

const maxTitle = 200

// Add stores a document and indexes it. When it returns, questions find it.
// Content that the chatbot has already, under the same title, is not added
// again: the document that is there is returned.
//
// A failure of the index leaves the document pending, and it is indexed later.
func (s *Service) Add(ctx context.Context, workspaceID, chatbotID string, request NewDocument) (Document, error) {
	request, err := checkDocument(request)
	if err != nil {
		return Document{}, err
	}
	document := Document{
		ID: id.New(s.random, "doc"), WorkspaceID: workspaceID, ChatbotID: chatbotID,
		Title: request.Title, Kind: request.Kind, Content: request.Content, ContentHash: contentHash(request),
		Chars: utf8.RuneCountInString(request.Content), State: Pending, CreatedAt: s.now(),
	}
	passages := Split(document)
	document.Passages = len(passages)
	known, err := s.insert(ctx, document, passages)
	if err != nil {
		return Document{}, err
	}
	if known.ID != document.ID && known.State != Pending {
		return known, nil
	}
	return s.settle(ctx, known)
}

// insert stores a document and returns it, or the equal one that is there.
func (s *Service) insert(ctx context.Context, document Document, passages []Passage) (Document, error) {
	stored := document
	err := s.store.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.store.LockWorkspace(ctx, document.WorkspaceID)
		if err != nil {
			return err
		}
		if _, err := s.store.Chatbot(ctx, document.WorkspaceID, document.ChatbotID); err != nil {
			return err
		}
		known, err := s.store.DocumentByHash(ctx, document.WorkspaceID, document.ChatbotID, document.ContentHash)
		if err == nil {
			stored = known
			return nil
		}
		if !fault.Is(err, fault.NotFound) {
			return err
		}
		if err := s.admit(ctx, workspace, document.Chars); err != nil {
			return err
		}
		return s.store.CreateDocument(ctx, document.WorkspaceID, document, passages)
	})
	return stored, err
}

func (s *Service) admit(ctx context.Context, workspace tenant.Workspace, chars int) error {
	p, err := s.store.Plan(ctx, workspace.Plan)
	if err != nil {
		return err
	}
	used, err := s.store.KnowledgeChars(ctx, workspace.ID)
	if err != nil {
		return err
	}
	return p.Admit(plan.KnowledgeChars, used+chars)
}

// Get returns a document with its content.
func (s *Service) Get(ctx context.Context, workspaceID, chatbotID, documentID string) (Document, error) {
	return s.store.Document(ctx, workspaceID, chatbotID, documentID)
}

// List returns a chatbot's documents without their contents, oldest first.
func (s *Service) List(ctx context.Context, workspaceID, chatbotID string) ([]Document, error) {
	if _, err := s.store.Chatbot(ctx, workspaceID, chatbotID); err != nil {
		return nil, err
	}
	return s.store.Documents(ctx, workspaceID, chatbotID)
}

// Remove takes a document out of every answer, and then out of the index and
// the database. If the index fails the document stays removing, out of every
// answer, and is tried again later.
func (s *Service) Remove(ctx context.Context, workspaceID, chatbotID, documentID string) error {
	var document Document
	err := s.store.InTx(ctx, func(ctx context.Context) (err error) {
		if document, err = s.store.Document(ctx, workspaceID, chatbotID, documentID); err != nil {
			return err
		}
		return s.store.SetDocumentState(ctx, workspaceID, documentID, Removing, "")
	})
	if err != nil {
		return err
	}
	document.State = Removing
	_, err = s.settle(ctx, document)
	return err
}

// Reindex splits and indexes every document of a chatbot again, and returns
// how many there were. The text comes from the database.
func (s *Service) Reindex(ctx context.Context, workspaceID, chatbotID string) (int, error) {
	documents, err := s.List(ctx, workspaceID, chatbotID)
	if err != nil {
		return 0, err
	}
	if err := s.index.Drop(ctx, Scope{workspaceID, chatbotID}); err != nil {
		return 0, err
	}
	for _, listed := range documents {
		if err := s.reindex(ctx, listed); err != nil && !fault.Is(err, fault.NotFound) {
			return 0, err
		}
	}
	return len(documents), nil
}

func (s *Service) reindex(ctx context.Context, listed Document) error {
	document, err := s.store.Document(ctx, listed.WorkspaceID, listed.ChatbotID, listed.ID)
	if err != nil {
		return err
	}
	if document.State == Removing {
		return nil
	}
	passages := Split(document)
	document.Passages, document.State = len(passages), Pending
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		return s.store.ReplacePassages(ctx, document.WorkspaceID, document, passages)
	})
	if err != nil {
		return err
	}
	_, err = s.settle(ctx, document)
	return err
}

// Resume settles the documents that a crash or a failing index left behind.
func (s *Service) Resume(ctx context.Context, olderThan time.Duration) error {
	documents, err := s.store.UnsettledDocuments(ctx, s.now().Add(-olderThan))
	if err != nil {
		return err
	}
	for _, document := range documents {
		if _, err := s.settle(ctx, document); err != nil {
			s.log.Warn("document not settled", "document_id", document.ID, "state", document.State, "error", err)
		}
	}
	return nil
}

// Repair makes the index hold what the database says: a lost, old or damaged
// index is filled again from the stored passages. It returns how many
// documents it had to bring back.
func (s *Service) Repair(ctx context.Context) (int, error) {
	documents, err := s.store.AllDocuments(ctx)
	if err != nil {
		return 0, err
	}
	repaired := 0
	for _, document := range documents {
		if document.State == Ready {
			held, err := s.index.Count(ctx, Scope{document.WorkspaceID, document.ChatbotID}, document.ID)
			if err != nil {
				return repaired, err
			}
			if held == document.Passages {
				continue
			}
		}
		if _, err := s.settle(ctx, document); err != nil && !fault.Is(err, fault.NotFound) {
			return repaired, err
		}
		repaired++
	}
	return repaired, nil
}

// settle brings a pending document into the index, or a removing one out of it.
func (s *Service) settle(ctx context.Context, document Document) (Document, error) {
	scope := Scope{document.WorkspaceID, document.ChatbotID}
	if document.State == Removing {
		if err := s.index.Remove(ctx, scope, document.ID); err != nil {
			return document, err
		}
		return document, s.store.InTx(ctx, func(ctx context.Context) error {
			return s.store.DeleteDocument(ctx, document.WorkspaceID, document.ID)
		})
	}
	passages, err := s.store.Passages(ctx, document.WorkspaceID, document.ID)
	if err != nil {
		return document, err
	}
	if err := s.index.Replace(ctx, scope, document.ID, passages); err != nil {
		return document, err
	}
	document.State = Ready
	return document, s.store.InTx(ctx, func(ctx context.Context) error {
		return s.store.SetDocumentState(ctx, document.WorkspaceID, document.ID, Ready, "")
	})
}

// Forget takes all that a chatbot knows out of the index.
func (s *Service) Forget(ctx context.Context, workspaceID, chatbotID string) error {
	return s.index.Drop(ctx, Scope{workspaceID, chatbotID})
}

// Search returns the passages that answer a query, best first. What the index
// finds is looked up in the database, so that a removed document is gone at
// once, whatever the index still holds.
func (s *Service) Search(ctx context.Context, scope Scope, query Query) ([]Found, error) {
	hits, err := s.index.Search(ctx, scope, query)
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	ids := make([]int64, len(hits))
	for i, hit := range hits {
		ids[i] = hit.PassageID
	}
	passages, err := s.store.ReadyPassages(ctx, scope.WorkspaceID, scope.ChatbotID, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]Passage, len(passages))
	for _, p := range passages {
		byID[p.ID] = p
	}
	found := make([]Found, 0, len(hits))
	for _, hit := range hits {
		if p, ok := byID[hit.PassageID]; ok {
			found = append(found, Found{Passage: p, Score: hit.Score})
		}
	}
	return found, nil
}

// Check reports whether the index can be used just now.
func (s *Service) Check(ctx context.Context) error { return s.index.Check(ctx) }

func checkDocument(request NewDocument) (NewDocument, error) {
	request.Title = strings.TrimSpace(request.Title)
	if request.Kind == "" {
		request.Kind = Markdown
	}
	switch {
	case request.Kind != Markdown && request.Kind != Text:
		return request, fault.InField("kind", "kind must be markdown or text.")
	case request.Title == "":
		return request, fault.InField("title", "Give a title.")
	case !storable(request.Title) || strings.ContainsAny(request.Title, "\n\r\t"):
		return request, fault.InField("title", "The title has characters that cannot be shown. Use one line of plain text.")
	case utf8.RuneCountInString(request.Title) > maxTitle:
		return request, fault.InField("title", "The title is longer than %d characters. Shorten it.", maxTitle)
	case strings.TrimSpace(request.Content) == "":
		return request, fault.InField("content", "The document has no text.")
	case len(request.Content) > MaxContent:
		return request, &fault.Error{Kind: fault.TooLarge, Field: "content", Message: "The document is larger than 5 MiB. Split it."}
	case !storable(request.Content):
		return request, fault.InField("content", "The document is not valid UTF-8 text. Save it as UTF-8.")
	}
	return request, nil
}

func storable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

func contentHash(request NewDocument) string {
	h := sha256.New()
	for _, part := range []string{string(request.Kind), request.Title, request.Content} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}
