package knowledge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	worker     *Worker
	removals   *Removals
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
	maxName       = 255
	// soon is the size, in bytes, up to which a text is indexed while its
	// owner waits.
	soon = 256 << 10
)

// Add stores a document and has it indexed. A short text is ready when Add
// returns; all else becomes so by itself. What the chatbot has already, under
// the same title, is not added again: the document that is there is returned.
func (s *Documents) Add(ctx context.Context, workspaceID, chatbotID string, request NewDocument) (Document, error) {
	request, err := checkDocument(request)
	if err != nil {
		return Document{}, err
	}
	now := s.now()
	document := Document{
		ID: id.New(s.random, "doc"), WorkspaceID: workspaceID, ChatbotID: chatbotID, Title: request.Title,
		Kind: request.Kind, State: Pending, InputHash: inputHash(request), DueAt: &now, UpdatedAt: now, CreatedAt: now,
	}
	if request.File == nil {
		document.Content, document.Chars = request.Content, utf8.RuneCountInString(request.Content)
	}
	waits := request.File == nil && len(request.Content) <= soon
	if waits {
		later := now.Add(whileWaited) // nobody else takes it until then
		document.DueAt = &later
	}
	stored, err := s.insert(ctx, document, request.File)
	if err != nil || stored.ID != document.ID || !waits {
		return stored, err
	}
	// It is stored: what goes wrong from here on is tried again.
	ctx, cancel := context.WithTimeout(ctx, whileWaited)
	defer cancel()
	if ready, err := s.worker.advance(ctx, stored, s.worker.process); err == nil {
		return ready, nil
	}
	return stored, nil
}

// insert stores a document and returns it, or the equal one that is there.
func (s *Documents) insert(ctx context.Context, document Document, file *Upload) (Document, error) {
	stored := document
	err := s.workspaces.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.workspaces.lock(ctx, document.WorkspaceID)
		if err != nil {
			return err
		}
		if err := s.workspaces.writable(ctx, document.WorkspaceID, document.ChatbotID); err != nil {
			return err
		}
		known, err := s.documents.DocumentByInput(ctx, document.WorkspaceID, document.ChatbotID, document.InputHash)
		if err == nil {
			stored, err = s.giveAgain(ctx, workspace, known, file)
			return err
		}
		if !fault.Is(err, fault.NotFound) {
			return err
		}
		if err := s.workspaces.admit(ctx, workspace, document.Chars, DocumentBytes+len(document.Content)+sizeOf(file)); err != nil {
			return err
		}
		if err := s.documents.CreateDocument(ctx, document.WorkspaceID, document); err != nil {
			return err
		}
		if file != nil {
			if err := s.uploads.CreateUpload(ctx, document.WorkspaceID, document.ID, *file); err != nil {
				return err
			}
		}
		if document.DueAt.After(document.CreatedAt) {
			return nil
		}
		return s.workspaces.enqueue(ctx, document.WorkspaceID, ExtractWork)
	})
	return stored, err
}

// giveAgain gives a file to the equal document that is there, if its own has
// been deleted, and has it read.
func (s *Documents) giveAgain(ctx context.Context, workspace tenant.Workspace, known Document, file *Upload) (Document, error) {
	if file == nil || known.State != Failed {
		return known, nil
	}
	lost, err := s.lacksFile(ctx, known)
	if err != nil || !lost {
		return known, err
	}
	if err := s.workspaces.admit(ctx, workspace, 0, len(file.Body)); err != nil {
		return known, err
	}
	if err := s.uploads.CreateUpload(ctx, known.WorkspaceID, known.ID, *file); err != nil {
		return known, err
	}
	now := s.now()
	next := known
	next.State, next.Reason, next.Attempts, next.DueAt, next.UpdatedAt = Pending, "", 0, &now, now
	if err := s.documents.UpdateDocument(ctx, known.WorkspaceID, known.State, next, false); err != nil {
		return known, err
	}
	return next, s.workspaces.enqueue(ctx, known.WorkspaceID, ExtractWork)
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
		return request, fault.InField("title", "Give a title.")
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
		return request, &fault.Error{Kind: fault.TooLarge, Field: "file", Message: "The file is larger than 20 MiB. Split it."}
	}
	if request.Title == "" {
		// Until the file's own title is known.
		request.Title = plain.Shorten(file.Name, maxTitle)
	}
	if request.Title == "" {
		return request, fault.InField("title", "Give a title.")
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
// heading, or the name of its file, whose folders are separated by slashes.
func TitleOf(name, text string) string {
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(title)
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
	content := request.Content
	if request.File != nil {
		content = string(request.File.Body)
	}
	return hash(string(request.Kind), request.Title, content)
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
