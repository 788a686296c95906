package indextest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/core/retrieval"
	"parley/text/lexical"
)

// testScores changes scopes at random, and compares searches with the formula
// after each round of changes.
func testScores(t *testing.T, b *bundle) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		scope := retrieval.Scope{WorkspaceID: "ws", ChatbotID: fmt.Sprint("cb_", seed)}
		words, kept := 20+random.IntN(200), newReference()
		for range 4 {
			for range 1 + random.IntN(12) {
				b.changeAtRandom(random, scope, words, kept)
			}
			for range 6 {
				query := retrieval.IndexQuery{Limit: 1 + random.IntN(40)}
				for _, word := range random.Perm(words + 5)[:1+random.IntN(15)] {
					query.Terms = append(query.Terms, retrieval.Term{Text: fmt.Sprint("w", word), Weight: 1 + random.IntN(9)})
				}
				b.wantLexical(scope, query, kept)
			}
		}
		for document, entries := range kept.documents {
			b.wantCount(scope, document, len(entries))
		}
	}
}

// changeAtRandom removes one of twenty documents, or replaces it with up to twelve
// entries of up to eighty words, the first of which are common.
func (b *bundle) changeAtRandom(random *rand.Rand, scope retrieval.Scope, words int, kept *reference) {
	b.Helper()
	number := random.IntN(20)
	document := fmt.Sprint("doc_", number)
	if random.IntN(5) == 0 {
		b.remove(scope, document)
		delete(kept.documents, document)
		return
	}
	var entries []retrieval.Entry
	for i := range 1 + random.IntN(12) {
		e := retrieval.Entry{PassageID: int64(1000*number + 100*random.IntN(5) + i + 1), DocumentID: document}
		for range 1 + random.IntN(80) {
			e.Terms = append(e.Terms, fmt.Sprint("w", min(random.IntN(words), random.IntN(words))))
		}
		if !slices.ContainsFunc(entries, func(o retrieval.Entry) bool { return o.PassageID == e.PassageID }) {
			entries = append(entries, e)
		}
	}
	b.replace(scope, document, entries)
	kept.documents[document] = entries
}

func testWeights(t *testing.T, b *bundle) {
	b.replace(home, "doc", Entries("doc", 1, "apples are red", "bananas are yellow", "cars", "houses", "trees"))
	ask := func(weight int) retrieval.Hit {
		hits := b.search(home, retrieval.IndexQuery{Terms: []retrieval.Term{{Text: "bananas", Weight: weight}}, Limit: 5}).Lexical
		if len(hits) != 1 || hits[0].PassageID != 2 {
			t.Fatalf("found %v, want passage 2", hits)
		}
		return hits[0]
	}
	one, hundred := ask(1), ask(100)
	if math.Abs(hundred.Score-100*one.Score) > tolerance*hundred.Score {
		t.Errorf("weight 100 gave %v, weight 1 gave %v", hundred.Score, one.Score)
	}
	terms := []retrieval.Term{{Text: "apples", Weight: 1}, {Text: "bananas", Weight: 3}}
	if hits := b.search(home, retrieval.IndexQuery{Terms: terms, Limit: 5}).Lexical; !slices.Equal(ids(hits), []int64{2, 1}) {
		t.Errorf("found %v, want the passage of the heavier term first", hits)
	}
}

// testTies gives many passages the same terms, in documents whose order differs from the
// passages' order.
func testTies(t *testing.T, b *bundle) {
	var want []int64
	for i := range int64(20) {
		document := fmt.Sprint("doc_", i)
		first := 1 + (i*7%20)*10
		b.replace(home, document, Entries(document, first, "the same words", "the same words", "unlike"))
		want = append(want, first, first+1)
	}
	slices.Sort(want)
	for _, limit := range []int{1, 2, 3, 7, 39, 40, 100} {
		got := ids(b.search(home, retrieval.IndexQuery{Terms: Terms("same words"), Limit: limit}).Lexical)
		if first := want[:min(limit, len(want))]; !slices.Equal(got, first) {
			t.Errorf("limit %d found %v, want %v", limit, got, first)
		}
	}
}

func testManyTerms(_ *testing.T, b *bundle) {
	kept := newReference()
	random := rand.New(rand.NewPCG(3, 3))
	for i := range 12 {
		document := fmt.Sprint("doc_", i)
		var entries []retrieval.Entry
		for j := range 5 {
			var terms []string
			for range 30 {
				terms = append(terms, fmt.Sprintf("%0*d", lexical.MaxTerm, random.IntN(150)))
			}
			entries = append(entries, retrieval.Entry{PassageID: int64(10*i + j + 1), DocumentID: document, Terms: terms})
		}
		b.replace(home, document, entries)
		kept.documents[document] = entries
	}
	query := retrieval.IndexQuery{Limit: 1000}
	for i := range 100 {
		query.Terms = append(query.Terms, retrieval.Term{Text: fmt.Sprintf("%0*d", lexical.MaxTerm, i), Weight: 100})
	}
	b.wantLexical(home, query, kept)
}

func testLimit(t *testing.T, b *bundle) {
	entries := Entries("doc", 1, "apple a", "apple b", "apple c", "apple d")
	for i := range entries {
		entries[i].Vector = unit(1, float32(i))
	}
	b.replace(home, "doc", entries)
	for limit := 1; limit <= 5; limit++ {
		hits := b.search(home, retrieval.IndexQuery{Terms: Terms("apple"), Vector: unit(1, 0), Limit: limit})
		if len(hits.Lexical) != min(limit, 4) || len(hits.Near) != min(limit, 4) {
			t.Errorf("limit %d gave %d and %d hits", limit, len(hits.Lexical), len(hits.Near))
		}
	}
}

func testEmpty(t *testing.T, b *bundle) {
	b.wantFound(home, "apples")
	b.wantCount(home, "doc", 0)
	b.replace(other, "doc", Entries("doc", 1, "red apples"))
	b.wantFound(home, "apples")
	for _, query := range []retrieval.IndexQuery{{Limit: 10}, {Limit: 10, Terms: Terms("unknown"), OccurrencesOf: 10}} {
		if hits := b.search(other, query); len(hits.Lexical)+len(hits.Near) != 0 {
			t.Errorf("%+v found %+v", query, hits)
		}
	}
}
