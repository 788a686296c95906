// Package indextest owns what every retrieval index must do, as one suite of
// tests, and a decorator with which other packages' tests keep indexes out of
// database transactions.
//
// It does not own how good an answer is: words are analysed before they come
// to an index, and rankings are fused after they leave it.
package indextest

import (
	"testing"

	"parley/core/retrieval"
)

// Run tests an index. Each call of open gives an empty index, which open
// closes with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) retrieval.Index) {
	for _, c := range []struct {
		sentence string
		test     func(t *testing.T, b *bundle)
	}{
		{"replace makes the entries the only ones of the document", testReplace},
		{"replace is atomic under concurrent search", testAtomic},
		{"replace with no entries removes the document", testReplaceWithNone},
		{"replace refuses an entry of another document", testForeignEntry},
		{"a removed document is found no more when remove returns", testRemove},
		{"removing what is not there is no error", testRemoveNothing},
		{"dropping a scope takes all of it, and only it", testDrop},
		{"a dropped scope can be filled again", testDropAndFill},
		{"scopes do not see or change each other", testScopes},
		{"documents may change all at once, while others search", testConcurrent},

		{"scores are those of the formula, whatever was changed before", testScores},
		{"a term's weight multiplies its part of the score", testWeights},
		{"equal scores are ordered by passage, at the limit too", testTies},
		{"a hundred terms of the highest weight are a legal question", testManyTerms},
		{"a search returns no more than its limit in each list", testLimit},
		{"a search without terms and vector has no hits, nor has an empty scope", testEmpty},
		{"the first hits say where they have the question's terms, and no other", testOccurrences},
		{"what a hit says of its terms is bounded", testManyOccurrences},
		{"the idf of the question's terms comes with the hits", testIDF},
		{"and so does the similarity of a passage that its words found", testSimilarity},
		{"any term can be indexed and found", testHostileTerms},
		{"any name of a document, source or scope is legal", testHostileNames},

		{"a filter admits the documents and sources it names", testFilter},
		{"a filter changes no score", testFilterScores},
		{"a filter of many documents is legal", testManyFilters},

		{"the nearest passages come first, with their cosine as the score", testNear},
		{"the nearest of many vectors are nearly those of an exact search", testRecall},
		{"entries without a vector are found by their words only", testMixed},
		{"a vector of another dimension is refused", testDimension},
		{"a question of another dimension is one without a vector", testOtherQuestion},

		{"a rebuilt index is switched to in one step", testRebuild},
		{"a rebuild that fails leaves the old index and nothing else", testRebuildFails},
		{"a rebuild takes nothing over from the old index", testRebuildStartsEmpty},
		{"a rebuild may be filled by several at once", testRebuildConcurrently},
		{"a rebuilt index finds every vector from the switch on", testRebuildVectors},
		{"a rebuild may bring vectors of another dimension", testRebuildDimension},

		{"a done context ends every call with its error", testCanceled},
		{"an open index can be used", testCheck},
	} {
		t.Run(c.sentence, func(t *testing.T) { c.test(t, newBundle(t, open(t))) })
	}
}

// RunShared tests two handles on one empty index, as two processes have them.
func RunShared(t *testing.T, open func(t *testing.T) (one, two retrieval.Index)) {
	for _, c := range []struct {
		sentence string
		test     func(t *testing.T, one, two *bundle)
	}{
		{"what one handle changes the other finds", testSharedChanges},
		{"a switch to a rebuilt index is seen by both handles", testSharedRebuild},
		{"writers of two handles wait for each other", testSharedWriters},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			one, two := open(t)
			c.test(t, newBundle(t, one), newBundle(t, two))
		})
	}
}

var (
	home  = retrieval.Scope{WorkspaceID: "ws_1", ChatbotID: "cb_1"}
	other = retrieval.Scope{WorkspaceID: "ws_1", ChatbotID: "cb_2"}
	// foreign has the chatbot of home in another workspace.
	foreign = retrieval.Scope{WorkspaceID: "ws_2", ChatbotID: "cb_1"}
)

func testCheck(t *testing.T, b *bundle) {
	if err := b.index.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
}
