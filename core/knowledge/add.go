package knowledge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/fault"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/internal/plain"
)

// Documents is what owners do with the documents of their chatbots.
type Documents struct {
	workspaces *workspaces
	documents  DocumentStore
	uploads    UploadStore
	originals  originals
	removals   *Removals
	worker     *Worker
	now        func() time.Time
	random     io.Reader
	log        *slog.Logger
}

// NewDocument is what a person gives to add a document: a text, or a file.
type NewDocument struct {
	// Title may be empty for a file, which may have its own.
	Title string
	// Kind is Markdown when empty; for a file it is found out.
	Kind    Kind
	Content string
	File    *Upload
	// ExternalID is the name that a program gives it, or empty. The document
	// that has it is replaced.
	ExternalID string
}

const (
	// MaxContent is the largest content of one document, in bytes.
	MaxContent = 5 << 20
	// MaxUpload is the largest file, in bytes.
	MaxUpload = 20 << 20
	// DocumentBytes is what a document counts beside its file and text, so that
	// many small ones cannot fill a disk.
	DocumentBytes = 1 << 10
	maxTitle      = 200
	// maxPlaces is how many pages, sheets or slides a document has at most.
	maxPlaces = 10_000
	maxName   = 255
	// soon is the size, in bytes, up to which a text is indexed while its
	// owner waits.
	soon = 256 << 10
)

// Add stores a document and has it indexed. A short text is ready when Add
// returns; all else becomes so by itself. What the chatbot has already, under
// the same title, is not added again: the document that is there is returned.
func (s *Documents) Add(ctx context.Context, workspaceID, chatbotID string, request NewDocument) (Document, error) {
	document, _, err := s.Put(ctx, workspaceID, chatbotID, request)
	return document, err
}

// Put is Add, and says what became of the document. One with an external ID
// takes the place of the document that has it: see replace.
func (s *Documents) Put(ctx context.Context, workspaceID, chatbotID string, request NewDocument) (Document, Result, error) {
	request, err := checkDocument(request)
	if err != nil {
		return Document{}, "", err
	}
	now := s.now()
	document := Document{
		ID: id.New(s.random, "doc"), WorkspaceID: workspaceID, ChatbotID: chatbotID, ExternalID: request.ExternalID, Title: request.Title,
		Kind: request.Kind, State: Pending, InputHash: inputHash(request), DueAt: &now, UpdatedAt: now, CreatedAt: now,
	}
	if request.File == nil {
		document.Content, document.Chars = request.Content, utf8.RuneCountInString(request.Content)
	}
	waits := request.File == nil && len(request.Content) <= soon
	if waits {
		later := now.Add(whileWaited) // nobody else takes it until then
		document.DueAt, document.Begun = &later, 1
	}
	stored, err := s.insert(ctx, document, request.File)
	if err != nil || !stored.begun || !waits {
		return stored.Document, stored.result, err
	}
	// It is stored: what goes wrong from here on is tried again.
	ctx, cancel := context.WithTimeout(ctx, whileWaited)
	defer cancel()
	s.worker.begun.enter(stored.ID, 0)
	defer s.worker.begun.leave(stored.ID)
	if ready, err := s.worker.advance(ctx, stored.Document, s.worker.process); err == nil {
		return ready, stored.result, nil
	}
	return stored.Document, stored.result, nil
}

// insert stores a document, unless the equal one is there, or one to replace.
func (s *Documents) insert(ctx context.Context, document Document, file *Upload) (stored putResult, err error) {
	err = s.workspaces.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.workspaces.lock(ctx, document.WorkspaceID)
		if err != nil {
			return err
		}
		if err := s.workspaces.writable(ctx, document.WorkspaceID, document.ChatbotID); err != nil {
			return err
		}
		if document.ExternalID != "" {
			stored, err = s.replace(ctx, workspace, document, file)
		} else {
			stored, err = s.putAgain(ctx, workspace, document, file)
		}
		if err == nil {
			return s.recordPut(ctx, stored)
		}
		if !fault.Is(err, fault.NotFound) {
			return err
		}
		if err := s.workspaces.admit(ctx, workspace, document.Chars, Stored(1, len(document.Content)+sizeOf(file))); err != nil {
			return err
		}
		if err := createNamed(ctx, s.documents, document); err != nil {
			return err
		}
		stored = putResult{document, Created, true}
		return errors.Join(s.begin(ctx, document, file), s.recordPut(ctx, stored))
	})
	if err == nil {
		noteStored(ctx, stored)
	}
	return stored, err
}

// begin stores the file of a document, if it has one, and has the document worked
// on unless that is left to somebody.
func (s *Documents) begin(ctx context.Context, document Document, file *Upload) error {
	if file != nil {
		if err := s.uploads.CreateUpload(ctx, document.WorkspaceID, document.ID, *file); err != nil {
			return err
		}
	}
	if document.DueAt.After(document.UpdatedAt) {
		return nil
	}
	return s.workspaces.enqueue(ctx, document.WorkspaceID, ExtractWork)
}

// putAgain finds the equal document that the chatbot has. If its file has been deleted it
// gets the given one, and is read.
func (s *Documents) putAgain(ctx context.Context, workspace tenant.Workspace, document Document, file *Upload) (putResult, error) {
	known, err := s.documents.DocumentByInput(ctx, document.WorkspaceID, document.ChatbotID, document.InputHash)
	if err != nil {
		return putResult{}, err
	}
	if file == nil || known.State != Failed {
		return putResult{Document: known, result: Unchanged}, nil
	}
	lost, err := s.lacksFile(ctx, known)
	if err != nil || !lost {
		return putResult{Document: known, result: Unchanged}, err
	}
	return s.readAgain(ctx, workspace, known, file)
}

// textKinds are the kinds of files whose bytes are text as it stands, by the end of
// a file's name.
var textKinds = map[string]Kind{".md": Markdown, ".markdown": Markdown, ".txt": Text}

// TextKind returns the kind of a file whose bytes are text as it stands, and false
// for every other file.
func TextKind(fileName string) (Kind, bool) {
	kind, ok := textKinds[strings.ToLower(path.Ext(fileName))]
	return kind, ok
}

// OfFile is the document of a file. A file of text, which has no title of its own,
// is titled by its name.
func OfFile(file Upload) NewDocument {
	document := NewDocument{File: &file}
	if kind, ok := TextKind(file.Name); ok {
		document.Kind, document.Title = kind, plain.Shorten(strings.TrimSuffix(file.Name, path.Ext(file.Name)), maxTitle)
	}
	return document
}

// checkDocument returns the request in its stored form, or why it is refused.
func checkDocument(request NewDocument) (NewDocument, error) {
	if !plain.Storable(request.Title) {
		return request, fault.InField("title", "The title has characters that cannot be stored. Use plain text.")
	}
	request.Title = plain.Title(request.Title)
	if request.File != nil {
		return checkFile(request)
	}
	if request.Kind == "" {
		request.Kind = Markdown
	}
	switch {
	case request.Kind != Markdown && request.Kind != Text && request.Kind != Pairs:
		return request, fault.InField("kind", "kind must be markdown, text or pairs. Send other kinds as a file.")
	case request.Title == "":
		return request, fault.InField("title", "Enter a title.")
	case strings.TrimSpace(request.Content) == "":
		return request, fault.InField("content", "The document has no text.")
	case len(request.Content) > MaxContent:
		return request, &fault.Error{Kind: fault.TooLarge, Field: "content", Message: "The document is larger than 5 MiB. Split it."}
	case !plain.Storable(request.Content):
		return request, fault.InField("content", "The document is not valid UTF-8 text. Save it as UTF-8.")
	}
	if request.Kind == Pairs { // they are read as a file of them is
		request.File, request.Content = &Upload{Body: []byte(request.Content)}, ""
	}
	return request, checkTitle(request.Title)
}

func checkFile(request NewDocument) (NewDocument, error) {
	file := request.File
	file.Name, file.ContentType = plain.Shorten(plain.Title(file.Name), maxName), fitting(file.ContentType, maxName)
	switch {
	case request.Kind != "" && !slices.Contains(fileKinds, request.Kind):
		return request, fault.InField("kind", "kind must be one of %s, or be left out.", strings.Join(names(fileKinds), ", "))
	case strings.TrimSpace(request.Content) != "":
		return request, fault.InField("file", "Give the text or a file, not both.")
	case len(file.Body) == 0:
		return request, fault.InField("file", "The file is empty.")
	case len(file.Body) > MaxUpload:
		return request, &fault.Error{Kind: fault.TooLarge, Field: "file", Message: "The file is larger than 20 MB. Split it."}
	}
	if request.Title == "" {
		// Until the file's own title is known.
		request.Title = plain.Shorten(file.Name, maxTitle)
	}
	if request.Title == "" {
		return request, fault.InField("title", "Enter a title.")
	}
	return request, checkTitle(request.Title)
}

var fileKinds = []Kind{Markdown, Text, HTML, PDF, DOCX, PPTX, XLSX, CSV, EPUB, Pairs}

func names(kinds []Kind) []string {
	texts := make([]string, len(kinds))
	for i, kind := range kinds {
		texts[i] = string(kind)
	}
	return texts
}

// TitleOf is the title of a text that comes with none: its first Markdown
// heading that is short enough, or the name of its file, whose folders are separated by slashes.
func TitleOf(name, text string) string {
	for line := range strings.Lines(text) {
		title, ok := strings.CutPrefix(line, "# ")
		if title = strings.TrimSpace(title); ok && title != "" && utf8.RuneCountInString(title) <= maxTitle {
			return title
		}
	}
	return strings.TrimSuffix(path.Base(name), path.Ext(name))
}

func checkTitle(title string) error {
	if utf8.RuneCountInString(title) > maxTitle {
		return fault.InField("title", "The title is longer than %d characters. Shorten it.", maxTitle)
	}
	return nil
}

func inputHash(request NewDocument) string {
	parts := []string{string(request.Kind), request.Title, request.Content}
	if request.File != nil {
		parts[2] = string(request.File.Body)
	}
	if request.ExternalID != "" {
		parts = append(parts, request.ExternalID)
	}
	return hash(parts...)
}

// hash is the SHA-256 of parts, in hex.
func hash(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

func sizeOf(file *Upload) int {
	if file == nil {
		return 0
	}
	return len(file.Body)
}

// Result says what a put did to the document.
type Result string

// The results.
const (
	// Created is a new document.
	Created Result = "created"
	// Replaced is a document that gets another content. Answers use the old one until
	// the new one is ready.
	Replaced Result = "replaced"
	// Unchanged is a document that has this content already.
	Unchanged Result = "unchanged"
	// ReadAgain is a document that has this content, and is read once more: it has an
	// address, or had failed.
	ReadAgain Result = "read_again"
)

// putResult is the document that a put stored.
type putResult struct {
	Document
	result Result
	// begun says that nobody works on the document yet.
	begun bool
}

// createNamed stores a document. One that is being removed and has its external ID
// loses that.
func createNamed(ctx context.Context, documents DocumentStore, document Document) error {
	if document.ExternalID != "" {
		if err := documents.ReleaseExternalID(ctx, document.WorkspaceID, document.ChatbotID, document.ExternalID); err != nil {
			return err
		}
	}
	return documents.CreateDocument(ctx, document.WorkspaceID, document)
}
