package parley

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"
)

// Text is a text for a chatbot to answer from.
type Text struct {
	// Content has up to 5 MiB.
	Content string `json:"content"`
	// Title is one line. Without it the document gets the first heading of the text, or its first
	// words.
	Title string `json:"title,omitempty"`
	// Kind is "markdown" if it is empty, "text", or "pairs": questions with their answers, as CSV
	// with the columns question and answer, or as JSON objects with these names.
	Kind string `json:"kind,omitempty"`
	// ExternalID is your own name for the document, unique for the chatbot. The document that has
	// it is replaced.
	ExternalID string `json:"external_id,omitempty"`
}

// File is a file for a chatbot to answer from: Markdown, text, HTML, PDF, DOCX, PPTX, XLSX, CSV,
// EPUB or pairs.
type File struct {
	Name string
	// Content has up to 20 MiB.
	Content []byte
	// Title is one line. Without it the document gets the title inside the file, or its name.
	Title string
	// Kind is such as "pdf". Without it the server detects the type.
	Kind string
	// ExternalID works as it does in a [Text].
	ExternalID string
}

// Page is a page of the web for a chatbot to answer from.
type Page struct {
	URL string `json:"url"`
	// ExternalID works as it does in a [Text].
	ExternalID string `json:"external_id,omitempty"`
}

// State is where a document is on its way into answers. Later versions may add some.
type State string

// The states. StateReady and StateFailed are the end.
const (
	StatePending    State = "pending"
	StateFetching   State = "fetching"
	StateExtracting State = "extracting"
	StateIndexing   State = "indexing"
	StateReady      State = "ready"
	StateFailed     State = "failed"
	StateRemoving   State = "removing"
)

// Document is something that a chatbot answers from.
type Document struct {
	ID string `json:"id"`
	// ExternalID is the name that you gave it, or empty.
	ExternalID string `json:"external_id"`
	// URL is the address of a page, and SourceID names the web address that it belongs to.
	URL      string `json:"url"`
	SourceID string `json:"source_id"`
	Title    string `json:"title"`
	Kind     string `json:"kind"`
	State    State  `json:"state"`
	// Reason says why it failed, and what you can do.
	Reason string `json:"reason"`
	Chars  int    `json:"chars"`
	// Passages is how many it has, and Indexed how many of them are prepared.
	Passages int `json:"passages"`
	Indexed  int `json:"indexed"`
	// Attempts counts failures in a row. NextAttemptAt is when the server tries again, or zero.
	Attempts      int       `json:"attempts"`
	NextAttemptAt time.Time `json:"next_attempt_at"`
	// Answered says whether answers use it, if only in its previous version.
	Answered bool `json:"answered"`
	// Notes say what of its file or page was not read, so that answers don't use it.
	Notes []Note `json:"notes"`
	// Original is "kept" if its file is kept as it was uploaded, and "no_room" if the plan's storage had
	// no room for it.
	Original string `json:"original"`
	// ReaderOutdated says that an older version of the server read its file or page.
	ReaderOutdated bool      `json:"reader_outdated"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
	// Result says what became of a document that was added: "created", "replaced", "unchanged" or
	// "read_again". It is "unchanged" too when the client had to send it again because the first
	// answer was lost.
	Result string `json:"result"`
}

// Note says how many things of a kind were not read: 3 of the kind "chart", say. Later versions of the
// server may have other kinds.
type Note struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// DocumentError is that a document could not be read.
type DocumentError struct{ Document Document }

// Error says why.
func (e *DocumentError) Error() string {
	return fmt.Sprintf("parley: the document %q failed: %s", e.Document.Title, e.Document.Reason)
}

// DocumentFilter chooses documents. The zero filter chooses all.
type DocumentFilter struct {
	ExternalID string
	State      State
}

// Removal is the receipt of a document that was removed.
type Removal struct {
	ID         string `json:"id"`
	DocumentID string `json:"document_id"`
	Title      string `json:"title"`
	URL        string `json:"url"`
	// ContentHash is the SHA-256 of its text; empty when it had none.
	ContentHash string    `json:"content_hash"`
	Passages    int       `json:"passages"`
	RequestedAt time.Time `json:"requested_at"`
	// ConfirmedAt is when the index confirmed that it holds nothing of the document any more. While
	// it is zero, get the receipt again with [Client.Removal].
	ConfirmedAt time.Time `json:"confirmed_at"`
	// Answers is how many answers had been given the document, and MessageIDs the first 1,000.
	Answers    int  `json:"answers"`
	MessageIDs []ID `json:"message_ids"`
}

// AddText adds a text, or replaces the one with its ExternalID. Without an ExternalID, what the
// chatbot has already is not added again. Questions find a text of up to 256 KiB at once; for
// others see [Client.WaitUntilReady]. The token needs the scope knowledge:write.
func (c *Client) AddText(ctx context.Context, text Text) (Document, error) { return c.add(ctx, text) }

// AddPage adds a page of the web, as [Client.AddText] does. One that is there already is read
// again.
func (c *Client) AddPage(ctx context.Context, page Page) (Document, error) { return c.add(ctx, page) }

// AddFile adds a file, as [Client.AddText] does.
func (c *Client) AddFile(ctx context.Context, file File) (Document, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, field := range [][2]string{{"title", file.Title}, {"kind", file.Kind}, {"external_id", file.ExternalID}} {
		if field[1] == "" {
			continue
		}
		if err := form.WriteField(field[0], field[1]); err != nil {
			return Document{}, fmt.Errorf("parley: %w", err)
		}
	}
	part, err := form.CreateFormFile("file", file.Name)
	if err != nil {
		return Document{}, fmt.Errorf("parley: %w", err)
	}
	if _, err := part.Write(file.Content); err != nil {
		return Document{}, fmt.Errorf("parley: %w", err)
	}
	if err := form.Close(); err != nil {
		return Document{}, fmt.Errorf("parley: %w", err)
	}
	return c.add(ctx, written{form.FormDataContentType(), body.Bytes()})
}

func (c *Client) add(ctx context.Context, body any) (Document, error) {
	var added Document
	err := c.call(ctx, request{method: http.MethodPost, path: "/knowledge/documents", body: body}, &added)
	return added, err
}

// Documents lists documents, newest first, in pages as they are needed. It ends at the first error.
// The token needs the scope knowledge:read, as for all that reads documents.
func (c *Client) Documents(ctx context.Context, filter DocumentFilter) iter.Seq2[Document, error] {
	query := url.Values{}
	if filter.ExternalID != "" {
		query.Set("external_id", filter.ExternalID)
	}
	if filter.State != "" {
		query.Set("state", string(filter.State))
	}
	return list[Document](ctx, c, "/knowledge/documents", "documents", query)
}

// Document gets a document by its ID.
func (c *Client) Document(ctx context.Context, id string) (Document, error) {
	return c.document(ctx, "/knowledge/documents/", id)
}

// DocumentByExternalID gets a document by the name that you gave it.
func (c *Client) DocumentByExternalID(ctx context.Context, externalID string) (Document, error) {
	return c.document(ctx, "/knowledge/documents/external/", externalID)
}

func (c *Client) document(ctx context.Context, folder, name string) (Document, error) {
	path, err := within(folder, name)
	if err != nil {
		return Document{}, err
	}
	var found Document
	err = c.call(ctx, request{method: http.MethodGet, path: path}, &found)
	return found, err
}

const (
	// firstLook is how long to wait before a document is looked at again, and lastLook how long at
	// most: each wait is half as long again as the one before.
	firstLook = 250 * time.Millisecond
	lastLook  = 5 * time.Second
)

// WaitUntilReady waits until answers use the current content of a document. It fails with a
// [*DocumentError] if the document cannot be read, and when ctx ends: the server may try for hours to
// read a page.
func (c *Client) WaitUntilReady(ctx context.Context, id string) (Document, error) {
	for pause := firstLook; ; pause = min(pause*3/2, lastLook) {
		document, err := c.Document(ctx, id)
		if err != nil {
			return document, err
		}
		switch document.State {
		case StateReady:
			return document, nil
		case StateFailed:
			return document, &DocumentError{document}
		}
		if err := sleep(ctx, pause); err != nil {
			return document, err
		}
	}
}

// RemoveDocument removes a document from every answer at once, and returns the receipt. Removing it
// again returns the same receipt. The token needs the scope knowledge:write.
func (c *Client) RemoveDocument(ctx context.Context, id string) (Removal, error) {
	path, err := within("/knowledge/documents/", id)
	if err != nil {
		return Removal{}, err
	}
	var removal Removal
	err = c.call(ctx, request{method: http.MethodDelete, path: path}, &removal)
	return removal, err
}

// RemoveDocumentByExternalID finds a document by the name that you gave it, and removes it. The token
// needs the scopes knowledge:read and knowledge:write.
func (c *Client) RemoveDocumentByExternalID(ctx context.Context, externalID string) (Removal, error) {
	// By its ID it can be removed again when the answer is lost.
	document, err := c.DocumentByExternalID(ctx, externalID)
	if err != nil {
		return Removal{}, err
	}
	return c.RemoveDocument(ctx, document.ID)
}

// Removals lists the receipts of removed documents, the latest first, in pages as they are needed.
func (c *Client) Removals(ctx context.Context) iter.Seq2[Removal, error] {
	return list[Removal](ctx, c, "/knowledge/removals", "removals", url.Values{})
}

// Removal gets the receipt of a removed document.
func (c *Client) Removal(ctx context.Context, id string) (Removal, error) {
	path, err := within("/knowledge/removals/", id)
	if err != nil {
		return Removal{}, err
	}
	var removal Removal
	err = c.call(ctx, request{method: http.MethodGet, path: path}, &removal)
	return removal, err
}

// errNoName is of names that would make another path.
var errNoName = errors.New(`parley: an id that is empty, "." or ".." cannot be part of an address`)

// within is the path of what has a name in a folder.
func within(folder, name string) (string, error) {
	if name == "" || name == "." || name == ".." {
		return "", errNoName
	}
	return folder + url.PathEscape(name), nil
}
