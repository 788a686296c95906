package web

import (
	"net/url"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
)

const providerKey = "sk-very-secret-0123456789-wxyz"

func provider(pairs ...string) url.Values {
	typed := url.Values{"kind": {"openai"}, "name": {"Ours"}, "base_url": {"https://models.example.com/v1"}, "key": {providerKey}}
	for i := 0; i < len(pairs); i += 2 {
		typed.Set(pairs[i], pairs[i+1])
	}
	return typed
}

// newProvider makes one that the pages did not.
func (s *shop) newProvider(name string) chatbot.Provider {
	s.Helper()
	made, err := s.chatbots.Providers.CreateProvider(s.Context(), s.home.ID, chatbot.ProviderSettings{
		Name: name, Kind: chatbot.OpenAI, BaseURL: "https://models.example.com/v1", Key: providerKey,
	})
	must(s.T, err)
	return made
}

// wantNoKey fails if a page has a key.
func (s *shop) wantNoKey(got reply) {
	s.Helper()
	if strings.Contains(got.body, "very-secret") {
		s.Errorf("the page has the key: %s", got.body)
	}
}

func TestModelsPage(t *testing.T) {
	s := open(t, nil)
	t.Run("at first there is no provider, and the server's own models are named", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.get(s.url("/models")), 200, "No providers yet.", "<strong>own-model, other-own</strong>", `id="add-provider"`, `aria-current="page">Models</a>`)
	})
	t.Run("one that is added is listed with the end of its key, and nothing more of it", func(t *testing.T) {
		s := s.within(t)
		s.wantGone(s.post(s.url("/models"), provider("tools", "on")), s.url("/models?done=provider"))
		got := s.get(s.url("/models?done=provider"))
		s.wantPage(got, 200, "The provider has been added.", "Ours", "https://models.example.com/v1", "Key ends in …wxyz", "Models can call tools.", "No chatbot")
		s.wantNoKey(got)
	})
	t.Run("one of Anthropic needs no address", func(t *testing.T) {
		s := s.within(t)
		s.wantGone(s.post(s.url("/models"), provider("kind", "anthropic", "name", "Theirs", "base_url", "")), s.url("/models?done=provider"))
		s.wantPage(s.get(s.url("/models")), 200, "Anthropic&#39;s own")
	})
	for name, c := range map[string]struct{ field, value, says string }{
		"no name":                        {"name", "  ", "Give a name."},
		"an address without TLS":         {"base_url", "http://models.example.com", "begins with https://"},
		"an address with a user":         {"base_url", "https://me@models.example.com", "Leave the user and password out"},
		"what is no address":             {"base_url", "models", "Give an address such as"},
		"a key with a line break":        {"key", "sk-very-secret\nkey", "A key has no spaces"},
		"an interface of nobody's":       {"kind", "carrier pigeon", "Choose openai or anthropic."},
		"a name that is longer than 100": {"name", strings.Repeat("x", 101), "at most 100 are allowed"},
	} {
		t.Run(name+" is refused beside its field, and the key is gone", func(t *testing.T) {
			s := s.within(t)
			got := s.post(s.url("/models"), provider(c.field, c.value))
			s.wantPage(got, 422, `id="`+c.field+`-error"`, c.says)
			s.wantNoKey(got)
		})
	}
	t.Run("a member sees the providers and changes none", func(t *testing.T) {
		s := s.within(t)
		s.subscribe(plan.Standard, plan.Active)
		ben, err := s.tenants.SignUps.CreateUser(t.Context(), "ben@example.com", password)
		must(t, err)
		must(t, s.tenants.Members.AddMember(t.Context(), s.home.ID, ben, tenant.RoleMember))
		mine := s.newProvider("Mine")
		s.signIn(ben)
		got := s.get(s.url("/models"))
		s.wantPage(got, 200, "Mine", "An admin or an owner of the workspace can add providers.")
		for _, text := range []string{"add-provider", "/delete", s.url("/models/" + mine.ID)} {
			if strings.Contains(got.body, text) {
				t.Errorf("the page has %q", text)
			}
		}
		s.wantPage(s.get(s.url("/models/"+mine.ID)), 403)
		s.wantPage(s.post(s.url("/models"), provider()), 403)
		s.wantPage(s.post(s.url("/models/"+mine.ID), provider()), 403)
		s.wantPage(s.post(s.url("/models/"+mine.ID+"/delete"), nil), 403)
	})
}

func TestServerWithoutKey(t *testing.T) {
	s := open(t, nil)
	s.serverKeys = nil
	t.Run("a key is refused beside its field, with what the operator has to do", func(t *testing.T) {
		s := s.within(t)
		got := s.post(s.url("/models"), provider())
		s.wantPage(got, 503, `id="key-error"`, "its operator has to set SECRET_KEY", `value="Ours"`)
		s.wantNoKey(got)
	})
}

func TestProviderPage(t *testing.T) {
	s := open(t, nil)
	ours := s.newProvider("Ours")
	page := s.url("/models/" + ours.ID)
	stored := func(t *testing.T) chatbot.OpenedProvider {
		t.Helper()
		found, err := s.chatbots.Providers.OpenProvider(t.Context(), s.home.ID, ours.ID)
		must(t, err)
		return found
	}
	t.Run("the form has all but the key", func(t *testing.T) {
		s := s.within(t)
		got := s.get(page)
		s.wantPage(got, 200, `value="Ours"`, `value="https://models.example.com/v1"`, "Key ends in …wxyz. Left empty, it stays as it is.")
		s.wantNoKey(got)
	})
	t.Run("without a key the old one stays", func(t *testing.T) {
		s := s.within(t)
		s.wantGone(s.post(page, provider("key", "", "name", "Renamed", "tools", "on")), s.url("/models?done=saved"))
		if found := stored(t); string(found.Key) != providerKey || found.Name != "Renamed" || !found.Tools {
			t.Errorf("stored is %+v", found)
		}
	})
	t.Run("another server needs the key again", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.post(page, provider("key", "", "base_url", "https://evil.example/v1")), 422, `id="key-error"`, "Give the key, too", `value="https://evil.example/v1"`)
		if found := stored(t); found.BaseURL != ours.BaseURL {
			t.Errorf("the address is %q", found.BaseURL)
		}
	})
	t.Run("what is wrong is beside its field, and the key that was typed is gone", func(t *testing.T) {
		s := s.within(t)
		got := s.post(page, provider("name", ""))
		s.wantPage(got, 422, `id="name-error"`)
		s.wantNoKey(got)
	})
	t.Run("another key takes its place", func(t *testing.T) {
		s := s.within(t)
		s.wantGone(s.post(page, provider("key", "sk-another-very-secret-abcd")), s.url("/models?done=saved"))
		if found := stored(t); string(found.Key) != "sk-another-very-secret-abcd" || found.Tools {
			t.Errorf("stored is %+v", found)
		}
		s.wantPage(s.get(s.url("/models")), 200, "Key ends in …abcd")
	})
	t.Run("another workspace's provider is not found", func(t *testing.T) {
		s := s.within(t)
		other, err := s.tenants.Workspaces.CreateWorkspace(t.Context(), s.owner, "Other")
		must(t, err)
		s.wantPage(s.get("/workspaces/"+other.ID+"/models/"+ours.ID), 404)
		s.wantPage(s.post("/workspaces/"+other.ID+"/models/"+ours.ID, provider()), 404)
		s.wantPage(s.post("/workspaces/"+other.ID+"/models/"+ours.ID+"/delete", nil), 404)
	})
	t.Run("one that answers for a chatbot is not deleted, and the chatbot is named", func(t *testing.T) {
		s := s.within(t)
		bot, err := s.chatbots.Create(t.Context(), s.home.ID, chatbot.Settings{
			Name: "Guide", Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: ours.ID, Name: "m"}},
		})
		must(t, err)
		s.wantPage(s.post(page+"/delete", nil), 409, "This provider is used by Guide.", `role="alert"`)
		got := s.get(s.url("/models"))
		s.wantPage(got, 200, `<a href="/chatbots/`+bot.ID+`">Guide</a>`)
		if strings.Contains(got.body, page+"/delete") {
			t.Error("the page offers to delete it")
		}
		must(t, s.chatbots.Delete(t.Context(), s.home.ID, bot.ID))
	})
	t.Run("one that is not used is deleted", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.get(s.url("/models")), 200, "Its key is deleted with it.")
		s.wantGone(s.post(page+"/delete", nil), s.url("/models?done=removed"))
		s.wantPage(s.get(s.url("/models")), 200, "No providers yet.")
		s.wantPage(s.get(page), 404)
	})
}
