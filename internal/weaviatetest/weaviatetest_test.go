package weaviatetest_test

import (
	"net/http"
	"testing"

	"parley/internal/weaviatetest"
)

func TestStart(t *testing.T) {
	server := weaviatetest.Start(t)
	t.Run("a server answers only to its key", func(t *testing.T) {
		if got := status(t, server.URL, ""); got != http.StatusUnauthorized {
			t.Errorf("status %d without a key, want 401", got)
		}
		if got := status(t, server.URL, server.Key); got != http.StatusOK {
			t.Errorf("status %d with the key, want 200", got)
		}
	})
	t.Run("a restarted server keeps its addresses", func(t *testing.T) {
		before := server.Server
		server.Kill()
		if response, err := http.Get(server.URL + "/v1/meta"); err == nil {
			response.Body.Close()
			t.Error("a killed server answers")
		}
		server.Restart(t)
		if server.Server != before {
			t.Errorf("it was %+v and is %+v", before, server.Server)
		}
		if got := status(t, server.URL, server.Key); got != http.StatusOK {
			t.Errorf("status %d, want 200", got)
		}
	})
}

func status(t *testing.T, url, key string) int {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, url+"/v1/meta", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}
