package embedded

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"parley/core/retrieval"
	"parley/index/indextest"
)

// inFile reports whether the bytes of a word stand in the index's file or its log.
func inFile(t *testing.T, path, word string) bool {
	t.Helper()
	for _, end := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte(word)) {
			return true
		}
	}
	return false
}

func TestOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	own := NewOwn(x)
	t.Run("a file keeps the first name that it is given, also when it is opened again", func(t *testing.T) {
		for _, fresh := range []string{"first", "second"} {
			if name, err := own.KeepIdentity(t.Context(), fresh); name != "first" || err != nil {
				t.Errorf("it is named %q, %v", name, err)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if x, err = Open(path); err != nil {
			t.Fatal(err)
		}
		own = NewOwn(x)
		if name, err := own.KeepIdentity(t.Context(), "third"); name != "first" || err != nil {
			t.Errorf("it is named %q, %v", name, err)
		}
	})
	t.Cleanup(func() { _ = x.Close() })
	t.Run("a workspace that is cleared has nothing left in any chatbot, and others keep theirs", func(t *testing.T) {
		scopes := []retrieval.Scope{{WorkspaceID: "gone", ChatbotID: "a"}, {WorkspaceID: "gone", ChatbotID: "b"}, {WorkspaceID: "stays", ChatbotID: "c"}}
		for i, scope := range scopes {
			document := "doc_" + scope.ChatbotID
			if err := x.Replace(t.Context(), scope, document, indextest.Entries(document, int64(10*i+1), "apples", "pears")); err != nil {
				t.Fatal(err)
			}
		}
		if left, err := own.Clear(t.Context(), "gone"); left != 0 || err != nil {
			t.Errorf("%d are left, %v", left, err)
		}
		for i, want := range []int{0, 0, 2} {
			if n, err := x.Count(t.Context(), scopes[i], "doc_"+scopes[i].ChatbotID); n != want || err != nil {
				t.Errorf("%+v has %d passages, %v, want %d", scopes[i], n, err, want)
			}
		}
	})
	t.Run("what is dropped because it is of no chatbot is not in the file", func(t *testing.T) {
		stays := retrieval.Scope{WorkspaceID: "stays", ChatbotID: "c"}
		if err := x.Replace(t.Context(), retrieval.Scope{WorkspaceID: "orphan", ChatbotID: "d"}, "doc", indextest.Entries("doc", 50, "zorblaxian")); err != nil {
			t.Fatal(err)
		}
		if !inFile(t, path, "zorblaxian") {
			t.Fatal("the word is not to be seen in the file before")
		}
		dropped, err := x.DropOthers(t.Context(), func(yield func(retrieval.Scope, error) bool) { yield(stays, nil) })
		if dropped != 1 || err != nil || inFile(t, path, "zorblaxian") {
			t.Errorf("%d were dropped, %v; or the word is still there", dropped, err)
		}
		if n, err := x.Count(t.Context(), stays, "doc_c"); n != 2 || err != nil {
			t.Errorf("the other chatbot has %d passages, %v", n, err)
		}
	})
	t.Run("clearing a workspace of which nothing is there is no error", func(t *testing.T) {
		if left, err := own.Clear(t.Context(), "nobody"); left != 0 || err != nil {
			t.Errorf("%d are left, %v", left, err)
		}
	})
}
