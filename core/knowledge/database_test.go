package knowledge_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/store"
	"parley/store/bots"
	knowledgestore "parley/store/knowledge"
	"parley/store/people"
	"parley/store/storetest"
)

// epoch is when the clock of a library starts.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// furnished is a database with the workspaces and chatbots that every library begins
// with.
var furnished = storetest.NewTemplate(func(ctx context.Context, db *store.Store) error {
	for workspace, chatbotID := range map[string]string{home: bot, foreign: other} {
		if err := people.NewWorkspaces(db).CreateWorkspace(ctx, tenant.Workspace{ID: workspace, Plan: plan.Standard, CreatedAt: epoch}); err != nil {
			return err
		}
		if err := bots.NewChatbots(db).CreateChatbot(ctx, workspace, chatbot.Chatbot{ID: chatbotID, CreatedAt: epoch}); err != nil {
			return err
		}
	}
	return nil
})

// newDatabase opens a database in a folder. Whoever calls it closes it.
func newDatabase(t *testing.T, folder string) *everything {
	t.Helper()
	file := filepath.Join(folder, "parley.db")
	furnished.File(t, file)
	db, err := store.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	return allOf(db)
}

// everything is a database with all that package knowledge keeps in it.
type everything struct {
	*store.Store
	kept
}

// kept has the types that keep one subject each. Their names here are not those
// of their methods, such as Documents.
type kept struct {
	*ofChatbots
	*ofDocuments
	*ofUploads
	*ofOriginals
	*ofSources
	*ofDueWork
	*ofPassages
	*ofRemovals
	*ofUndo
	*ofRebuilds
	*ofEmbeddings
	*ofSizes
}

type (
	ofChatbots   = bots.Chatbots
	ofDocuments  = knowledgestore.Documents
	ofUploads    = knowledgestore.Uploads
	ofOriginals  = knowledgestore.Originals
	ofSources    = knowledgestore.Sources
	ofDueWork    = knowledgestore.DueWork
	ofPassages   = knowledgestore.Passages
	ofRemovals   = knowledgestore.Removals
	ofUndo       = knowledgestore.Undo
	ofRebuilds   = knowledgestore.Rebuilds
	ofEmbeddings = knowledgestore.Embeddings
	ofSizes      = knowledgestore.Sizes
)

func allOf(db *store.Store) *everything {
	return &everything{db, kept{
		bots.NewChatbots(db), knowledgestore.NewDocuments(db), knowledgestore.NewUploads(db), knowledgestore.NewOriginals(db), knowledgestore.NewSources(db), knowledgestore.NewDueWork(db),
		knowledgestore.NewPassages(db), knowledgestore.NewRemovals(db), knowledgestore.NewUndo(db), knowledgestore.NewRebuilds(db), knowledgestore.NewEmbeddings(db), knowledgestore.NewSizes(db),
	}}
}
