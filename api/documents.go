package api

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/api/wire"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/internal/id"
)

// documentRequest is the JSON body of POST /api/chatbots/:id/documents.
type documentRequest struct {
	Title   string `json:"title"`
	Kind    string `json:"kind"`
	Content string `json:"content"`
}

type documentsData struct {
	Documents []wire.Document `json:"documents"`
	pageData
}

type removalsData struct {
	Removals []wire.Removal `json:"removals"`
	pageData
}

// documents are the handlers of a chatbot's documents.
type documents struct {
	knowledge knowledge.Services
	browser   *browse.Browser
	ids       identifiers
}

// list lists a chatbot's documents, oldest first: a page of them if one is asked
// for.
func (h documents) list(c *fiber.Ctx, at visit) error {
	slice, paged, err := sliceOf(c)
	if err != nil {
		return err
	}
	if paged {
		slice.OldestFirst = true
		page, more, err := h.browser.Documents(c.UserContext(), at.WorkspaceID, at.ID, browse.Filter{}, slice)
		if err != nil {
			return err
		}
		return succeed(c, documentsData{wire.MapSlice(page, wire.DocumentToWire), pageOf(more, func() browse.Cursor {
			last := page[len(page)-1]
			return browse.Cursor{At: last.CreatedAt, ID: last.ID}
		})})
	}
	documents, err := h.knowledge.Documents.List(c.UserContext(), at.WorkspaceID, at.ID)
	if err != nil {
		return err
	}
	return succeed(c, documentsData{Documents: wire.MapSlice(documents, wire.DocumentToWire)})
}

// show shows one document, so that a program can wait for it.
func (h documents) show(c *fiber.Ctx, at visit) error {
	document, err := h.knowledge.Documents.Get(c.UserContext(), at.WorkspaceID, at.ID, id.Parse(pathID(c, "document_id")))
	if err != nil {
		return err
	}
	return succeed(c, wire.DocumentToWire(document))
}

// add adds a text, or a file as multipart/form-data. A short text is
// found by questions when the answer has come.
func (h documents) add(c *fiber.Ctx, at visit) error {
	request, err := newDocument(c)
	if err != nil {
		return err
	}
	document, err := h.knowledge.Documents.Add(c.UserContext(), at.WorkspaceID, at.ID, request)
	if err != nil {
		return err
	}
	return succeed(c, wire.DocumentToWire(document))
}

func newDocument(c *fiber.Ctx) (knowledge.NewDocument, error) {
	if strings.HasPrefix(c.Get(fiber.HeaderContentType), fiber.MIMEMultipartForm) {
		document, _, err := uploadedDocument(c)
		return document, err
	}
	var request documentRequest
	err := decode(c, &request)
	return knowledge.NewDocument{Title: request.Title, Kind: knowledge.Kind(request.Kind), Content: request.Content}, err
}

func uploadedDocument(c *fiber.Ctx) (knowledge.NewDocument, bodies.Parts, error) {
	form, err := formOf(c)
	if err != nil {
		return knowledge.NewDocument{}, nil, err
	}
	files := form.Files("file")
	if len(files) != 1 {
		return knowledge.NewDocument{}, nil, fault.InField("file", "Send exactly one file, in the part named file.")
	}
	return knowledge.NewDocument{
		Title: form.Value("title"), Kind: knowledge.Kind(form.Value("kind")),
		File: &knowledge.Upload{Name: files[0].FileName, ContentType: files[0].ContentType, Body: files[0].Content},
	}, form, nil
}

// remove takes a document out of every answer.
func (h documents) remove(c *fiber.Ctx, at visit) error {
	return h.change(c, at, "removed", h.knowledge.Documents.Remove)
}

// retry has a document read again that failed.
func (h documents) retry(c *fiber.Ctx, at visit) error {
	return h.change(c, at, "retrying", h.knowledge.Documents.Retry)
}

// cancel ends the work on a document.
func (h documents) cancel(c *fiber.Ctx, at visit) error {
	return h.change(c, at, "canceled", h.knowledge.Documents.Cancel)
}

func (h documents) change(c *fiber.Ctx, at visit, status string, change func(ctx context.Context, workspaceID, chatbotID, documentID string) error) error {
	documentID := id.Parse(pathID(c, "document_id"))
	if err := change(c.UserContext(), at.WorkspaceID, at.ID, documentID); err != nil {
		return err
	}
	return succeed(c, wire.Changed{ID: documentID, Status: status})
}

// removals lists the receipts of removed documents, the latest first.
func (h documents) removals(c *fiber.Ctx, at visit) error {
	slice, paged, err := sliceOf(c)
	if err != nil {
		return err
	}
	if paged {
		page, more, err := h.browser.Removals(c.UserContext(), at.WorkspaceID, at.ID, slice)
		if err != nil {
			return err
		}
		return succeed(c, removalsData{wire.MapSlice(page, h.ids.RemovalToWire), pageOf(more, func() browse.Cursor {
			last := page[len(page)-1]
			return browse.Cursor{At: last.RequestedAt, ID: last.ID}
		})})
	}
	removals, err := h.knowledge.Removals.List(c.UserContext(), at.WorkspaceID, at.ID)
	if err != nil {
		return err
	}
	return succeed(c, removalsData{Removals: wire.MapSlice(removals, h.ids.RemovalToWire)})
}
