package api

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"parley/core/knowledge"
	"parley/internal/id"
)

// sources are the handlers of a chatbot's addresses.
type sources struct{ knowledge *knowledge.Sources }

// list lists a chatbot's addresses, oldest first.
func (h sources) list(c *fiber.Ctx, at visit) error {
	sources, err := h.knowledge.List(c.UserContext(), at.WorkspaceID, at.ID)
	if err != nil {
		return err
	}
	return succeed(c, sourcesData{each(sources, sourceToWire)})
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
	return succeed(c, sourceToWire(source))
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
	sourceID := id.Given(pathID(c, "source_id"))
	if err := change(c.UserContext(), at.WorkspaceID, at.ID, sourceID); err != nil {
		return err
	}
	return succeed(c, changedData{ID: sourceID, Status: status})
}
