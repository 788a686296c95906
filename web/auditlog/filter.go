package auditlog

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/audit"
	"parley/core/audit/export"
	"parley/views/shell"
	"parley/web/page"
)

// asked is what a page of the audit log was asked for.
type asked map[string]string

// filters are the names of the parameters that choose entries.
var filters = []string{"kind", "actor", "from", "to", "object", "id", "address", "request"}

// longestAsked is longer than anything that an entry has.
const longestAsked = 400

func askedOf(c *fiber.Ctx) asked {
	a := asked{}
	for _, name := range append(slices.Clone(filters), "before") {
		a[name] = strings.TrimSpace(c.Query(name))
		if len(a[name]) > longestAsked {
			a[name] = strings.ToValidUTF8(a[name][:longestAsked], "")
		}
	}
	return a
}

// chosen has what chooses entries.
func (a asked) chosen() url.Values {
	query := url.Values{}
	for _, name := range filters {
		if a[name] != "" {
			query.Set(name, a[name])
		}
	}
	return query
}

// page is the page of the same filters before an entry, the first for zero.
func (a asked) page(v page.Visit, before int64) string {
	query := a.chosen()
	if before > 0 {
		query.Set("before", strconv.FormatInt(before, 10))
	}
	return withQuery(shell.AuditURL(v.WorkspaceID()), query)
}

// export is the file of the same filters.
func (a asked) export(v page.Visit, format export.Format) string {
	query := a.chosen()
	query.Set("format", string(format))
	return withQuery(shell.AuditURL(v.WorkspaceID())+"/export", query)
}

func withQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// filter reads the parameters. Days begin and end in the person's time zone.
func (a asked) filter(zone *time.Location) (filter audit.Filter, wrong string) {
	filter = audit.Filter{
		Actions: actionsOf(a["kind"]), Actor: a["actor"], ObjectKind: a["object"], ObjectID: a["id"], Address: a["address"], RequestID: a["request"], Limit: entriesShown,
	}
	if address, err := netip.ParseAddr(a["address"]); err == nil { // however it was written
		filter.Address = address.String()
	}
	var err error
	if a["from"] != "" {
		if filter.Since, err = time.ParseInLocation(time.DateOnly, a["from"], zone); err != nil {
			wrong = "Choose a day to begin with, such as 2026-01-31."
		}
	}
	if a["to"] != "" {
		last, err := time.ParseInLocation(time.DateOnly, a["to"], zone)
		if err != nil {
			wrong = "Choose a last day, such as 2026-01-31."
		} else {
			filter.Until = last.AddDate(0, 0, 1)
		}
	}
	filter.Before, _ = strconv.ParseInt(a["before"], 10, 64)
	filter.Before = max(0, filter.Before)
	return filter, wrong
}

// actionsOf are the actions of a kind: none for all, and one that does not exist for an
// unknown kind.
func actionsOf(kind string) (actions []audit.Action) {
	if kind == "" {
		return nil
	}
	for _, action := range audit.Actions() {
		group, _, _ := strings.Cut(string(action), ".")
		if kindOf(group) == kind {
			actions = append(actions, action)
		}
	}
	if actions == nil {
		return []audit.Action{"none"}
	}
	return actions
}
