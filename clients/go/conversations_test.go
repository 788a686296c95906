package parley_test

import (
	cryptorand "crypto/rand"
	"errors"
	"iter"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	parley "parley/clients/go"
)

// collect reads a list to its end.
func collect[T any](t *testing.T, entries iter.Seq2[T, error]) (all []T) {
	t.Helper()
	for entry, err := range entries {
		must(t, err)
		all = append(all, entry)
	}
	return all
}

// TestConversations also loses the first answer to each request.
func TestConversations(t *testing.T) {
	c := client(t, "PARLEY_LOSS_URL")
	user := "go/" + cryptorand.Text()
	created, err := c.CreateConversation(t.Context(), parley.NewConversation{ExternalUserID: user, Metadata: map[string]string{"order": "4711", "old": "x"}})
	must(t, err)
	asked, err := c.Ask(t.Context(), parley.Question{Message: question.Message, ExternalUserID: user, Metadata: map[string]string{"page": "help"}})
	must(t, err)

	t.Run("one without a question has no answer to stop", func(t *testing.T) {
		stopped, err := c.Stop(t.Context(), created.ID)
		must(t, err)
		if stopped.MessageID != 0 || created.Metadata["order"] != "4711" {
			t.Errorf("created %+v, stopped %+v", created, stopped)
		}
	})
	t.Run("those of an end user are listed, newest first", func(t *testing.T) {
		all := collect(t, c.Conversations(t.Context(), parley.ConversationFilter{ExternalUserID: user, Status: "active", CreatedAfter: time.Now().Add(-time.Hour)}))
		if len(all) != 2 || all[0].ID != asked.ConversationID || all[1].ID != created.ID || all[0].Title != question.Message || all[0].Metadata["page"] != "help" || all[0].ExternalUserID != user {
			t.Errorf("they are %+v", all)
		}
	})
	t.Run("none is listed of a time to come", func(t *testing.T) {
		if all := collect(t, c.Conversations(t.Context(), parley.ConversationFilter{ExternalUserID: user, CreatedAfter: time.Now().Add(time.Hour)})); len(all) != 0 {
			t.Errorf("they are %+v", all)
		}
	})
	t.Run("one gets a title and other metadata", func(t *testing.T) {
		changed, err := c.ChangeConversation(t.Context(), created.ID, parley.ConversationChange{Title: new("Opening hours"), Metadata: map[string]*string{"order": new("4712"), "old": nil}})
		must(t, err)
		got, err := c.Conversation(t.Context(), created.ID)
		must(t, err)
		if want := map[string]string{"order": "4712"}; got.Title != "Opening hours" || !maps.Equal(got.Metadata, want) || got.Title != changed.Title {
			t.Errorf("changed %+v, got %+v", changed, got)
		}
		cleared, err := c.ChangeConversation(t.Context(), created.ID, parley.ConversationChange{ClearMetadata: true})
		must(t, err)
		if len(cleared.Metadata) != 0 || cleared.Title != "Opening hours" {
			t.Errorf("it is %+v", cleared)
		}
		if _, err := c.ChangeConversation(t.Context(), created.ID, parley.ConversationChange{ClearMetadata: true, Metadata: map[string]*string{}}); err == nil {
			t.Error("a change that contradicts itself is sent")
		}
	})
	t.Run("messages include sources and usage", func(t *testing.T) {
		all := collect(t, c.Messages(t.Context(), asked.ConversationID, parley.IncludeSources, parley.IncludeUsage))
		if len(all) != 2 || len(all[1].Sources) == 0 || all[1].Usage == nil || all[1].Usage.Outcome != parley.Answered {
			t.Errorf("they are %+v", all)
		}
	})
	t.Run("one is deleted, and not found twice", func(t *testing.T) {
		must(t, c.DeleteConversation(t.Context(), created.ID))
		err := client(t, "PARLEY_URL").DeleteConversation(t.Context(), created.ID)
		if e, is := errors.AsType[*parley.Error](err); !is || e.Status != http.StatusNotFound {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("an end user's name may be in any script", func(t *testing.T) {
		name := "Zoë " + cryptorand.Text()
		mine := client(t, "PARLEY_URL", parley.WithEndUser(name))
		created, err := mine.CreateConversation(t.Context(), parley.NewConversation{})
		must(t, err)
		got, err := mine.Conversation(t.Context(), created.ID)
		must(t, err)
		ids := collect(t, mine.Conversations(t.Context(), parley.ConversationFilter{}))
		if got.ExternalUserID != name || !slices.ContainsFunc(ids, func(c parley.Conversation) bool { return c.ID == created.ID }) {
			t.Errorf("it is %+v of %+v", got, ids)
		}
	})
}

// TestLists reads a list of more than one page.
func TestLists(t *testing.T) {
	c, user := client(t, "PARLEY_URL"), "go/"+cryptorand.Text()
	for range 101 {
		_, err := c.CreateConversation(t.Context(), parley.NewConversation{ExternalUserID: user})
		must(t, err)
	}
	seen := map[parley.ID]bool{}
	for _, one := range collect(t, c.Conversations(t.Context(), parley.ConversationFilter{ExternalUserID: user})) {
		seen[one.ID] = true
	}
	if len(seen) != 101 {
		t.Errorf("they are %d", len(seen))
	}
	for range c.Conversations(t.Context(), parley.ConversationFilter{ExternalUserID: user}) {
		break // a reader may leave
	}
}
