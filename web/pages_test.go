package web

import (
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/static"
	"parley/web/webtest"
)

func TestSignedOut(t *testing.T) {
	app := signedOut()
	for _, path := range []string{
		"/account", "/workspaces/ws_1", "/workspaces/ws_1/members", "/workspaces/ws_1/billing",
		"/workspaces/ws_1/models", "/workspaces/ws_1/models/mp_1", "/workspaces/ws_1/usage",
		"/workspaces/ws_1/billing/return?next=%2F&paid=yes", "/workspaces/ws_1/limits", "/workspaces/ws_1/settings",
		"/chatbots/cb_1", "/chatbots/cb_1/settings", "/chatbots/cb_1/knowledge", "/chatbots/cb_1/knowledge/removed", "/chatbots/cb_1/knowledge/add", "/chatbots/cb_1/knowledge/addresses", "/chatbots/cb_1/knowledge/doc_1", "/chatbots/cb_1/evaluate", "/chatbots/cb_1/tokens",
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
		"/workspaces/ws_1/members/usr_1/role", "/workspaces/ws_1/members/usr_1/remove", "/workspaces/ws_1/billing",
		"/workspaces/ws_1/billing/checkout", "/workspaces/ws_1/billing/portal", "/workspaces/ws_1/plan", "/workspaces/ws_1/plan/checkout", "/workspaces/ws_1/plan/portal", "/workspaces/ws_1/limits", "/workspaces/ws_1/delete",
		"/workspaces/ws_1/models", "/workspaces/ws_1/models/mp_1", "/workspaces/ws_1/models/mp_1/delete",
		"/account", "/account/password",
		"/chatbots/cb_1/settings", "/chatbots/cb_1/delete", "/chatbots/cb_1/knowledge", "/chatbots/cb_1/knowledge/doc_1/remove",
		"/chatbots/cb_1/knowledge/doc_1/retry", "/chatbots/cb_1/knowledge/doc_1/cancel", "/chatbots/cb_1/knowledge/files",
		"/chatbots/cb_1/knowledge/remove", "/chatbots/cb_1/knowledge/undo", "/chatbots/cb_1/knowledge/again",
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
	for name, kind := range map[string]string{
		"parley.css": "text/css; charset=utf-8", "js/parley.js": "text/javascript; charset=utf-8", "js/tokens.js": "text/javascript; charset=utf-8",
		"icons.svg": "image/svg+xml", "icon.svg": "image/svg+xml", "fonts/inter.woff2": "font/woff2",
	} {
		path := static.URL(name)
		t.Run(name+" is sent with its type, to be kept for good", func(t *testing.T) {
			got := webtest.Send(t, app, "GET", path, "", nil)
			if got.Status != fiber.StatusOK || got.Header.Get("Content-Type") != kind || got.Body == "" {
				t.Errorf("status %d of type %q", got.Status, got.Header.Get("Content-Type"))
			}
			if keep := got.Header.Get("Cache-Control"); !strings.Contains(keep, "immutable") {
				t.Errorf("Cache-Control is %q", keep)
			}
		})
		t.Run(name+" at the address of another version is sent, and asked for again", func(t *testing.T) {
			got := webtest.Send(t, app, "GET", "/static/000000000000/"+name, "", nil)
			if got.Status != fiber.StatusOK || got.Header.Get("Cache-Control") != "no-cache" {
				t.Errorf("status %d, Cache-Control %q", got.Status, got.Header.Get("Cache-Control"))
			}
		})
	}
	for _, encoding := range []string{"br", "gzip"} {
		t.Run("the style is sent compressed to a browser that takes "+encoding, func(t *testing.T) {
			plain := webtest.Send(t, app, "GET", static.URL("parley.css"), "", nil)
			got := webtest.Send(t, app, "GET", static.URL("parley.css"), "", map[string]string{"Accept-Encoding": encoding})
			if got.Header.Get("Content-Encoding") != encoding || len(got.Body) > len(plain.Body)/3 || got.Header.Get("Vary") == "" {
				t.Errorf("%d bytes of %d, encoded as %q", len(got.Body), len(plain.Body), got.Header.Get("Content-Encoding"))
			}
		})
		t.Run("a page is sent compressed to a browser that takes "+encoding, func(t *testing.T) {
			got := webtest.Send(t, app, "GET", "/sign-in", "", map[string]string{"Accept-Encoding": encoding})
			if got.Header.Get("Content-Encoding") != encoding || strings.Contains(got.Body, "Sign in") {
				t.Errorf("encoded as %q", got.Header.Get("Content-Encoding"))
			}
		})
	}
	for _, path := range []string{"/static/", static.URL("nothing.js"), static.URL("../web.go"), static.URL("static.go"), static.URL("css/2-base.css")} {
		t.Run(path+" is not found", func(t *testing.T) {
			if got := webtest.Send(t, app, "GET", path, "", nil); got.Status != fiber.StatusNotFound {
				t.Errorf("status %d, want 404", got.Status)
			}
		})
	}
}
