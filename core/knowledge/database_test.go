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
	"parley/store/storetest"
)

// epoch is when the clock of a library starts.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// furnished is a database with the workspaces and chatbots that every library begins
// with.
var furnished = storetest.NewTemplate(func(ctx context.Context, db *store.Store) error {
	for workspace, chatbotID := range map[string]string{home: bot, foreign: other} {
		if err := store.NewWorkspaces(db).CreateWorkspace(ctx, tenant.Workspace{ID: workspace, Plan: plan.Standard, CreatedAt: epoch}); err != nil {
			return err
		}
		if err := store.NewChatbots(db).CreateChatbot(ctx, workspace, chatbot.Chatbot{ID: chatbotID, CreatedAt: epoch}); err != nil {
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
	ofChatbots   = store.Chatbots
	ofDocuments  = store.Documents
	ofUploads    = store.Uploads
	ofSources    = store.Sources
	ofDueWork    = store.DueWork
	ofPassages   = store.Passages
	ofRemovals   = store.Removals
	ofUndo       = store.Undo
	ofRebuilds   = store.Rebuilds
	ofEmbeddings = store.Embeddings
	ofSizes      = store.Sizes
)

func allOf(db *store.Store) *everything {
	return &everything{db, kept{
		store.NewChatbots(db), store.NewDocuments(db), store.NewUploads(db), store.NewSources(db), store.NewDueWork(db),
		store.NewPassages(db), store.NewRemovals(db), store.NewUndo(db), store.NewRebuilds(db), store.NewEmbeddings(db), store.NewSizes(db),
	}}
}
