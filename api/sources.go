package api

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/internal/id"
)

// sourceRequest is the body of POST /api/chatbots/:id/sources.
type sourceRequest struct {
	URL      string   `json:"url"`
	Kind     string   `json:"kind"`
	Schedule string   `json:"schedule"`
	Include  []string `json:"include"`
	Exclude  []string `json:"exclude"`
	MaxDepth *int     `json:"max_depth"`
	MaxPages *int     `json:"max_pages"`
}

type sourcesData struct {
	Sources []wire.Source `json:"sources"`
	pageData
}

// sources are the handlers of a chatbot's addresses.
type sources struct {
	knowledge *knowledge.Sources
	browser   *browse.Browser
}

// list lists a chatbot's addresses, oldest first: a page of them if one is asked
// for.
func (h sources) list(c *fiber.Ctx, at visit) error {
	slice, paged, err := sliceOf(c)
	if err != nil {
		return err
	}
	if paged {
		slice.OldestFirst = true
		page, more, err := h.browser.Sources(c.UserContext(), at.WorkspaceID, at.ID, slice)
		if err != nil {
			return err
		}
		return succeed(c, sourcesData{wire.MapSlice(page, func(s browse.Source) wire.Source { return wire.SourceToWire(s.Source) }), pageOf(more, func() browse.Cursor {
			last := page[len(page)-1]
			return browse.Cursor{At: last.CreatedAt, ID: last.ID}
		})})
	}
	sources, err := h.knowledge.List(c.UserContext(), at.WorkspaceID, at.ID)
	if err != nil {
		return err
	}
	return succeed(c, sourcesData{Sources: wire.MapSlice(sources, wire.SourceToWire)})
}

// add adds a page or a site, which is read by itself.
func (h sources) add(c *fiber.Ctx, at visit) error {
	var request sourceRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	source, err := h.knowledge.Add(c.UserContext(), at.WorkspaceID, at.ID, request.newSource())
	if err != nil {
		return err
	}
	return succeed(c, wire.SourceToWire(source))
}

func (r sourceRequest) newSource() knowledge.NewSource {
	rules := knowledge.DefaultRules()
	rules.Include, rules.Exclude = r.Include, r.Exclude
	if r.MaxDepth != nil {
		rules.MaxDepth = *r.MaxDepth
	}
	if r.MaxPages != nil {
		rules.MaxPages = *r.MaxPages
	}
	return knowledge.NewSource{
		URL: r.URL, Kind: knowledge.SourceKind(r.Kind), Schedule: knowledge.Schedule(r.Schedule), Rules: rules,
	}
}

// remove removes an address with all its documents.
func (h sources) remove(c *fiber.Ctx, at visit) error {
	return h.change(c, at, "removed", h.knowledge.Remove)
}

// sync has an address read again now.
func (h sources) sync(c *fiber.Ctx, at visit) error {
	return h.change(c, at, "syncing", h.knowledge.Sync)
}

func (h sources) change(c *fiber.Ctx, at visit, status string, change func(ctx context.Context, workspaceID, chatbotID, sourceID string) error) error {
	sourceID := id.Parse(pathID(c, "source_id"))
	if err := change(c.UserContext(), at.WorkspaceID, at.ID, sourceID); err != nil {
		return err
	}
	return succeed(c, wire.Changed{ID: sourceID, Status: status})
}
