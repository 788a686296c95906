package workspace

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/audit"
	"parley/core/tenant"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/site"
)

// auditPages are the handlers of what was done in a workspace.
type auditPages struct{ *site.Site }

// entriesShown is how many entries a page has.
const entriesShown = 50

// kinds are groups of actions, by the beginning of their names.
var kinds = []struct{ value, text string }{
	{"", "Everything"},
	{"chatbot", "Chatbots"},
	{"token", "API tokens"},
	{"conversation", "Conversations"},
	{"document", "Documents"},
	{"source", "Web addresses"},
	{"member", "Members"},
	{"invitation", "Invitations"},
	{"provider", "Model providers"},
	{"webhook", "Webhooks"},
	{"plan", "Plan"},
	{"subscription", "Subscription"},
	{"workspace", "Workspace"},
}

// acts are actions in words.
var acts = map[audit.Action]string{
	audit.WorkspaceCreated: "Created the workspace", audit.WorkspaceRenamed: "Renamed the workspace",
	audit.InvitationCreated: "Invited", audit.InvitationCanceled: "Canceled the invitation of", audit.InvitationAccepted: "Accepted the invitation of",
	audit.MemberJoined: "Joined:", audit.MemberLeft: "Left:", audit.MemberRemoved: "Removed", audit.RoleChanged: "Changed the role of",
	audit.ChatbotCreated: "Created the chatbot", audit.ChatbotChanged: "Changed the chatbot", audit.ChatbotDeleted: "Deleted the chatbot",
	audit.TokenCreated: "Created the token", audit.TokenChanged: "Changed the token", audit.TokenRenamed: "Renamed the token", audit.TokenRolled: "Rolled the token", audit.TokenRevoked: "Revoked the token",
	audit.ProviderCreated: "Added the provider", audit.ProviderChanged: "Changed the provider", audit.ProviderKeyReplaced: "Replaced the key of",
	audit.ProviderKeyResealed: "Resealed the key of", audit.ProviderDeleted: "Removed the provider",
	audit.WebhookCreated: "Added the webhook", audit.WebhookChanged: "Changed the webhook", audit.WebhookRotated: "Rotated the secret of the webhook",
	audit.WebhookResealed: "Resealed the secret of the webhook",
	audit.WebhookPaused:   "Paused the webhook", audit.WebhookResumed: "Resumed the webhook", audit.WebhookDisabled: "Turned off the webhook",
	audit.WebhookDeleted: "Deleted the webhook", audit.WebhookSentAgain: "Sent again to the webhook",
	audit.ConversationChanged: "Changed a conversation of", audit.ConversationDeleted: "Deleted a conversation of",
	audit.DocumentAdded: "Added the document", audit.DocumentReplaced: "Replaced the document", audit.DocumentReadAgain: "Had the document read again", audit.DocumentCanceled: "Canceled the document",
	audit.SourceAdded: "Added the address", audit.SourceSynced: "Had the address read again", audit.KnowledgeReindexed: "Had all documents indexed again",
	audit.ConversationsExported: "Exported conversations of", audit.ChainStarted: "Entries are chained from here on",
	audit.DocumentRemoved: "Removed the document", audit.DocumentRestored: "Restored the document", audit.SourceRemoved: "Removed the address",
	audit.PlanChanged: "Changed the plan", audit.SubscriptionChanged: "The subscription changed", audit.LimitsChosen: "Chose what stays active",
	audit.CustomerUnlinked: "Unlinked the customer at Stripe", audit.PaymentReversed: "A payment was reversed", audit.EmailChanged: "Changed the e-mail address of",
}

func (s auditPages) auditPage(c *fiber.Ctx, v site.Visit) error {
	asked := site.Form{}
	for _, name := range []string{"kind", "actor", "from", "to", "before"} {
		asked[name] = c.Query(name)
	}
	filter, wrong := auditFilter(asked, v.Person.User.Location())
	p, err := s.Tenants.Plans.Existing(c.UserContext(), v.Member.Workspace.Plan)
	if err != nil {
		return err
	}
	entries, more, err := s.Audit.Of(c.UserContext(), v.WorkspaceID(), filter.Within(p.Limits.AuditDays, s.Now()))
	if err != nil {
		return err
	}
	members, err := s.Team.Members.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	m := views.Audit{
		Actors: actorOptions(members, asked["actor"]), Kind: asked["kind"], Actor: asked["actor"], From: asked["from"], To: asked["to"],
		Filtered: asked["kind"]+asked["actor"]+asked["from"]+asked["to"] != "", Wrong: wrong,
	}
	for _, k := range kinds {
		m.Kinds = append(m.Kinds, ui.Option{Value: k.value, Text: k.text})
	}
	names, err := s.names(c, v, entries)
	if err != nil {
		return err
	}
	for _, e := range entries {
		m.Entries = append(m.Entries, names.entryToView(e))
	}
	if more {
		m.Pager.Next = auditAddress(v, asked, entries[len(entries)-1].ID)
	}
	if filter.Before > 0 {
		m.Pager.Previous = auditAddress(v, asked, 0)
		m.Pager.Text = "Older entries. “Previous” leads to the latest."
	}
	return site.Render(c, fiber.StatusOK, views.AuditPage(v.Layout(c, shell.AuditSection, "Audit"), m))
}

// auditFilter reads what is asked for. Days are those of the person's zone.
func auditFilter(asked site.Form, zone *time.Location) (filter audit.Filter, wrong string) {
	filter = audit.Filter{Actor: asked["actor"], Limit: entriesShown}
	if asked["kind"] != "" {
		for _, action := range audit.Actions() {
			if strings.HasPrefix(string(action), asked["kind"]+".") {
				filter.Actions = append(filter.Actions, action)
			}
		}
		if filter.Actions == nil {
			filter.Actions = []audit.Action{"none"}
		}
	}
	var err error
	if asked["from"] != "" {
		if filter.Since, err = time.ParseInLocation(time.DateOnly, asked["from"], zone); err != nil {
			wrong = "Choose a day to begin with, such as 2026-01-31."
		}
	}
	if asked["to"] != "" {
		last, err := time.ParseInLocation(time.DateOnly, asked["to"], zone)
		if err != nil {
			wrong = "Choose a last day, such as 2026-01-31."
		} else {
			filter.Until = last.AddDate(0, 0, 1)
		}
	}
	filter.Before, _ = strconv.ParseInt(asked["before"], 10, 64)
	filter.Before = max(0, filter.Before)
	return filter, wrong
}

// auditAddress is the page of the same filter before an entry.
func auditAddress(v site.Visit, asked site.Form, before int64) string {
	query := url.Values{}
	for _, name := range []string{"kind", "actor", "from", "to"} {
		if asked[name] != "" {
			query.Set(name, asked[name])
		}
	}
	if before > 0 {
		query.Set("before", strconv.FormatInt(before, 10))
	}
	if len(query) == 0 {
		return shell.AuditURL(v.WorkspaceID())
	}
	return shell.AuditURL(v.WorkspaceID()) + "?" + query.Encode()
}

// actorOptions are the members and whoever else acts, with the one that is chosen.
func actorOptions(members []tenant.Member, chosen string) []ui.Option {
	options := []ui.Option{{Value: "", Text: "Everybody"}}
	for _, m := range members {
		options = append(options, ui.Option{Value: m.Email, Text: m.Email})
	}
	for _, actor := range []audit.Actor{audit.Operator, audit.Stripe} {
		options = append(options, ui.Option{Value: actor.Name, Text: actorName(actor.Name)})
	}
	if !slices.ContainsFunc(options, func(o ui.Option) bool { return o.Value == chosen }) {
		options = append(options, ui.Option{Value: chosen, Text: chosen})
	}
	return options
}

func (n auditNames) entryToView(e audit.Entry) views.AuditEntry {
	shown := views.AuditEntry{
		ID: strconv.FormatInt(e.ID, 10), At: e.At, Actor: actorName(e.Actor.Name), Action: string(e.Action),
		Object: n.object(e.Object), Detail: n.in(e.Detail), Address: e.Origin.Address, What: acts[e.Action],
	}
	if shown.What == "" {
		shown.What = string(e.Action)
	}
	for _, change := range e.Changes {
		shown.Changes = append(shown.Changes, n.in(changeSentence(change)))
	}
	return shown
}

// changeSentence is such as “name: Old → New”.
func changeSentence(change audit.Change) string {
	field := strings.ReplaceAll(strings.ReplaceAll(change.Field, "_", " "), ".", " ")
	switch {
	case change.Old == "" && change.New == "":
		return field + " changed"
	case change.Old == "":
		return field + ": " + change.New
	case change.New == "":
		return field + ": " + change.Old + " → none"
	}
	return field + ": " + change.Old + " → " + change.New
}
