package indextest

import (
	"slices"
	"strings"
	"testing"

	"parley/core/retrieval"
	"parley/text/lexical"
)

// Hostile lists terms that have broken query languages, encodings and tokenizers.
// All are distinct, valid UTF-8 without white space.
var Hostile = []string{
	`"`, `""`, `"apples`, `'`, `';--`, `\`, `\\`, `\"`, `\n`, `%`, `%s%n`, `*`, `a*`, `?`, `a?`, `^a`, `-a`, `+a`, `:`, `title:apples`, `{title}:a`,
	`(`, `)`, `(((`, `AND`, `and`, `OR`, `NOT`, `NEAR(a,5)`, `a^2`, `a~1`, `[a`, `]`, `/a/`, `{`, `}`, `$1`, `@a`, `#`, "`", `<a`, `&amp;`, `null`, `0`, `-1`,
	"\x00", "a\x00b", "\x01", "\x07", "\x1b[0m", "\x7f", "\u0080", "\u200b", "\ufeff", "\u200d", "\u202e", "\ufffd", "\uffff", "\U0010ffff",
	"🙂", "👩‍👩‍👧", "\U0001F3F4\U000E0067\U000E0062\U000E007F", "\u0301", "e\u0301", "é", "É", "E", "e", "ß", "ss", "SS", "İ", "i", "ı", "I", "你", "你好", "ﬁ", "fi",
	strings.Repeat("a", lexical.MaxTerm), strings.Repeat("a", lexical.MaxTerm-1), strings.Repeat("🙂", lexical.MaxTerm/4), strings.Repeat("\x00", lexical.MaxTerm),
}

// testHostileTerms indexes a passage for each term. Each term must find its own
// passage and no other.
func testHostileTerms(t *testing.T, b *bundle) {
	var entries []retrieval.Entry
	var all []retrieval.Term
	for i, term := range Hostile {
		entries = append(entries, retrieval.Entry{PassageID: int64(i + 1), DocumentID: "doc", Terms: []string{term}})
		all = append(all, retrieval.Term{Text: term, Weight: 1})
	}
	b.replace(home, "doc", entries)
	b.wantCount(home, "doc", len(Hostile))
	for i, term := range Hostile {
		hits := b.search(home, retrieval.IndexQuery{Terms: all[i : i+1], Limit: 10, OccurrencesOf: 1}).Lexical
		if len(hits) != 1 || hits[0].PassageID != int64(i+1) || !slices.Equal(hits[0].Occurrences, []retrieval.Occurrence{{}}) {
			t.Errorf("term %q found %+v, want passage %d", term, hits, i+1)
		}
	}
	if hits := b.search(home, retrieval.IndexQuery{Terms: all, Limit: 1000}).Lexical; len(hits) != len(Hostile) {
		t.Errorf("all terms together found %d passages, want %d", len(hits), len(Hostile))
	}
}

func testHostileNames(_ *testing.T, b *bundle) {
	for i, text := range []string{`"`, `'); DROP TABLE scope`, `\`, `*`, `🙂`, `a/../b`, strings.Repeat("x", 60)} {
		id := int64(10*i + 1)
		entries := Entries(text, id, "apples")
		entries[0].SourceID = text
		b.replace(home, text, entries)
		b.replace(home, "plain", Entries("plain", id+1, "apples"))
		b.wantCount(home, text, 1)
		query := retrieval.IndexQuery{Terms: Terms("apples"), Limit: 10, Filter: retrieval.Filter{Documents: []string{text}, Sources: []string{text}}}
		if hits := b.search(home, query).Lexical; len(hits) != 1 || hits[0].PassageID != id || hits[0].DocumentID != text {
			b.Errorf("a filter by %q found %+v, want passage %d", text, hits, id)
		}
		b.remove(home, text)
		b.wantCount(home, text, 0)
	}
}
