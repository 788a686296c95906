package api

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"parley/core/knowledge"
	"parley/core/tenant"
	"parley/internal/id"
)

// listSources lists a chatbot's addresses, oldest first.
func (a *API) listSources(c *fiber.Ctx) error {
	bot, _, err := a.managed(c, tenant.Read)
	if err != nil {
		return err
	}
	sources, err := a.Knowledge.Sources.List(c.UserContext(), bot.WorkspaceID, bot.ID)
	if err != nil {
		return err
	}
	return succeed(c, sourcesData{each(sources, knowledgeSourceOf)})
}

// addSource adds a page or a site, which is read by itself.
func (a *API) addSource(c *fiber.Ctx) error {
	bot, _, err := a.managed(c, tenant.EditKnowledge)
	if err != nil {
		return err
	}
	var request sourceRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	source, err := a.Knowledge.Sources.Add(c.UserContext(), bot.WorkspaceID, bot.ID, request.newSource())
	if err != nil {
		return err
	}
	return succeed(c, knowledgeSourceOf(source))
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

// removeSource removes an address with all its documents.
func (a *API) removeSource(c *fiber.Ctx) error {
	return a.changeSource(c, "removed", a.Knowledge.Sources.Remove)
}

// syncSource has an address read again now.
func (a *API) syncSource(c *fiber.Ctx) error {
	return a.changeSource(c, "syncing", a.Knowledge.Sources.Sync)
}

func (a *API) changeSource(c *fiber.Ctx, status string, change func(ctx context.Context, workspaceID, chatbotID, sourceID string) error) error {
	bot, _, err := a.managed(c, tenant.EditKnowledge)
	if err != nil {
		return err
	}
	sourceID := id.Given(pathID(c, "source_id"))
	if err := change(c.UserContext(), bot.WorkspaceID, bot.ID, sourceID); err != nil {
		return err
	}
	return succeed(c, changedData{ID: sourceID, Status: status})
}
