// Package weaviatetest gives a test a real Weaviate server, or a part of one.
//
// It starts, kills and stops such servers. It does not own how to set one up:
// scripts/weaviate.sh does, and builds it.
package weaviatetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/testinputs"
)

// The environment variables that name the server of scripts/with-weaviate.sh.
const (
	Variable    = "PARLEY_TEST_WEAVIATE"
	KeyVariable = "PARLEY_TEST_WEAVIATE_KEY"
)

// patience limits the start of a server, and one call, on a machine busy with other
// tests.
const patience = time.Minute

// Server holds the addresses of a server and its key.
type Server struct {
	// URL is the address of the REST interface.
	URL string
	// GRPC is the host and port of the gRPC interface.
	GRPC string
	Key  string
}

// New returns the server that scripts/with-weaviate.sh started, or starts one for this
// test if there is none. Tests share it: each uses its own [Server.Prefix].
func New(t testing.TB) Server {
	t.Helper()
	testinputs.Use()
	address := os.Getenv(Variable)
	if address == "" {
		return Start(t).Server
	}
	server, err := parse(address, os.Getenv(KeyVariable))
	if err != nil {
		t.Fatalf("%s is not like http://127.0.0.1:8080?grpc=50051.", Variable)
	}
	return server
}

func parse(address, key string) (Server, error) {
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return Server{}, err
	}
	grpc := parsed.Query().Get("grpc")
	parsed.RawQuery = ""
	return Server{URL: parsed.String(), GRPC: parsed.Hostname() + ":" + grpc, Key: strings.TrimSpace(key)}, nil
}

// Prefix returns a prefix for the names of a test's collections, which are
// deleted when the test ends.
func (s Server) Prefix(t testing.TB) string {
	t.Helper()
	prefix := "T" + rand.Text()
	t.Cleanup(func() {
		var aliases struct{ Aliases []struct{ Alias string } }
		s.Ask(t, http.MethodGet, "/v1/aliases", nil, &aliases)
		for _, found := range aliases.Aliases {
			if strings.HasPrefix(found.Alias, prefix) {
				s.Ask(t, http.MethodDelete, "/v1/aliases/"+found.Alias, nil, nil)
			}
		}
		for _, name := range s.Collections(t) {
			if strings.HasPrefix(name, prefix) {
				s.Ask(t, http.MethodDelete, "/v1/schema/"+name, nil, nil)
			}
		}
	})
	return prefix
}

// Collections returns the names of all collections on the server.
func (s Server) Collections(t testing.TB) []string {
	t.Helper()
	var schema struct{ Classes []struct{ Class string } }
	s.Ask(t, http.MethodGet, "/v1/schema", nil, &schema)
	var names []string
	for _, found := range schema.Classes {
		names = append(names, found.Class)
	}
	return names
}

// Tenants returns the activity status of a collection's tenants, by name.
func (s Server) Tenants(t testing.TB, collection string) map[string]string {
	t.Helper()
	var tenants []struct{ Name, ActivityStatus string }
	s.Ask(t, http.MethodGet, "/v1/schema/"+collection+"/tenants", nil, &tenants)
	status := map[string]string{}
	for _, found := range tenants {
		status[found.Name] = found.ActivityStatus
	}
	return status
}

// Ask calls the REST interface with a body, unless that is nil, and decodes the
// answer. It fails the test if the call fails.
func (s Server) Ask(t testing.TB, method, path string, send, answer any) {
	t.Helper()
	status, body, err := s.call(method, path, send)
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
		return
	}
	if status != http.StatusOK && status != http.StatusNoContent {
		t.Errorf("%s %s: status %d: %.300s", method, path, status, body)
		return
	}
	if answer == nil {
		return
	}
	if err := json.Unmarshal(body, answer); err != nil {
		t.Errorf("%s %s: %v", method, path, err)
	}
}

func (s Server) call(method, path string, send any) (status int, body []byte, err error) {
	var sent io.Reader
	if send != nil {
		text, err := json.Marshal(send)
		if err != nil {
			return 0, nil, err
		}
		sent = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, sent)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+s.Key)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	var read bytes.Buffer
	_, err = read.ReadFrom(response.Body)
	return response.StatusCode, read.Bytes(), err
}
