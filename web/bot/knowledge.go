package bot

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// perPage is how many rows a page of a list has.
const perPage = 50

// knowledgePages are the handlers of a chatbot's knowledge.
type knowledgePages struct{ *page.Base }

// filters are the choices of documents by state, in the order of the page.
var filters = []struct {
	value, text string
	states      []knowledge.State
}{
	{"", "All states", nil},
	{"working", "In progress", []knowledge.State{knowledge.Pending, knowledge.Fetching, knowledge.Extracting, knowledge.Indexing}},
	{"ready", "Ready", []knowledge.State{knowledge.Ready}},
	{"failed", "Failed", []knowledge.State{knowledge.Failed}},
	{"removing", "Being removed", []knowledge.State{knowledge.Removing}},
	{outdatedChoice, "Read by an older version", nil},
}

// outdatedChoice is the choice of documents that an older reader has read, in whatever state.
const outdatedChoice = "outdated"

// unknownState is a state that no document has: a choice that does not exist lists nothing.
const unknownState knowledge.State = "unknown"

func isWorkedOn(d knowledge.Document) bool {
	return !d.State.Settled() && d.State != knowledge.Removing
}

// chosen is what a person has chosen among the documents, by the names in the
// address.
type chosen map[string]string

var choices = []string{"q", "type", "state", "source"}

func (f chosen) filter() browse.Filter {
	filter := browse.Filter{Search: f["q"], Kind: knowledge.Kind(f["type"]), SourceID: id.Parse(f["source"])}
	filter.States = []knowledge.State{unknownState}
	for _, state := range filters {
		if state.value == f["state"] {
			filter.States = state.states
		}
	}
	filter.ReaderOutdated = f["state"] == outdatedChoice
	return filter
}

// at returns an address with the chosen filters, and more.
func (f chosen) at(path string, more ...string) string {
	query := url.Values{}
	for name, value := range f {
		if value != "" {
			query.Set(name, value)
		}
	}
	for i := 0; i+1 < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

func (s knowledgePages) knowledgePage(c *fiber.Ctx, v page.Visit) error {
	asked := chosen{}
	for _, name := range choices {
		asked[name] = strings.TrimSpace(c.Query(name))
	}
	after, err := browse.ParseCursor("after", c.Query("after"))
	if err != nil {
		return err
	}
	ctx, filter := c.UserContext(), asked.filter()
	// What is in progress is counted before it is listed, and addresses before
	// their documents: what ends meanwhile is asked for once more, never once less.
	sources, err := s.Browser.CountSources(ctx, v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	all, err := s.Browser.Counts(ctx, v.WorkspaceID(), v.Chatbot.ID, browse.Filter{})
	if err != nil {
		return err
	}
	documents, more, err := s.Browser.Documents(ctx, v.WorkspaceID(), v.Chatbot.ID, filter, browse.Slice{After: after, Limit: perPage})
	if err != nil {
		return err
	}
	old := browse.Filter{Search: filter.Search, Kind: filter.Kind, SourceID: filter.SourceID, ReaderOutdated: true}
	outdated, err := s.Browser.Counts(ctx, v.WorkspaceID(), v.Chatbot.ID, old)
	if err != nil {
		return err
	}
	counts := all
	if filter.Search != "" || filter.Kind != "" || filter.SourceID != "" {
		if after.IsZero() && !more && asked["state"] == "" { // then these are all
			counts = statesOf(documents)
		} else {
			filter.States, filter.ReaderOutdated = nil, false
			if counts, err = s.Browser.Counts(ctx, v.WorkspaceID(), v.Chatbot.ID, filter); err != nil {
				return err
			}
		}
	}
	m := views.Knowledge{
		Search: asked["q"], Kind: asked["type"], State: asked["state"], States: stateOptions(counts, sum(outdated, nil), asked["state"]), Any: sum(all, nil) > 0,
		Working: sum(all, filters[1].states) + all[knowledge.Removing], Reading: sources[knowledge.SourceSyncing], MayEdit: v.MayChange(tenant.EditKnowledge), Add: newAddForms().view(views.WayFiles),
	}
	unencoded, err := s.Browser.Unencoded(ctx, v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	m.Unencoded = unencodedText(unencoded)
	m.Tabs = tabsOf(sum(all, nil), sources)
	if filter.SourceID != "" {
		source, err := s.Browser.Source(ctx, v.WorkspaceID(), v.Chatbot.ID, filter.SourceID)
		if err != nil {
			return err
		}
		m.Source = views.Source{ID: source.ID, URL: source.URL}
	}
	for _, document := range documents {
		m.Documents = append(m.Documents, documentToView(document))
	}
	chosenCounts := sum(counts, chosenStates(asked["state"]))
	if asked["state"] == outdatedChoice {
		chosenCounts = sum(outdated, nil)
	}
	m.Pager = ui.Pager{Swaps: "knowledge", Text: shownOf(len(documents), chosenCounts, "document")}
	m.Here = asked.at(shell.KnowledgeURL(v.Chatbot.ID))
	if !after.IsZero() {
		m.Here = asked.at(shell.KnowledgeURL(v.Chatbot.ID), "after", after.String())
		m.Pager.Previous = asked.at(shell.KnowledgeURL(v.Chatbot.ID))
		m.Pager.First = true
	}
	if more {
		last := documents[len(documents)-1]
		m.Pager.Next = asked.at(shell.KnowledgeURL(v.Chatbot.ID), "after", browse.Cursor{At: last.CreatedAt, ID: last.ID}.String())
	}
	return page.Render(c, fiber.StatusOK, views.KnowledgePage(v.Layout(c, shell.KnowledgeSection, "Knowledge"), m))
}

// unencodedText says that passages still wait for their encoding, if some do.
func unencodedText(n int) string {
	if n == 0 {
		return ""
	}
	return "Ready to use. Search quality keeps improving for a while."
}

// knowledgeTabs counts what there is of each part.
func (s knowledgePages) knowledgeTabs(c *fiber.Ctx, v page.Visit) (views.KnowledgeTabs, error) {
	documents, err := s.Browser.Counts(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, browse.Filter{})
	if err != nil {
		return views.KnowledgeTabs{}, err
	}
	sources, err := s.Browser.CountSources(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	return tabsOf(sum(documents, nil), sources), err
}

func tabsOf(documents int, sources map[knowledge.SourceState]int) views.KnowledgeTabs {
	return views.KnowledgeTabs{Documents: plan.Thousands(documents), Addresses: plan.Thousands(sum(sources, nil))}
}

// chosenStates are the states of a choice, nil for all.
func chosenStates(value string) []knowledge.State { return chosen{"state": value}.filter().States }

// statesOf counts documents by state.
func statesOf(documents []knowledge.Document) map[knowledge.State]int {
	counts := map[knowledge.State]int{}
	for _, d := range documents {
		counts[d.State]++
	}
	return counts
}

// sum counts what is in some states, or in all.
func sum[State comparable](counts map[State]int, states []State) (n int) {
	for _, state := range states {
		n += counts[state]
	}
	if states == nil {
		for _, count := range counts {
			n += count
		}
	}
	return n
}

// stateOptions are the choices with their counts. What an older reader has read is one while there is any.
func stateOptions(counts map[knowledge.State]int, outdated int, chosen string) []ui.Option {
	var options []ui.Option
	for _, f := range filters {
		n := sum(counts, f.states)
		if f.value == outdatedChoice {
			if n = outdated; n == 0 && chosen != outdatedChoice {
				continue
			}
		}
		options = append(options, ui.Option{Value: f.value, Text: f.text + " (" + plan.Thousands(n) + ")"})
	}
	return options
}

// shownOf says how many rows of how many are shown.
func shownOf(shown, all int, of string) string {
	if all != 1 {
		of += "s"
	}
	if shown == all {
		return plan.Thousands(all) + " " + of
	}
	return plan.Thousands(shown) + " of " + plan.Thousands(all) + " " + of
}

func documentToView(d knowledge.Document) views.Document {
	waits := d.Waits()
	shown := views.Document{
		ID: d.ID, Title: d.Title, Kind: string(d.Kind), URL: d.URL, State: string(d.State), Reason: d.Reason, Unread: unreadText(d.Notes), Outdated: d.ReaderOutdated(), Kept: d.Original == knowledge.OriginalKept, NoRoom: d.Original == knowledge.OriginalTooLarge,
		Before: d.Live > 0 && d.State != knowledge.Ready, MayRetry: d.State == knowledge.Failed || waits && isWorkedOn(d),
		MayRead: d.State == knowledge.Ready, MayCancel: isWorkedOn(d),
		Passages: plan.Thousands(d.Passages), CreatedAt: d.CreatedAt,
	}
	if waits {
		shown.NextAt = d.DueAt
	}
	if d.State == knowledge.Indexing && d.Passages > 0 {
		shown.Progress = plan.Thousands(d.Indexed) + " of " + plan.Thousands(d.Passages) + " passages"
		shown.Done, shown.All = d.Indexed, d.Passages
	}
	return shown
}

// removedPage shows the receipts of removed documents.
func (s knowledgePages) removedPage(c *fiber.Ctx, v page.Visit) error {
	after, err := browse.ParseCursor("after", c.Query("after"))
	if err != nil {
		return err
	}
	removals, more, err := s.Browser.Removals(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, browse.Slice{After: after, Limit: perPage})
	if err != nil {
		return err
	}
	m := views.Removed{}
	if m.Tabs, err = s.knowledgeTabs(c, v); err != nil {
		return err
	}
	for _, removal := range removals {
		m.Receipts = append(m.Receipts, s.removalToView(removal))
	}
	if !after.IsZero() {
		m.Pager.Previous, m.Pager.First = shell.RemovedURL(v.Chatbot.ID), true
	}
	if more {
		last := removals[len(removals)-1]
		m.Pager.Next = chosen{}.at(shell.RemovedURL(v.Chatbot.ID), "after", browse.Cursor{At: last.RequestedAt, ID: last.ID}.String())
	}
	return page.Render(c, fiber.StatusOK, views.RemovedPage(v.Layout(c, shell.KnowledgeSection, "Removed documents"), m))
}

// messagesShown is how many answers a receipt names on the page.
const messagesShown = 20

func (s knowledgePages) removalToView(r knowledge.Removal) views.Receipt {
	shown := views.Receipt{
		ID: r.ID, Title: r.Title, URL: r.URL, Passages: plan.Thousands(r.Passages), Answers: plan.Thousands(r.Answers),
		RequestedAt: r.RequestedAt, ConfirmedAt: r.ConfirmedAt,
	}
	named := r.MessageIDs[:min(messagesShown, len(r.MessageIDs))]
	for _, message := range s.IDs.Messages(named) {
		id := strconv.FormatInt(message, 10)
		shown.Messages = append(shown.Messages, views.Link{Text: id, URL: shell.MessageURL(r.ChatbotID, id)})
	}
	if more := r.Answers - len(named); more > 0 {
		shown.More = plan.Thousands(more)
	}
	return shown
}
