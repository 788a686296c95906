package workspace_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func provider(pairs ...string) url.Values {
	typed := url.Values{"kind": {"openai"}, "name": {"Ours"}, "base_url": {"https://models.example.com/v1"}, "key": {shoptest.ProviderKey}}
	for i := 0; i < len(pairs); i += 2 {
		typed.Set(pairs[i], pairs[i+1])
	}
	return typed
}

func TestModelsPage(t *testing.T) {
	s := shoptest.Open(t, nil)
	t.Run("at first there is no provider, and the server's own models are named", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(s.Url("/models")), 200, "No providers yet", "<strong>own-model, other-own</strong>", `id="add-provider"`, `aria-current="page"`)
	})
	t.Run("one that is added is listed with the end of its key, and nothing more of it", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(s.Url("/models"), provider("tools", "on")), s.Url("/models?done=provider"))
		got := s.Get(s.Url("/models?done=provider"))
		s.WantPage(got, 200, "The provider has been added.", "Ours", "https://models.example.com/v1", "Key ends in …wxyz", "Models can call tools.", "No chatbot")
		s.WantNoKey(got)
	})
	t.Run("one of Anthropic needs no address", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(s.Url("/models"), provider("kind", "anthropic", "name", "Theirs", "base_url", "")), s.Url("/models?done=provider"))
		s.WantPage(s.Get(s.Url("/models")), 200, "Anthropic&#39;s own")
	})
	for name, c := range map[string]struct{ field, value, says string }{
		"no name":                        {"name", "  ", "Enter a name."},
		"an address without TLS":         {"base_url", "http://models.example.com", "begins with https://"},
		"an address with a user":         {"base_url", "https://me@models.example.com", "Leave the user and password out"},
		"what is no address":             {"base_url", "models", "Enter an address such as"},
		"a key with a line break":        {"key", "sk-very-secret\nkey", "A key has no spaces"},
		"an interface of nobody's":       {"kind", "carrier pigeon", "Choose openai or anthropic."},
		"a name that is longer than 100": {"name", strings.Repeat("x", 101), "at most 100 are allowed"},
	} {
		t.Run(name+" is refused beside its field, and the key is gone", func(t *testing.T) {
			s := s.Within(t)
			got := s.Post(s.Url("/models"), provider(c.field, c.value))
			s.WantPage(got, 422, `id="`+c.field+`-error"`, c.says)
			s.WantNoKey(got)
		})
	}
	t.Run("a member sees the providers and changes none", func(t *testing.T) {
		s := s.Within(t)
		s.Subscribe(plan.Standard, plan.Active)
		ben, err := s.Tenants.SignUps.CreateUser(t.Context(), "ben@example.com", shoptest.Password)
		webtest.Must(t, err)
		webtest.Must(t, s.Tenants.Members.Add(t.Context(), s.Home.ID, ben, tenant.RoleMember))
		mine := s.NewProvider("Mine")
		s.SignIn(ben)
		got := s.Get(s.Url("/models"))
		s.WantPage(got, 200, "Mine", "An admin or an owner of the workspace can add providers.")
		for _, text := range []string{"add-provider", "/delete", s.Url("/models/" + mine.ID)} {
			if strings.Contains(got.Body, text) {
				t.Errorf("the page has %q", text)
			}
		}
		s.WantPage(s.Get(s.Url("/models/"+mine.ID)), 403)
		s.WantPage(s.Post(s.Url("/models"), provider()), 403)
		s.WantPage(s.Post(s.Url("/models/"+mine.ID), provider()), 403)
		s.WantPage(s.Post(s.Url("/models/"+mine.ID+"/delete"), nil), 403)
	})
}

func TestServerWithoutKey(t *testing.T) {
	s := shoptest.Open(t, nil)
	s.ServerKeys = nil
	t.Run("a key is refused beside its field, with what the operator has to do", func(t *testing.T) {
		s := s.Within(t)
		got := s.Post(s.Url("/models"), provider())
		s.WantPage(got, 503, `id="key-error"`, "its operator has to set SECRET_KEY", `value="Ours"`)
		s.WantNoKey(got)
	})
}

func TestProviderPage(t *testing.T) {
	s := shoptest.Open(t, nil)
	ours := s.NewProvider("Ours")
	page := s.Url("/models/" + ours.ID)
	stored := func(t *testing.T) chatbot.OpenedProvider {
		t.Helper()
		found, err := s.Chatbots.Providers.Open(t.Context(), s.Home.ID, ours.ID)
		webtest.Must(t, err)
		return found
	}
	t.Run("the form has all but the key", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(page)
		s.WantPage(got, 200, `value="Ours"`, `value="https://models.example.com/v1"`, "Key ends in …wxyz. Left empty, it stays as it is.")
		s.WantNoKey(got)
	})
	t.Run("without a key the old one stays", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(page, provider("key", "", "name", "Renamed", "tools", "on")), s.Url("/models?done=saved"))
		if found := stored(t); string(found.Key) != shoptest.ProviderKey || found.Name != "Renamed" || !found.Tools {
			t.Errorf("stored is %+v", found)
		}
	})
	t.Run("another server needs the key again", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Post(page, provider("key", "", "base_url", "https://evil.example/v1")), 422, `id="key-error"`, "Give the key, too", `value="https://evil.example/v1"`)
		if found := stored(t); found.BaseURL != ours.BaseURL {
			t.Errorf("the address is %q", found.BaseURL)
		}
	})
	t.Run("what is wrong is beside its field, and the key that was typed is gone", func(t *testing.T) {
		s := s.Within(t)
		got := s.Post(page, provider("name", ""))
		s.WantPage(got, 422, `id="name-error"`)
		s.WantNoKey(got)
	})
	t.Run("another key takes its place", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(page, provider("key", "sk-another-very-secret-abcd")), s.Url("/models?done=saved"))
		if found := stored(t); string(found.Key) != "sk-another-very-secret-abcd" || found.Tools {
			t.Errorf("stored is %+v", found)
		}
		s.WantPage(s.Get(s.Url("/models")), 200, "Key ends in …abcd")
	})
	t.Run("another workspace's provider is not found", func(t *testing.T) {
		s := s.Within(t)
		other, err := s.Tenants.Workspaces.Create(t.Context(), s.Owner, "Other")
		webtest.Must(t, err)
		s.WantPage(s.Get("/workspaces/"+other.ID+"/models/"+ours.ID), 404)
		s.WantPage(s.Post("/workspaces/"+other.ID+"/models/"+ours.ID, provider()), 404)
		s.WantPage(s.Post("/workspaces/"+other.ID+"/models/"+ours.ID+"/delete", nil), 404)
	})
	t.Run("one that answers for a chatbot is not deleted, and the chatbot is named", func(t *testing.T) {
		s := s.Within(t)
		bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{
			Name: "Guide", Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: ours.ID, Name: "m"}},
		})
		webtest.Must(t, err)
		s.WantPage(s.Post(page+"/delete", nil), 409, "This provider is used by Guide.", `role="alert"`)
		got := s.Get(s.Url("/models"))
		s.WantPage(got, 200, `<a href="/chatbots/`+bot.ID+`/settings">Guide</a>`)
		if strings.Contains(got.Body, page+"/delete") {
			t.Error("the page offers to delete it")
		}
		webtest.Must(t, s.Chatbots.Delete(t.Context(), s.Home.ID, bot.ID))
	})
	t.Run("one that is not used is deleted", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(page), 200, "Its key is deleted with it.")
		s.WantGone(s.Post(page+"/delete", nil), s.Url("/models?done=removed"))
		s.WantPage(s.Get(s.Url("/models")), 200, "No providers yet")
		s.WantPage(s.Get(page), 404)
	})
}

func TestProviderThatIsTried(t *testing.T) {
	s := shoptest.Open(t, nil)
	typed := provider("name", "", "base_url", "https://models.example.com/v1", "key", shoptest.ProviderKey)
	t.Run("its models are named, the key is not shown, and nothing is kept", func(t *testing.T) {
		s.Names = []string{"alpha", "<b>beta</b>"}
		got := s.Within(t).Post(s.Url("/models/try"), typed)
		s.Within(t).WantPage(got, 200, "It works. There are 2 models: alpha, &lt;b&gt;beta&lt;/b&gt;.", `value="https://models.example.com/v1"`, "No providers yet")
		s.Within(t).WantNoKey(got)
		if asked := s.Asked[len(s.Asked)-1]; string(asked.Key) != shoptest.ProviderKey {
			t.Error("it was asked without the key")
		}
	})
	t.Run("an address that does not answer is refused beside it", func(t *testing.T) {
		s.NamesFail = errors.New("no way to there")
		defer func() { s.NamesFail = nil }()
		s.Within(t).WantPage(s.Post(s.Url("/models/try"), typed), 422, `id="base_url-error"`, "could not connect")
	})
	t.Run("changes to one that is kept are tried with its key", func(t *testing.T) {
		ours := s.NewProvider("Ours")
		got := s.Within(t).Post(s.Url("/models/"+ours.ID+"/try"), provider("name", "Ours", "base_url", "https://models.example.com/v1", "key", ""))
		s.Within(t).WantPage(got, 200, "It works.")
		if asked := s.Asked[len(s.Asked)-1]; string(asked.Key) != shoptest.ProviderKey {
			t.Error("it was asked without the key")
		}
		if kept, err := s.Chatbots.Providers.Get(t.Context(), s.Home.ID, ours.ID); err != nil || !kept.UpdatedAt.Equal(ours.UpdatedAt) {
			t.Errorf("it was changed: %v", err)
		}
	})
	t.Run("somebody who saves over another's change is told", func(t *testing.T) {
		theirs := s.NewProvider("Theirs")
		page := s.Url("/models/" + theirs.ID)
		first, second := webtest.Filled(t, s.Get(page).Body, page), webtest.Filled(t, s.Get(page).Body, page)
		first.Set("name", "First")
		second.Set("name", "Second")
		s.Within(t).WantGone(s.Post(page, first), s.Url("/models?done=saved"))
		got := s.Post(page, second)
		s.Within(t).WantPage(got, 409, "It is now “First”", `value="Second"`)
		s.Within(t).WantGone(s.Post(page, webtest.Filled(t, got.Body, page)), s.Url("/models?done=saved"))
	})
}
