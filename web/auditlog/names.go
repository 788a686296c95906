package auditlog

import (
	"regexp"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/audit"
	"parley/core/tenant"
	views "parley/views/auditlog"
	"parley/views/shell"
	"parley/web/page"
)

// opaque finds the identifiers of chatbots and providers in what entries say.
var opaque = regexp.MustCompile(`\b(?:cb|mp)_[0-9a-hj-km-np-tv-z]{24}\b`)

// nameList has the chatbots and providers that a workspace has, by their identifiers.
type nameList map[string]views.Piece

// names are read only where entries have identifiers.
func (s pages) names(c *fiber.Ctx, v page.Visit, entries []audit.Entry) (nameList, error) {
	named := nameList{}
	if !hasOpaque(entries) {
		return named, nil
	}
	bots, err := s.Chatbots.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return nil, err
	}
	for _, b := range bots {
		named[b.ID] = views.Piece{Text: b.Name, URL: shell.ChatbotURL(b.ID)}
	}
	providers, err := s.Chatbots.Providers.List(c.UserContext(), v.WorkspaceID())
	for _, p := range providers {
		named[p.ID] = views.Piece{Text: p.Name}
		if v.May(tenant.ManageChatbots) {
			named[p.ID] = views.Piece{Text: p.Name, URL: shell.ProviderURL(v.WorkspaceID(), p.ID)}
		}
	}
	return named, err
}

func hasOpaque(entries []audit.Entry) bool {
	for _, e := range entries {
		texts := []string{e.Object.ID, e.Detail}
		for _, change := range e.Changes {
			texts = append(texts, change.Old, change.New)
		}
		if opaque.MatchString(strings.Join(texts, " ")) {
			return true
		}
	}
	return false
}

// in is a text with names, which lead to what they name, in the place of identifiers.
// What has been deleted has no name any more.
func (n nameList) in(text string) (pieces []views.Piece) {
	from := 0
	for _, found := range opaque.FindAllStringIndex(text, -1) {
		piece, known := n[text[found[0]:found[1]]]
		if !known {
			piece = views.Piece{Text: "(deleted)", Title: text[found[0]:found[1]]}
		}
		if before := text[from:found[0]]; before != "" {
			pieces = append(pieces, views.Piece{Text: before})
		}
		pieces, from = append(pieces, piece), found[1]
	}
	if rest := text[from:]; rest != "" {
		pieces = append(pieces, views.Piece{Text: rest})
	}
	return pieces
}

// object names the object of an entry as it was called then.
func (n nameList) object(of audit.Object) views.Piece {
	now, known := n[of.ID]
	switch {
	case of.Kind != "conversation":
		return views.Piece{Text: of.Name, URL: now.URL}
	case !known: // it has the identifier of its chatbot
		return views.Piece{Text: "a deleted chatbot", Title: of.ID}
	}
	return now
}
