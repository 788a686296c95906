package web

import (
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/web/webtest"
)

func TestSignedOut(t *testing.T) {
	app := signedOut()
	for _, path := range []string{
		"/account", "/workspaces/ws_1", "/workspaces/ws_1/members", "/workspaces/ws_1/plan",
		"/workspaces/ws_1/models", "/workspaces/ws_1/models/mp_1", "/workspaces/ws_1/usage",
		"/workspaces/ws_1/plan/return?next=%2F&paid=yes", "/workspaces/ws_1/limits", "/workspaces/ws_1/settings",
		"/chatbots/cb_1", "/chatbots/cb_1/knowledge", "/chatbots/cb_1/knowledge/removed", "/chatbots/cb_1/evaluate", "/chatbots/cb_1/tokens",
	} {
		t.Run(path+" asks to sign in", func(t *testing.T) {
			got := webtest.Send(t, app, "GET", path, "", nil)
			if got.Status != fiber.StatusSeeOther || !strings.HasPrefix(got.Header.Get("Location"), "/sign-in?next=") {
				t.Errorf("status %d to %q", got.Status, got.Header.Get("Location"))
			}
		})
	}
	for _, path := range []string{
		"/workspaces/ws_1/chatbots", "/workspaces/ws_1/invitations", "/workspaces/ws_1/invitations/inv_1/cancel",
		"/workspaces/ws_1/members/usr_1/role", "/workspaces/ws_1/members/usr_1/remove", "/workspaces/ws_1/plan",
		"/workspaces/ws_1/plan/checkout", "/workspaces/ws_1/plan/portal", "/workspaces/ws_1/limits", "/workspaces/ws_1/delete",
		"/workspaces/ws_1/models", "/workspaces/ws_1/models/mp_1", "/workspaces/ws_1/models/mp_1/delete",
		"/account", "/account/password",
		"/chatbots/cb_1", "/chatbots/cb_1/delete", "/chatbots/cb_1/knowledge", "/chatbots/cb_1/knowledge/doc_1/remove",
		"/chatbots/cb_1/knowledge/doc_1/retry", "/chatbots/cb_1/knowledge/doc_1/cancel", "/chatbots/cb_1/knowledge/files",
		"/chatbots/cb_1/knowledge/pairs", "/chatbots/cb_1/knowledge/sources", "/chatbots/cb_1/knowledge/sources/src_1/sync",
		"/chatbots/cb_1/knowledge/sources/src_1/remove", "/chatbots/cb_1/evaluate",
	} {
		t.Run("POST "+path+" is refused", func(t *testing.T) {
			if got := webtest.Send(t, app, "POST", path, "", webtest.TypedForm); got.Status != fiber.StatusUnauthorized {
				t.Errorf("status %d, want 401", got.Status)
			}
		})
	}
	for _, path := range []string{"/sign-in", "/sign-up", "/join"} {
		t.Run(path+" is shown", func(t *testing.T) {
			got := webtest.Send(t, app, "GET", path, "", nil)
			if got.Status != fiber.StatusOK || got.Header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("status %d of type %q", got.Status, got.Header.Get("Content-Type"))
			}
			webtest.Confined(t, got)
		})
	}
	t.Run("the sign-in keeps no address of another server", func(t *testing.T) {
		if got := webtest.Send(t, app, "GET", "/sign-in?next=//evil.example", "", nil); strings.Contains(got.Body, "evil") {
			t.Errorf("the page has it: %s", got.Body)
		}
	})
}

func TestStatic(t *testing.T) {
	app := signedOut()
	for path, kind := range map[string]string{
		"/static/parley.css": "text/css; charset=utf-8", "/static/tokens.js": "text/javascript; charset=utf-8",
		"/static/copy.js": "text/javascript; charset=utf-8", "/static/join.js": "text/javascript; charset=utf-8",
		"/static/knowledge.js": "text/javascript; charset=utf-8", "/static/icon.svg": "image/svg+xml",
	} {
		t.Run(path+" is sent with its type, and not again when the browser has it", func(t *testing.T) {
			got := webtest.Send(t, app, "GET", path, "", nil)
			if got.Status != fiber.StatusOK || got.Header.Get("Content-Type") != kind || got.Body == "" {
				t.Errorf("status %d of type %q", got.Status, got.Header.Get("Content-Type"))
			}
			again := webtest.Send(t, app, "GET", path, "", map[string]string{"If-None-Match": got.Header.Get("Etag")})
			if again.Status != fiber.StatusNotModified || again.Body != "" {
				t.Errorf("status %d the second time", again.Status)
			}
		})
	}
	for _, path := range []string{"/static/", "/static/nothing.js", "/static/../web.go", "/static/static.go"} {
		t.Run(path+" is not found", func(t *testing.T) {
			if got := webtest.Send(t, app, "GET", path, "", nil); got.Status != fiber.StatusNotFound {
				t.Errorf("status %d, want 404", got.Status)
			}
		})
	}
}
