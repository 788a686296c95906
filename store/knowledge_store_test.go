package store_test

import (
	"parley/core/knowledge"
	"parley/core/knowledge/rebuild"
	"parley/core/retrieval"
)

var _ knowledgeStore = (*everything)(nil)

// knowledgeStore is all that package knowledge stores in.
type knowledgeStore interface {
	knowledge.Transactions
	knowledge.Workspaces
	knowledge.Plans
	knowledge.Chatbots
	knowledge.Sizes
	knowledge.DocumentStore
	knowledge.UploadStore
	knowledge.OriginalStore
	knowledge.SourceStore
	knowledge.PassageStore
	knowledge.RemovalStore
	knowledge.EmbeddingStore
	rebuild.Documents
	rebuild.Removals
	rebuild.Marks
	rebuild.Changes
	retrieval.Passages
	knowledge.DueStore
}
