package auditlog

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/audit"
	"parley/core/audit/export"
	"parley/core/fault"
	"parley/core/tenant"
	views "parley/views/auditlog"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// pages are the handlers of the audit log.
type pages struct{ *page.Base }

// entriesShown is how many entries a page has.
const entriesShown = 50

func (s pages) list(c *fiber.Ctx, v page.Visit) error {
	asked := askedOf(c)
	filter, wrong := asked.filter(v.Person.User.Location())
	filter, err := s.within(c, v, filter)
	if err != nil {
		return err
	}
	entries, more, err := s.Audit.Of(c.UserContext(), v.WorkspaceID(), filter)
	if err != nil {
		return err
	}
	members, err := s.Team.Members.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	m := views.List{
		Filters: ui.Form{Values: asked}, Kinds: kindOptions(), Actors: actorOptions(members, asked["actor"]), Objects: objectOptions(asked["object"]),
		Filtered: len(asked.chosen()) > 0, Deep: asked["object"]+asked["id"]+asked["address"]+asked["request"] != "", Wrong: wrong,
		CSV: asked.export(v, export.CSV), JSONL: asked.export(v, export.JSONL),
	}
	names, err := s.names(c, v, entries)
	if err != nil {
		return err
	}
	for _, e := range entries {
		m.Entries = append(m.Entries, s.entryToView(names, e))
	}
	if more {
		m.Pager.Next = asked.page(v, entries[len(entries)-1].ID)
	}
	if filter.Before > 0 {
		m.Pager.Previous, m.Pager.First = asked.page(v, 0), true
	}
	return page.Render(c, fiber.StatusOK, views.ListPage(v.Layout(c, shell.AuditSection, "Audit"), m))
}

// within leaves out what the workspace's plan does not show.
func (s pages) within(c *fiber.Ctx, v page.Visit, filter audit.Filter) (audit.Filter, error) {
	p, err := s.Tenants.Plans.Existing(c.UserContext(), v.Member.Workspace.Plan)
	return filter.Within(p.Limits.AuditDays, s.Now()), err
}

// export sends the entries that the filters choose, as a file that is made while it is
// read.
func (s pages) export(c *fiber.Ctx, v page.Visit) error {
	filter, wrong := askedOf(c).filter(v.Person.User.Location())
	if wrong != "" {
		return fault.New(fault.Invalid, "%s", wrong)
	}
	filter, err := s.within(c, v, filter)
	if err != nil {
		return err
	}
	as, kind := export.CSV, "text/csv; charset=utf-8"
	if c.Query("format") == string(export.JSONL) {
		as, kind = export.JSONL, "application/jsonl; charset=utf-8"
	}
	filter.Before = 0
	entries, err := s.Audit.Export(context.WithoutCancel(c.UserContext()), v.WorkspaceID(), filter, string(as))
	if err != nil {
		return err
	}
	return page.SendFile(c, v, kind, "audit-"+s.Now().UTC().Format(time.DateOnly)+"."+string(as), export.NewReader(entries, as))
}

func (s pages) entry(c *fiber.Ctx, v page.Visit) error {
	shown, err := s.within(c, v, audit.Filter{})
	if err != nil {
		return err
	}
	id, _ := strconv.ParseInt(c.Params("entry"), 10, 64)
	sequence, _ := s.IDs.EntrySequence(id)
	e, err := s.Audit.Entry(c.UserContext(), v.WorkspaceID(), sequence, shown.Since)
	if err != nil {
		return err
	}
	names, err := s.names(c, v, []audit.Entry{e})
	if err != nil {
		return err
	}
	m := views.Record{
		Entry: s.entryToView(names, e), UserID: e.Actor.UserID, ObjectKind: e.Object.Kind, ObjectID: e.Object.ID, RequestID: e.Origin.RequestID,
		Tells: slices.Contains([]audit.Action{audit.Exported, audit.ConversationsExported}, e.Action), Removed: e.AddressState() == audit.AddressRemoved, Hash: e.Hash, Place: strconv.FormatInt(e.Seq, 10),
		ByActor: filteredBy(v, "actor", e.Actor.Name), FromAddress: filteredBy(v, "address", e.Origin.Address), OfRequest: filteredBy(v, "request", e.Origin.RequestID),
	}
	if e.Object.ID != "" {
		m.OnObject = filteredBy(v, "object", e.Object.Kind, "id", e.Object.ID)
	}
	for _, change := range e.Changes {
		m.Settings = append(m.Settings, views.Setting{
			Name: fieldName(change.Field), Old: names.in(change.Old), New: names.in(change.New), Withheld: change.Old == "" && change.New == "",
		})
	}
	layout := v.Layout(c, shell.AuditSection, m.What).At(shell.Crumb{Text: "Audit", URL: shell.AuditURL(v.WorkspaceID())})
	return page.Render(c, fiber.StatusOK, views.EntryPage(layout, m))
}

func (s pages) entryToView(n nameList, e audit.Entry) views.Entry {
	shown := views.Entry{
		URL: shell.AuditEntryURL(e.WorkspaceID, strconv.FormatInt(s.IDs.Entry(e.ID), 10)), At: e.At, Actor: e.Actor.Title(), Action: string(e.Action),
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
	field := fieldName(change.Field)
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

// actorOptions are the members and whoever else acts, with the one that is chosen.
func actorOptions(members []tenant.Member, chosen string) []ui.Option {
	options := []ui.Option{{Value: "", Text: "Everybody"}}
	for _, m := range members {
		options = append(options, ui.Option{Value: m.Email, Text: m.Email})
	}
	for _, actor := range []audit.Actor{audit.Operator, audit.Stripe, audit.System} {
		options = append(options, ui.Option{Value: actor.Name, Text: actor.Title()})
	}
	return withChosen(options, chosen)
}

// objectOptions are the kinds of objects that a workspace has, with the one that is chosen.
func objectOptions(chosen string) []ui.Option {
	options := []ui.Option{{Value: "", Text: "Any"}}
	for _, kind := range objects {
		options = append(options, ui.Option{Value: kind, Text: kind})
	}
	return withChosen(options, chosen)
}

func withChosen(options []ui.Option, chosen string) []ui.Option {
	if slices.ContainsFunc(options, func(o ui.Option) bool { return o.Value == chosen }) {
		return options
	}
	return append(options, ui.Option{Value: chosen, Text: chosen})
}

// filteredBy is the page with the entries that have some values, or nothing if one is
// empty.
func filteredBy(v page.Visit, pairs ...string) string {
	query := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			return ""
		}
		query.Set(pairs[i], pairs[i+1])
	}
	return shell.AuditURL(v.WorkspaceID()) + "?" + query.Encode()
}
