package web_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/account"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func TestEveryFormHasAPageToReload(t *testing.T) {
	s := shoptest.Open(t, nil)
	isPage := func(path string) bool {
		page, _, _ := strings.Cut(path, "?")
		return slices.ContainsFunc(s.Routes.All(), func(d route.Declaration) bool { return d.Method == fiber.MethodGet && d.Path == page })
	}
	known := strings.NewReplacer(":workspace", s.Home.ID, ":chatbot", "cb_1", ":", "")
	for _, d := range s.Routes.All() {
		if d.Method != fiber.MethodPost || strings.HasPrefix(d.Path, route.API) {
			continue
		}
		t.Run(d.Path, func(t *testing.T) {
			s := s.Within(t)
			if d.Form == "" {
				if !isPage(d.Path) {
					t.Error("nothing is at this address: say with route.On which page has the form")
				}
				return
			}
			if !isPage(d.Form) && d.Form != "/" {
				t.Errorf("%s, which is to have the form, is no page", d.Form)
			}
			s.WantGone(s.Get(known.Replace(d.Path)), known.Replace(d.Form))
		})
	}
}

func TestStrayAddresses(t *testing.T) {
	s := shoptest.Open(t, nil)
	for _, path := range []string{"/nothing", "/workspaces/" + s.Home.ID + "/nothing", "/workspaces/ws_unknown", "/chatbots/cb_unknown", "/chatbots/cb_unknown/nothing/at/all"} {
		t.Run("somebody who is signed in finds on from "+path, func(t *testing.T) {
			s := s.Within(t)
			got := s.Get(path)
			s.WantPage(got, fiber.StatusNotFound, `id="sidebar"`, s.Url("/members"), "Go to your chatbots", `id="request-id"`)
		})
	}
	t.Run("a method that a page does not have is refused in the shell", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Post("/account/sessions", nil), fiber.StatusMethodNotAllowed, `id="sidebar"`)
	})
	t.Run("what a role may not do is refused in the shell", func(t *testing.T) {
		s := s.Within(t)
		webtest.Must(t, s.Tenants.Grants.SetPlan(t.Context(), s.Home.ID, plan.Standard))
		ben, _, err := s.Tenants.SignUps.Create(t.Context(), account.Account{Email: "ben@example.com", Password: shoptest.Password, Workspace: "Ben's"})
		webtest.Must(t, err)
		webtest.Must(t, s.Tenants.Members.Add(t.Context(), s.Home.ID, ben, tenant.RoleMember))
		s.SignIn(ben)
		s.WantPage(s.Get(s.Url("/audit")), fiber.StatusForbidden, `id="sidebar"`, "Go to your chatbots", `id="request-id"`)
		s.WantPage(s.Post(s.Url("/settings"), url.Values{"name": {"Mine"}}), fiber.StatusForbidden, `id="sidebar"`, `id="request-id"`)
		if home, err := s.Tenants.Workspaces.Workspace(t.Context(), s.Home.ID); err != nil || home.Name != s.Home.Name {
			t.Errorf("the workspace is %q, %v", home.Name, err)
		}
	})
	t.Run("a page of what is unknown is not found, in the shell", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(s.Url("/models/mp_unknown")), fiber.StatusNotFound, `id="sidebar"`, `id="request-id"`)
	})
	s.Cookie = ""
	t.Run("a stranger gets a plain page", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get("/workspaces/" + s.Home.ID + "/nothing")
		s.WantPage(got, fiber.StatusNotFound, "There is no page at this address.", `id="request-id"`)
		if strings.Contains(got.Body, s.Home.Name) || strings.Contains(got.Body, `id="sidebar"`) {
			t.Errorf("it says more: %s", got.Body)
		}
	})
}
