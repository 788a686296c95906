package api

import (
	"context"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/api/wire"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/internal/id"
)

// putRequest is the JSON body of POST /knowledge/documents, and of PUT.
type putRequest struct {
	documentRequest

	URL        string  `json:"url"`
	ExternalID *string `json:"external_id"`
}

// putData is a document with what became of it.
type putData struct {
	wire.Document

	Result string `json:"result"`
}

// documentPageData answers GET /knowledge/documents.
type documentPageData struct {
	Documents []wire.Document `json:"documents"`
	HasMore   bool            `json:"has_more"`
	Next      *string         `json:"next"`
}

// removalPageData answers GET /knowledge/removals.
type removalPageData struct {
	Removals []wire.Removal `json:"removals"`
	HasMore  bool           `json:"has_more"`
	Next     *string        `json:"next"`
}

// catalog are the handlers of the documents of programs.
type catalog struct{ *API }

// documentPage is how many documents a page has unless limit says otherwise.
const documentPage = 30

// list returns a page of documents, newest first.
func (h catalog) list(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	slice, err := pageSlice(c)
	if err != nil {
		return err
	}
	filter := browse.Filter{ExternalID: c.Query("external_id")}
	if filter.ExternalID != "" {
		if err := knowledge.CheckExternalID(filter.ExternalID); err != nil {
			return err
		}
	}
	if state := knowledge.State(c.Query("state")); state != "" {
		if !state.Known() {
			return fault.InField("state", "state must be pending, fetching, extracting, indexing, ready, failed or removing.")
		}
		filter.States = []knowledge.State{state}
	}
	page, more, err := h.Browser.Documents(c.UserContext(), by.Chatbot.WorkspaceID, by.Chatbot.ID, filter, slice)
	if err != nil {
		return err
	}
	data := documentPageData{Documents: wire.MapSlice(page, wire.DocumentToWire), HasMore: more}
	if more {
		last := page[len(page)-1]
		data.Next = nextOf(browse.Cursor{At: last.CreatedAt, ID: last.ID})
	}
	return succeed(c, data)
}

// pageSlice reads limit and after of a list that always comes in pages.
func pageSlice(c *fiber.Ctx) (browse.Slice, error) {
	slice, _, err := sliceOf(c)
	if c.Query("limit") == "" {
		slice.Limit = documentPage
	}
	return slice, err
}

func nextOf(cursor browse.Cursor) *string {
	next := cursor.String()
	return &next
}

// put adds a text, a file, or the page at an address, or replaces the one with the
// same external ID.
func (h catalog) put(c *fiber.Ctx, by caller) error { return h.save(c, by, nil) }

// putNamed is put for the document that the path names.
func (h catalog) putNamed(c *fiber.Ctx, by caller) error {
	externalID := pathID(c, "external_id")
	return h.save(c, by, &externalID)
}

func (h catalog) save(c *fiber.Ctx, by caller, inPath *string) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	if err := h.Pace.Workspace(c.UserContext(), by.Chatbot.WorkspaceID); err != nil {
		return err
	}
	request, externalID, err := readPutRequest(c)
	if err != nil {
		return err
	}
	switch {
	case inPath == nil:
		inPath = externalID
	case externalID != nil && *externalID != *inPath:
		return fault.InField("external_id", "The path and the body name two different external_ids. Send one.").Named(fault.BadExternalID)
	}
	if inPath != nil {
		if err := knowledge.CheckExternalID(*inPath); err != nil {
			return err
		}
		request.ExternalID = *inPath
	}
	document, result, err := h.Knowledge.Catalog.Put(actorContext(c, by), by.Chatbot.WorkspaceID, by.Chatbot.ID, request)
	if err != nil {
		return err
	}
	return succeed(c, putData{wire.DocumentToWire(document), string(result)})
}

// readPutRequest reads the document, and the external ID if the body has one.
func readPutRequest(c *fiber.Ctx) (knowledge.PutRequest, *string, error) {
	if strings.HasPrefix(c.Get(fiber.HeaderContentType), fiber.MIMEMultipartForm) {
		document, form, err := uploadedDocument(c)
		request := knowledge.PutRequest{NewDocument: document}
		if slices.ContainsFunc(form, func(p bodies.Part) bool { return p.Name == "external_id" }) {
			externalID := form.Value("external_id")
			return request, &externalID, err
		}
		return request, nil, err
	}
	var request putRequest
	if err := decode(c, &request); err != nil {
		return knowledge.PutRequest{}, nil, err
	}
	if request.Content == "" && request.URL == "" {
		return knowledge.PutRequest{}, nil, fault.InField("content", "Give the text as content, or the address of a page as url. Send a file as multipart/form-data.")
	}
	return knowledge.PutRequest{
		NewDocument: knowledge.NewDocument{Title: request.Title, Kind: knowledge.Kind(request.Kind), Content: request.Content}, URL: request.URL,
	}, request.ExternalID, nil
}

// show shows one document, so that a program can wait for it.
func (h catalog) show(c *fiber.Ctx, by caller) error {
	return h.find(c, by, func(ctx context.Context, workspaceID, chatbotID string) (knowledge.Document, error) {
		return h.Knowledge.Documents.Get(ctx, workspaceID, chatbotID, id.Parse(pathID(c, "document_id")))
	})
}

// showNamed is show for an external ID.
func (h catalog) showNamed(c *fiber.Ctx, by caller) error {
	return h.find(c, by, func(ctx context.Context, workspaceID, chatbotID string) (knowledge.Document, error) {
		return h.Knowledge.Catalog.Named(ctx, workspaceID, chatbotID, pathID(c, "external_id"))
	})
}

func (h catalog) find(c *fiber.Ctx, by caller, get func(ctx context.Context, workspaceID, chatbotID string) (knowledge.Document, error)) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	document, err := get(c.UserContext(), by.Chatbot.WorkspaceID, by.Chatbot.ID)
	if err != nil {
		return err
	}
	return succeed(c, wire.DocumentToWire(document))
}

// remove removes a document, and returns its receipt.
func (h catalog) remove(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	return h.removeIt(c, by, id.Parse(pathID(c, "document_id")))
}

// removeNamed is remove for an external ID.
func (h catalog) removeNamed(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	document, err := h.Knowledge.Catalog.Named(c.UserContext(), by.Chatbot.WorkspaceID, by.Chatbot.ID, pathID(c, "external_id"))
	if err != nil {
		return err
	}
	return h.removeIt(c, by, document.ID)
}

func (h catalog) removeIt(c *fiber.Ctx, by caller, documentID string) error {
	receipt, err := h.Knowledge.Catalog.Remove(actorContext(c, by), by.Chatbot.WorkspaceID, by.Chatbot.ID, documentID)
	if err != nil {
		return err
	}
	return succeed(c, h.ids.RemovalToWire(receipt))
}

// removals returns a page of receipts, the latest first.
func (h catalog) removals(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	slice, err := pageSlice(c)
	if err != nil {
		return err
	}
	page, more, err := h.Browser.Removals(c.UserContext(), by.Chatbot.WorkspaceID, by.Chatbot.ID, slice)
	if err != nil {
		return err
	}
	data := removalPageData{Removals: wire.MapSlice(page, h.ids.RemovalToWire), HasMore: more}
	if more {
		last := page[len(page)-1]
		data.Next = nextOf(browse.Cursor{At: last.RequestedAt, ID: last.ID})
	}
	return succeed(c, data)
}

// removal returns one receipt, so that a program can wait until it is confirmed.
func (h catalog) removal(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	receipt, err := h.Knowledge.Removals.Get(c.UserContext(), by.Chatbot.WorkspaceID, by.Chatbot.ID, id.Parse(pathID(c, "removal_id")))
	if err != nil {
		return err
	}
	return succeed(c, h.ids.RemovalToWire(receipt))
}
