// Package reference owns the reference of the API: pages made from its description,
// openapi.yaml, on which people also try calls.
//
// It does not own the description (api/openapi.yaml), nor the calls: the page's script
// sends them as any program does.
package reference

import (
	"sync"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	views "parley/views/reference"
	"parley/views/shell"
	"parley/web/page"
)

type pages struct {
	*page.Base
	// described is the description, which is read when somebody looks at it first.
	described func() (views.Reference, error)
}

// Register adds the pages to an app, and what they declare to a table.
func Register(s *page.Base, app *fiber.App, table *route.Table) {
	p := pages{s, sync.OnceValues(func() (views.Reference, error) { return read(s.Description, s.Address("")) })}
	route.Add(table, app, "", s.Anyone,
		route.Get(shell.ReferenceURL, p.page, route.Open),
		route.Get(shell.ReferenceURL+"/:group", p.page, route.Open),
	)
}

// page shows a group of calls or, without one, the beginning.
func (p pages) page(c *fiber.Ctx) error {
	described, err := p.described()
	if err != nil {
		return err
	}
	l := p.PlainLayout(c, described.Title)
	l.Broad = true
	shown := views.Page{Reference: described}
	if asked := c.Params("group"); asked != "" {
		for _, group := range described.Groups {
			if group.Slug == asked {
				shown.Current = group
			}
		}
		if shown.Current.Slug == "" {
			return fiber.ErrNotFound
		}
		l.Title, l.Heading = shown.Current.Name+" – "+described.Title, shown.Current.Name
	}
	return page.Render(c, fiber.StatusOK, views.ReferencePage(l, shown))
}
