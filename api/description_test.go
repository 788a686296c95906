package api

import (
	"io"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/internal/contract"
)

func described(t *testing.T, file string) *contract.Document {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	document, err := contract.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// credentials are how the description calls the callers of a route.
var credentials = map[route.Scope][]string{route.Token: {"bearer", "apiKey"}, route.Member: {"session"}}

// isDescribed reports whether a route belongs to the description.
func isDescribed(d route.Declaration) bool {
	return strings.HasPrefix(d.Path, route.V1+"/") || strings.HasPrefix(d.Path, "/api/chatbots/") || strings.HasPrefix(d.Path, "/api/workspaces/")
}

func TestEveryRouteIsDescribed(t *testing.T) {
	var table route.Table
	New(Deps{}).Register(fiber.New(), &table)
	document := described(t, "openapi.yaml")
	var registered []string
	for _, declared := range table.All() {
		if !isDescribed(declared) {
			continue
		}
		segments := strings.Split(declared.Path, "/")
		for i, segment := range segments {
			if name, ok := strings.CutPrefix(segment, ":"); ok {
				segments[i] = "{" + name + "}"
			}
		}
		name := declared.Method + " " + strings.Join(segments, "/")
		registered = append(registered, name)
		t.Run(name, func(t *testing.T) {
			operation, found := document.Find(declared.Method, strings.Join(segments, "/"))
			if !found || operation.Name() != name {
				t.Fatal("it is not in openapi.yaml")
			}
			callers, scopes := []string{}, []string{}
			for _, requirement := range *operation.Security {
				for scheme, needed := range requirement {
					callers = append(callers, scheme)
					scopes = append(scopes, needed...)
				}
			}
			if !slices.Equal(callers, credentials[declared.Scope]) {
				t.Errorf("openapi.yaml says that it takes %v", callers)
			}
			for _, scope := range scopes {
				if scope != string(declared.TokenScope) {
					t.Errorf("openapi.yaml says that it needs the scope %s", scope)
				}
			}
			if len(scopes) != 2 && declared.Scope == route.Token {
				t.Errorf("openapi.yaml does not say which scope it needs")
			}
			if operation.RequestBody != nil && declared.Body == 0 {
				t.Errorf("openapi.yaml says that it reads a body")
			}
			if operation.OperationID == "" || operation.Summary == "" || len(operation.Tags) != 1 {
				t.Errorf("its entry needs an operationId, a summary and a tag")
			}
		})
	}
	for _, operation := range document.Operations() {
		if !slices.Contains(registered, operation.Name()) {
			t.Errorf("%s is in openapi.yaml, and is no route", operation.Name())
		}
	}
}

func TestDescription(t *testing.T) {
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	app := fiber.New()
	New(Deps{Description: string(text), BaseURL: "https://chat.example.org"}).Register(app, &route.Table{})
	ask := func(seen string) (status int, body, etag string) {
		request := httptest.NewRequest("GET", "/api/v1/openapi.yaml", nil)
		request.Header.Set("If-None-Match", seen)
		response, err := app.Test(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		read, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(read), response.Header.Get("ETag")
	}
	_, body, etag := ask("")
	t.Run("it names this server", func(t *testing.T) {
		document, err := contract.Read([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if got := document.Servers[0].URL; len(document.Servers) != 1 || got != "https://chat.example.org" {
			t.Errorf("it names %s", got)
		}
	})
	t.Run("it is short enough to read", func(t *testing.T) {
		if len(body) > 170_000 {
			t.Errorf("it has %d bytes", len(body))
		}
	})
	for seen, want := range map[string]int{
		etag: 304, "W/" + etag: 304, `"another", ` + etag: 304, "*": 304, `"another"`: 200, "": 200, strings.Trim(etag, `"`): 200,
	} {
		t.Run("who has "+seen, func(t *testing.T) {
			if status, body, again := ask(seen); status != want || again != etag || (body == "") != (want == 304) {
				t.Errorf("gets %d with %d bytes and %s", status, len(body), again)
			}
		})
	}
}

func TestDescriptionKeepsWhatWasReleased(t *testing.T) {
	for _, narrowing := range contract.Narrowings(described(t, "openapi.released.yaml"), described(t, "openapi.yaml")) {
		t.Errorf("%s. docs/api-policy.md says what may change", narrowing)
	}
}
