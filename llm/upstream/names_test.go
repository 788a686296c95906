package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	var many strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, `{"id":"model-%04d"},`, i)
	}
	for sentence, c := range map[string]struct {
		body string
		want []string
	}{
		"names come once, in their order":           {`{"data":[{"id":"b"},{"id":"a"},{"id":"b"}]}`, []string{"a", "b"}},
		"what is no name is left out":               {`{"data":[{"id":""},{"id":7},{},"x",{"id":"a\nb"},{"id":"` + strings.Repeat("x", 201) + `"},{"id":"a"}]}`, []string{"a"}},
		"an empty list is a list":                   {`{"data":[]}`, nil},
		"an answer without a list is refused":       {`{"models":[]}`, []string{"refused"}},
		"a page is refused":                         {`<html>Welcome</html>`, []string{"refused"}},
		"a body that never ends is cut and refused": {`{"data":[` + strings.Repeat(" ", 3<<20) + `]}`, []string{"refused"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			names, err := namesIn(t, c.body)
			var useless *Useless
			if errors.As(err, &useless) {
				names = []string{"refused"}
			} else if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(names, c.want) {
				t.Errorf("they are %.100q, want %q", names, c.want)
			}
		})
	}
	t.Run("a list is bounded", func(t *testing.T) {
		names, err := namesIn(t, `{"data":[`+strings.TrimSuffix(many.String(), ",")+`]}`)
		if err != nil || len(names) != maxNames {
			t.Errorf("there are %d: %v", len(names), err)
		}
	})
}

func namesIn(t *testing.T, body string) ([]string, error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.URL.RawQuery != "limit=7" {
			t.Errorf("asked was %s", r.URL)
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	client, err := NewClient(Server{BaseURL: server.URL + "/v1", HTTP: server.Client(), API: &API{Busy: func(int) bool { return false }}}, Limits{}.Complete())
	if err != nil {
		t.Fatal(err)
	}
	return client.Names(t.Context(), "models?limit=7")
}
