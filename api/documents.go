package api

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/tenant"
	"parley/internal/bodies"
	"parley/internal/id"
)

// listDocuments lists a chatbot's documents, oldest first.
func (a *API) listDocuments(c *fiber.Ctx) error {
	bot, _, err := a.managed(c, tenant.Read)
	if err != nil {
		return err
	}
	documents, err := a.Knowledge.Documents.List(c.UserContext(), bot.WorkspaceID, bot.ID)
	if err != nil {
		return err
	}
	return succeed(c, documentsData{each(documents, documentOf)})
}

// document shows one document, so that a program can wait for it.
func (a *API) document(c *fiber.Ctx) error {
	bot, _, err := a.managed(c, tenant.Read)
	if err != nil {
		return err
	}
	document, err := a.Knowledge.Documents.Get(c.UserContext(), bot.WorkspaceID, bot.ID, id.Given(pathID(c, "document_id")))
	if err != nil {
		return err
	}
	return succeed(c, documentOf(document))
}

// addDocument adds a text, or a file as multipart/form-data. A short text is
// found by questions when the answer has come.
func (a *API) addDocument(c *fiber.Ctx) error {
	bot, _, err := a.managed(c, tenant.EditKnowledge)
	if err != nil {
		return err
	}
	request, err := newDocument(c)
	if err != nil {
		return err
	}
	document, err := a.Knowledge.Documents.Add(c.UserContext(), bot.WorkspaceID, bot.ID, request)
	if err != nil {
		return err
	}
	return succeed(c, documentOf(document))
}

func newDocument(c *fiber.Ctx) (knowledge.NewDocument, error) {
	if strings.HasPrefix(c.Get(fiber.HeaderContentType), fiber.MIMEMultipartForm) {
		return uploadedDocument(c)
	}
	var request documentRequest
	err := decode(c, &request)
	return knowledge.NewDocument{Title: request.Title, Kind: knowledge.Kind(request.Kind), Content: request.Content}, err
}

func uploadedDocument(c *fiber.Ctx) (knowledge.NewDocument, error) {
	if c.Get(fiber.HeaderContentEncoding) != "" {
		return knowledge.NewDocument{}, fiber.NewError(fiber.StatusUnsupportedMediaType, "Send the body without a Content-Encoding.")
	}
	form, err := bodies.Form(c)
	if err != nil {
		return knowledge.NewDocument{}, err
	}
	files := form.Files("file")
	if len(files) != 1 {
		return knowledge.NewDocument{}, fault.InField("file", "Send one file as the part named file.")
	}
	return knowledge.NewDocument{
		Title: form.Value("title"), Kind: knowledge.Kind(form.Value("kind")),
		File: &knowledge.Upload{Name: files[0].FileName, ContentType: files[0].ContentType, Body: files[0].Content},
	}, nil
}

// removeDocument takes a document out of every answer.
func (a *API) removeDocument(c *fiber.Ctx) error {
	return a.changeDocument(c, "removed", a.Knowledge.Documents.Remove)
}

// retryDocument has a document read again that failed.
func (a *API) retryDocument(c *fiber.Ctx) error {
	return a.changeDocument(c, "retrying", a.Knowledge.Documents.Retry)
}

// cancelDocument ends the work on a document.
func (a *API) cancelDocument(c *fiber.Ctx) error {
	return a.changeDocument(c, "cancelled", a.Knowledge.Documents.Cancel)
}

func (a *API) changeDocument(c *fiber.Ctx, status string, change func(ctx context.Context, workspaceID, chatbotID, documentID string) error) error {
	bot, _, err := a.managed(c, tenant.EditKnowledge)
	if err != nil {
		return err
	}
	documentID := id.Given(pathID(c, "document_id"))
	if err := change(c.UserContext(), bot.WorkspaceID, bot.ID, documentID); err != nil {
		return err
	}
	return succeed(c, changedData{ID: documentID, Status: status})
}

// listRemovals lists the receipts of removed documents, the latest first.
func (a *API) listRemovals(c *fiber.Ctx) error {
	bot, _, err := a.managed(c, tenant.Read)
	if err != nil {
		return err
	}
	removals, err := a.Knowledge.Removals.List(c.UserContext(), bot.WorkspaceID, bot.ID)
	if err != nil {
		return err
	}
	return succeed(c, removalsData{each(removals, a.removalOf)})
}
