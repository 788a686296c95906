package parley_test

import (
	cryptorand "crypto/rand"
	"errors"
	"net/http"
	"strings"
	"testing"

	parley "parley/clients/go"
)

func TestKnowledge(t *testing.T) {
	c := client(t, "PARLEY_URL")
	name := "go/" + cryptorand.Text() + "/Öffnung?"
	wantResult := func(t *testing.T, got parley.Document, err error, result string) {
		t.Helper()
		must(t, err)
		if got.Result != result || got.ID == "" {
			t.Errorf("it is %+v, want %s", got, result)
		}
	}
	text := parley.Text{Title: "Opening hours", Content: "We open at seven. " + name, ExternalID: name}
	first, err := c.AddText(t.Context(), text)
	t.Run("a text is created, unchanged and replaced by its external ID", func(t *testing.T) {
		wantResult(t, first, err, "created")
		same, err := c.AddText(t.Context(), text)
		wantResult(t, same, err, "unchanged")
		text.Content = "We open at eight. " + name
		other, err := c.AddText(t.Context(), text)
		wantResult(t, other, err, "replaced")
		ready, err := c.WaitUntilReady(t.Context(), other.ID)
		must(t, err)
		if other.ID != first.ID || ready.State != parley.StateReady || !ready.Answered {
			t.Errorf("%+v became %+v, and then %+v", first, other, ready)
		}
	})
	t.Run("a document is found by its external ID and in lists", func(t *testing.T) {
		found, err := c.DocumentByExternalID(t.Context(), name)
		must(t, err)
		listed := collect(t, c.Documents(t.Context(), parley.DocumentFilter{ExternalID: name, State: parley.StateReady}))
		if len(listed) != 1 || listed[0].ID != first.ID || found.ID != first.ID || found.ExternalID != name {
			t.Errorf("found %+v, listed %+v", found, listed)
		}
	})
	t.Run("a page is read", func(t *testing.T) {
		added, err := c.AddPage(t.Context(), parley.Page{URL: setting(t, "PARLEY_PAGE_URL"), ExternalID: name + "page"})
		must(t, err)
		ready, err := c.WaitUntilReady(t.Context(), added.ID)
		must(t, err)
		if ready.URL != setting(t, "PARLEY_PAGE_URL") || ready.Title != "Page /go" {
			t.Errorf("it is %+v", ready)
		}
	})
	t.Run("a file that cannot be read says why", func(t *testing.T) {
		added, err := c.AddFile(t.Context(), parley.File{Name: "Preis\"liste.pdf", Content: []byte("%PDF-1.4\nnothing " + name), ExternalID: name + "pdf"})
		must(t, err)
		_, err = c.WaitUntilReady(t.Context(), added.ID)
		failed, is := errors.AsType[*parley.DocumentError](err)
		if !is || failed.Document.Reason == "" || failed.Document.State != parley.StateFailed || !strings.Contains(err.Error(), failed.Document.Reason) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("names that would make another path are refused", func(t *testing.T) {
		for _, name := range []string{"", ".", ".."} {
			if _, err := c.DocumentByExternalID(t.Context(), name); err == nil {
				t.Errorf("%q is asked for", name)
			}
		}
	})
}

// TestKnowledgeOnBadNetworks loses the first answer to each request.
func TestKnowledgeOnBadNetworks(t *testing.T) {
	c := client(t, "PARLEY_LOSS_URL")
	name := "go/" + cryptorand.Text()
	added, err := c.AddFile(t.Context(), parley.File{Name: "hours.md", Content: []byte("# Hours\nFrom seven. " + name), ExternalID: name})
	must(t, err)
	ready, err := c.WaitUntilReady(t.Context(), added.ID)
	must(t, err)
	all := collect(t, c.Documents(t.Context(), parley.DocumentFilter{ExternalID: name}))
	if len(all) != 1 || ready.Title != "Hours" {
		t.Errorf("they are %+v", all)
	}
	removal, err := c.RemoveDocumentByExternalID(t.Context(), name)
	must(t, err)
	again, err := c.Removal(t.Context(), removal.ID)
	must(t, err)
	listed := false
	for one, err := range c.Removals(t.Context()) {
		must(t, err)
		if listed = one.ID == removal.ID; listed {
			break
		}
	}
	if removal.DocumentID != added.ID || removal.Title != "Hours" || again.DocumentID != added.ID || !listed {
		t.Errorf("removed %+v, again %+v, listed %v", removal, again, listed)
	}
	_, err = c.DocumentByExternalID(t.Context(), name)
	if e, is := errors.AsType[*parley.Error](err); !is || e.Status != http.StatusNotFound {
		t.Errorf("the error is %v", err)
	}
}
