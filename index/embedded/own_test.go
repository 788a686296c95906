package embedded

import (
	"path/filepath"
	"testing"

	"parley/core/retrieval"
	"parley/index/indextest"
)

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
	t.Run("clearing a workspace of which nothing is there is no error", func(t *testing.T) {
		if left, err := own.Clear(t.Context(), "nobody"); left != 0 || err != nil {
			t.Errorf("%d are left, %v", left, err)
		}
	})
}
