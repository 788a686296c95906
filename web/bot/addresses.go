package bot

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/plan"
	"parley/core/tenant"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/web/page"
)

func (s knowledgePages) addressesPage(c *fiber.Ctx, v page.Visit) error {
	after, err := browse.ParseCursor("after", c.Query("after"))
	if err != nil {
		return err
	}
	sources, more, err := s.Browser.Sources(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, browse.Slice{After: after, Limit: perPage})
	if err != nil {
		return err
	}
	m := views.Addresses{MayEdit: v.MayChange(tenant.EditKnowledge), Add: newAddForms().view(views.WayWebsite)}
	if m.Tabs, err = s.knowledgeTabs(c, v); err != nil {
		return err
	}
	for _, source := range sources {
		m.Sources = append(m.Sources, sourceToView(source))
		if source.State == knowledge.SourceSyncing || source.State == knowledge.SourceRemoving {
			m.Working++
		}
	}
	if !after.IsZero() {
		m.Pager.Previous, m.Pager.First = shell.AddressesURL(v.Chatbot.ID), true
	}
	if more {
		last := sources[len(sources)-1]
		m.Pager.Next = chosen{}.at(shell.AddressesURL(v.Chatbot.ID), "after", browse.Cursor{At: last.CreatedAt, ID: last.ID}.String())
	}
	return page.Render(c, fiber.StatusOK, views.AddressesPage(v.Layout(c, shell.KnowledgeSection, "Web addresses"), m))
}

// sourceToView shows an address without a readable page as failed: no answer
// uses it.
func sourceToView(source browse.Source) views.Source {
	shown := views.Source{
		ID: source.ID, URL: source.URL, Kind: string(source.Kind), Schedule: string(source.Schedule), State: string(source.State),
		Reason: source.Reason, Pages: plan.Thousands(source.Pages), SyncedAt: source.SyncedAt, NextAt: source.DueAt,
	}
	if source.Failed > 0 {
		shown.Failed = counted(source.Failed, "page", "pages") + " failed"
		if source.Failed == source.Pages && source.State == knowledge.SourceReady {
			shown.State = string(knowledge.SourceFailed)
		}
	}
	return shown
}

func (s knowledgePages) syncSource(c *fiber.Ctx, v page.Visit) error {
	return s.change(c, v, "source", "The address is being read again.", s.Knowledge.Sources.Sync)
}

func (s knowledgePages) removeSource(c *fiber.Ctx, v page.Visit) error {
	return s.change(c, v, "source", "The address is removed, with all its pages.", s.Knowledge.Sources.Remove)
}
