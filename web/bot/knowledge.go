package bot

import (
	"context"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/site"
)

// perPage is how many rows a page of a list has.
const perPage = 100

// knowledgePages are the handlers of a chatbot's knowledge.
type knowledgePages struct{ *site.Site }

func (s knowledgePages) knowledgePage(c *fiber.Ctx, v site.Visit) error {
	return s.showKnowledge(c, v, fiber.StatusOK, newAddForms())
}

// filters are the choices of documents by state, in the order of the page.
var filters = []struct {
	value, text string
	has         func(knowledge.Document) bool
}{
	{"", "All", func(knowledge.Document) bool { return true }},
	{"working", "In progress", func(d knowledge.Document) bool { return isWorkedOn(d) }},
	{"ready", "Ready", func(d knowledge.Document) bool { return d.State == knowledge.Ready }},
	{"failed", "Failed", func(d knowledge.Document) bool { return d.State == knowledge.Failed }},
	{"removing", "Being removed", func(d knowledge.Document) bool { return d.State == knowledge.Removing }},
}

func isWorkedOn(d knowledge.Document) bool {
	return !d.State.Settled() && d.State != knowledge.Removing
}

func (s knowledgePages) showKnowledge(c *fiber.Ctx, v site.Visit, status int, add addForms) error {
	// In this order: of an address that has been looked up, the pages are there.
	sources, err := s.Knowledge.Sources.List(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	documents, err := s.Knowledge.Documents.List(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	m := views.Knowledge{
		MayEdit: v.MayChange(tenant.EditKnowledge),
		Text:    add.text.view(), Pairs: add.pairs.view(), Files: add.files.view(), Address: add.address.view(),
	}
	chosen := filter(&m, documents, c.Query("state"))
	m.Pager = pagerOf(c, len(chosen), shell.KnowledgeURL(v.Chatbot.ID), c.Query("state"))
	for _, document := range pageOf(chosen, m.Pager) {
		m.Documents = append(m.Documents, documentToView(document))
	}
	pages := map[string]int{}
	for _, document := range documents {
		pages[document.SourceID]++
		if !document.State.Settled() {
			m.Working++
		}
	}
	for _, source := range sources {
		m.Sources = append(m.Sources, sourceToView(source, pages[source.ID]))
		if source.State == knowledge.SourceSyncing || source.State == knowledge.SourceRemoving {
			m.Working++
		}
	}
	return site.Render(c, status, views.KnowledgePage(v.Layout(c, shell.KnowledgeSection, "Knowledge"), m))
}

// filter counts the documents of each state, and returns those of the one that
// was chosen.
func filter(m *views.Knowledge, documents []knowledge.Document, choice string) []knowledge.Document {
	var chosen []knowledge.Document
	for _, f := range filters {
		if len(documents) == 0 {
			break
		}
		count := 0
		for _, d := range documents {
			if f.has(d) {
				count++
				if f.value == choice {
					chosen = append(chosen, d)
				}
			}
		}
		if count > 0 || f.value == choice {
			m.Filters = append(m.Filters, views.Filter{Value: f.value, Text: f.text, Count: plan.Thousands(count), Current: f.value == choice})
		}
	}
	return chosen
}

// pagerOf says which page of a list the address asks for: the nearest that
// there is.
func pagerOf(c *fiber.Ctx, rows int, path, state string) ui.Numbers {
	p := ui.Numbers{Base: path, Pages: max(1, (rows+perPage-1)/perPage)}
	for _, f := range filters {
		if state != "" && f.value == state {
			p.Base += "?state=" + state
		}
	}
	page, _ := strconv.Atoi(c.Query("page"))
	p.Page = min(max(page, 1), p.Pages)
	return p
}

func pageOf[Row any](rows []Row, p ui.Numbers) []Row {
	return rows[(p.Page-1)*perPage : min(p.Page*perPage, len(rows))]
}

func documentToView(d knowledge.Document) views.Document {
	waits := d.Attempts > 0 && d.DueAt != nil
	shown := views.Document{
		ID: d.ID, Title: d.Title, Kind: string(d.Kind), URL: d.URL, State: string(d.State), Reason: d.Reason,
		Before: d.Live > 0 && d.State != knowledge.Ready, MayRetry: d.State == knowledge.Failed || waits && isWorkedOn(d),
		MayCancel: isWorkedOn(d), Chars: plan.Thousands(d.Chars), Passages: plan.Thousands(d.Passages), CreatedAt: d.CreatedAt,
	}
	if waits {
		shown.NextAt = d.DueAt
	}
	if d.State == knowledge.Indexing && d.Passages > 0 {
		shown.Progress = plan.Thousands(d.Indexed) + " of " + plan.Thousands(d.Passages) + " passages"
	}
	return shown
}

func sourceToView(source knowledge.Source, pages int) views.Source {
	return views.Source{
		ID: source.ID, URL: source.URL, Kind: string(source.Kind), Schedule: string(source.Schedule), State: string(source.State),
		Reason: source.Reason, Pages: plan.Thousands(pages), SyncedAt: source.SyncedAt, NextAt: source.DueAt,
	}
}

// removedPage shows the receipts of removed documents.
func (s knowledgePages) removedPage(c *fiber.Ctx, v site.Visit) error {
	removals, err := s.Knowledge.Removals.List(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	m := views.Removed{Pager: pagerOf(c, len(removals), shell.RemovedURL(v.Chatbot.ID), "")}
	for _, removal := range pageOf(removals, m.Pager) {
		m.Receipts = append(m.Receipts, s.removalToView(removal))
	}
	return site.Render(c, fiber.StatusOK, views.RemovedPage(v.Layout(c, shell.KnowledgeSection, "Removed documents"), m))
}

// messagesShown is how many answers a receipt names on the page.
const messagesShown = 20

func (s knowledgePages) removalToView(r knowledge.Removal) views.Receipt {
	shown := views.Receipt{
		ID: r.ID, Title: r.Title, URL: r.URL, Passages: plan.Thousands(r.Passages), Answers: plan.Thousands(r.Answers),
		RequestedAt: r.RequestedAt, ConfirmedAt: r.ConfirmedAt,
	}
	named := r.MessageIDs[:min(messagesShown, len(r.MessageIDs))]
	for i, message := range s.IDs.Messages(named) {
		if i > 0 {
			shown.MessageIDs += ", "
		}
		shown.MessageIDs += strconv.FormatInt(message, 10)
	}
	if more := r.Answers - len(named); more > 0 {
		shown.More = plan.Thousands(more)
	}
	return shown
}

func (s knowledgePages) removeDocument(c *fiber.Ctx, v site.Visit) error {
	return s.change(c, v, "document", "removed", s.Knowledge.Documents.Remove)
}

func (s knowledgePages) retryDocument(c *fiber.Ctx, v site.Visit) error {
	return s.change(c, v, "document", "retrying", s.Knowledge.Documents.Retry)
}

func (s knowledgePages) cancelDocument(c *fiber.Ctx, v site.Visit) error {
	return s.change(c, v, "document", "stopped", s.Knowledge.Documents.Cancel)
}

func (s knowledgePages) syncSource(c *fiber.Ctx, v site.Visit) error {
	return s.change(c, v, "source", "syncing", s.Knowledge.Sources.Sync)
}

func (s knowledgePages) removeSource(c *fiber.Ctx, v site.Visit) error {
	return s.change(c, v, "source", "removed", s.Knowledge.Sources.Remove)
}

// change does something to the document or source that the address names, and
// says what has been done.
func (s knowledgePages) change(c *fiber.Ctx, v site.Visit, parameter, notice string, do func(ctx context.Context, workspaceID, chatbotID, id string) error) error {
	if err := do(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, id.Given(c.Params(parameter))); err != nil {
		return err
	}
	return site.Done(c, shell.KnowledgeURL(v.Chatbot.ID), notice)
}
