package indextest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/core/knowledge"
)

func testEmptyScope(_ *testing.T, b *bundle) {
	b.wantFound(home, "apples")
	b.wantCount(home, "doc", 0)
	b.replace(other, "doc", passages("doc", 1, "red apples"))
	b.wantFound(home, "apples")
}

// Hostile holds texts that have broken query languages.
var Hostile = []string{
	"", " ", "\x00", "a\x00b", `"`, `""`, `"apples`, `'`, `' OR 1=1 --`, `\`, `*`, `a*`, `^a`, `-a`, `+a`, `a - b`, `:`, `title:apples`, `{title body}:a`,
	`(`, `)`, `(((`, `a AND`, `OR`, `NOT`, `NEAR(a b, 5)`, `AND OR NOT`, `a^2`, `a~1`, `[a TO z]`, `/a/`, `{`, `}`, `%s%n`, `$1 ?1 :a @a`,
	"🙂", "\U0001F3F4\U000E0067\U000E0062\U000E007F", "\xff\xfe", "\u202e", "é e\u0301", "\u0301", "你好", "ß İ ı", "\r\n\t\v", "{\"a\": [1]}", `<a href="b">`,
	"the and of", "?", "...", "\ufffd", strings.Repeat("apples ", 15_000), strings.Repeat("a", 100_000), strings.Repeat(`"(`, 50_000),
	strings.Repeat("🙂", 25_000),
}

func testHostile(t *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1, "red apples"))
	for _, text := range Hostile {
		b.search(home, text)
		b.search(home, "apples", text)
		b.search(home, text, text, text)
	}
	if got := b.search(home, `"apples" AND (`); len(got) != 1 {
		t.Errorf("found %v among operators, want passage 1", ids(got))
	}
}

func testHostilePassages(_ *testing.T, b *bundle) {
	list := passages("doc", 1, Hostile...)
	for i := range list {
		list[i].Title, list[i].HeadingPath = list[i].Text, []string{list[i].Text}
	}
	b.replace(home, "doc", list)
	b.wantCount(home, "doc", len(list))
	b.replace(home, "doc", passages("doc", 1, "red apples"))
	b.wantFound(home, "apples", 1)
}

func testLimit(t *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1, "apple a", "apple b", "apple c", "apple d"))
	for limit := 1; limit <= 5; limit++ {
		hits, err := b.index.Search(t.Context(), home, knowledge.Query{Text: "apple", Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) != min(limit, 4) {
			t.Errorf("limit %d gave %d hits", limit, len(hits))
		}
	}
}

func testOrder(t *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1,
		"opening hours of the shop", "refunds take long and apples are red", "how refunds of express orders are paid", "apples", "bananas"))
	hits := b.search(home, "refunds for express orders")
	if len(hits) != 2 || hits[0].PassageID != 3 || hits[0].DocumentID != "doc" {
		t.Fatalf("found %+v, want passage 3 before passage 2", hits)
	}
	if hits[0].Score <= hits[1].Score {
		t.Errorf("scores %v and %v do not fall", hits[0].Score, hits[1].Score)
	}
}

func testTitleAndHeading(_ *testing.T, b *bundle) {
	b.replace(home, "doc", []knowledge.Passage{
		{ID: 1, DocumentID: "doc", Title: "Warranty", HeadingPath: []string{"Germany", "Deadlines"}, Text: "Two years."},
		{ID: 2, DocumentID: "doc", Title: "Warranty", HeadingPath: []string{"France"}, Text: "Three years."},
	})
	b.wantFound(home, "warranty", 1, 2)
	b.wantFound(home, "Germany", 1)
	b.wantFound(home, "DEADLINES", 1)
}

func testContext(t *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1, "the price of the basic plan", "the price of the premium plan", "something else"))
	hits := b.search(home, "and what is the price?", "Tell me about premium")
	if len(hits) < 2 || hits[0].PassageID != 2 {
		t.Errorf("found %v, want passage 2 first", ids(hits))
	}
	if hits := b.search(home, "why?", "Tell me about premium"); len(hits) != 1 || hits[0].PassageID != 2 {
		t.Errorf("found %v for a question without terms of its own, want passage 2", ids(hits))
	}
}

func testContextWeight(t *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1, "apples are red", "bananas are yellow", "cars", "houses", "trees"))
	if hits := b.search(home, "bananas", "apples", "apples"); len(hits) == 0 || hits[0].PassageID != 2 {
		t.Errorf("found %v, want passage 2 first", ids(hits))
	}
}

func testCancelled(t *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1, "red apples"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, searching := b.index.Search(ctx, home, knowledge.Query{Text: "apples", Limit: 1})
	_, counting := b.index.Count(ctx, home, "doc")
	for call, err := range map[string]error{
		"search":  searching,
		"count":   counting,
		"replace": b.index.Replace(ctx, home, "doc", passages("doc", 2, "pears")),
		"remove":  b.index.Remove(ctx, home, "doc"),
		"drop":    b.index.Drop(ctx, home),
		"check":   b.index.Check(ctx),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s gave %v, want context.Canceled", call, err)
		}
	}
	b.wantFound(home, "apples pears", 1)
}

func testCheck(t *testing.T, b *bundle) {
	if err := b.index.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
}
