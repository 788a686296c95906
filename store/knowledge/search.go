package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	entsql "entgo.io/ent/dialect/sql"

	"parley/ent/generated/document"
	"parley/ent/generated/predicate"
	"parley/store"
)

// searchPatterns are the pattern of a text in lower case, and another for documents from
// before search_text was kept in lower case, unless it is the same.
func searchPatterns(text string) (pattern, older string) {
	pattern = store.PatternOf(strings.ToLower(text))
	older = store.PatternOf(strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return unicode.ToLower(r)
		}
		return r
	}, text))
	if older == pattern {
		older = ""
	}
	return pattern, older
}

// FoundBy selects documents with a text in their title or address, whatever the case.
func FoundBy(text string) predicate.Document {
	pattern, older := searchPatterns(text)
	return func(q *entsql.Selector) {
		q.Where(entsql.P(func(b *entsql.Builder) {
			b.WriteString("(").Ident(q.C(document.FieldSearchText)).WriteString(" LIKE ").Arg(pattern).WriteString(` ESCAPE '\'`)
			if older != "" {
				b.WriteString(" OR ").Ident(q.C(document.FieldSearchText)).WriteString(" LIKE ").Arg(older).WriteString(` ESCAPE '\'`)
			}
			b.WriteString(")")
		}))
	}
}
