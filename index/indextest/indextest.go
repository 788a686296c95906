// Package indextest tests retrieval indexes: it has a suite that every index must
// pass, and a decorator with which other packages' tests keep indexes out of
// database transactions.
//
// It does not measure how good results are: texts are analyzed before they reach an
// index, and rankings are fused after they leave it.
package indextest

import (
	"testing"

	"parley/core/retrieval"
)

// Run tests an index. Each call of open returns an empty index, which open closes
// with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) retrieval.Index) {
	for _, c := range []struct {
		sentence string
		test     func(t *testing.T, b *bundle)
	}{
		{"Replace replaces all entries of the document", testReplace},
		{"Replace is atomic under concurrent search", testAtomic},
		{"Replace without entries removes the document", testReplaceWithNone},
		{"Replace refuses an entry of another document", testForeignEntry},
		{"when Remove returns, searches no longer find the document", testRemove},
		{"removing a missing document is not an error", testRemoveNothing},
		{"dropping a scope deletes all of it, and nothing else", testDrop},
		{"a dropped scope can be filled again", testDropAndFill},
		{"dropping the others keeps what is named, and what comes meanwhile", testDropOthers},
		{"dropping the others drops nothing when the list of the kept breaks off", testDropOthersFails},
		{"scopes do not see or change each other", testScopes},
		{"many documents can change during searches", testConcurrent},

		{"scores follow the formula, whatever changed before", testScores},
		{"a term's weight multiplies its part of the score", testWeights},
		{"equal scores are ordered by passage, even at the limit", testTies},
		{"a hundred terms of the highest weight are a valid query", testManyTerms},
		{"a search returns no more than its limit in each list", testLimit},
		{"a search without terms or vector has no hits, and neither has an empty scope", testEmpty},
		{"only the first hits say where they have the query's terms", testOccurrences},
		{"the occurrences in a hit are bounded", testManyOccurrences},
		{"the idf of the query's terms comes with the hits", testIDF},
		{"so does the similarity of a passage found by its words", testSimilarity},
		{"any term can be indexed and found", testHostileTerms},
		{"any name of a document, source or scope is valid", testHostileNames},

		{"a filter admits the named documents and sources", testFilter},
		{"a filter changes no score", testFilterScores},
		{"a filter of many documents is valid", testManyFilters},

		{"the nearest passages come first, with their cosine as the score", testNear},
		{"the nearest of many vectors are nearly the same as in an exact search", testRecall},
		{"entries without a vector are found only by their words", testMixed},
		{"a vector of another dimension is refused", testDimension},
		{"a query with a vector of another dimension works as one without a vector", testOtherQuestion},

		{"the switch to a rebuilt index takes one step", testRebuild},
		{"a rebuild that fails leaves the old index and nothing else", testRebuildFails},
		{"a rebuild takes nothing from the old index", testRebuildStartsEmpty},
		{"several goroutines can fill a rebuild", testRebuildConcurrently},
		{"a rebuilt index finds every vector from the switch onward", testRebuildVectors},
		{"a rebuild can change the dimension of vectors", testRebuildDimension},

		{"several documents are replaced in one call", testFill},
		{"one call replaces hundreds of documents, and tells which are missing", testFillMany},
		{"a call for several documents refuses what one for a single one refuses", testFillRefuses},
		{"several documents go into a rebuilt index in one call", testFillRebuild},
		{"an index tells which scopes hold less than expected, or more", testLacking},

		{"every call returns the error of an ended context", testCanceled},
		{"an open index passes its check", testCheck},
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
		{"one handle finds what the other changes", testSharedChanges},
		{"a switch to a rebuilt index takes effect for both handles", testSharedRebuild},
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
