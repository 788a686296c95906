package workspace

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/page"
)

// modelPages are the handlers of the providers of models.
type modelPages struct{ *page.Base }

func (s modelPages) modelsPage(c *fiber.Ctx, v page.Visit) error {
	empty := page.Form{"kind": string(chatbot.OpenAI), "name": "", "base_url": "", "key": ""}
	return s.showModels(c, v, fiber.StatusOK, empty.View(), "")
}

func (s modelPages) showModels(c *fiber.Ctx, v page.Visit, status int, f ui.Form, result string) error {
	providers, err := s.Chatbots.Providers.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	bots, err := s.Chatbots.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	m := views.Models{Own: s.Chatbots.Providers.OwnModels(), MayManage: v.May(tenant.ManageChatbots), Form: f, Result: result}
	for _, provider := range providers {
		m.Providers = append(m.Providers, providerToView(provider, bots))
	}
	return page.Render(c, status, views.ModelsPage(v.Layout(c, shell.ModelsSection, "Models"), m))
}

func providerToView(p chatbot.Provider, bots []chatbot.Chatbot) views.Provider {
	shown := views.Provider{ID: p.ID, Name: p.Name, Kind: string(p.Kind), Address: p.BaseURL, KeyHint: p.KeyHint, Tools: p.Tools}
	for _, bot := range bots {
		if bot.Uses(p.ID) {
			shown.UsedBy = append(shown.UsedBy, page.ChatbotToView(bot))
		}
	}
	return shown
}

func (s modelPages) createProvider(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "kind", "name", "base_url", "key", "tools")
	if err != nil {
		return err
	}
	settings := providerSettings(typed)
	settings.Kind = chatbot.ProviderKind(typed["kind"])
	if _, err := s.Chatbots.Providers.Create(c.UserContext(), v.WorkspaceID(), settings); err != nil {
		page.LogFailure(c, s.Log, fault.As(err))
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showModels(c, v, status, f, "") })
	}
	return page.Done(c, shell.ModelsURL(v.WorkspaceID()), "provider")
}

func providerSettings(typed page.Form) chatbot.ProviderSettings {
	return chatbot.ProviderSettings{
		Name: typed["name"], BaseURL: typed["base_url"], Key: chatbot.Key(typed["key"]), Tools: typed["tools"] != "", Seen: typed["seen"],
	}
}

// provider is the one that the address names.
func (s modelPages) provider(c *fiber.Ctx, v page.Visit) (chatbot.Provider, error) {
	return s.Chatbots.Providers.Get(c.UserContext(), v.WorkspaceID(), id.Parse(c.Params("provider")))
}

func (s modelPages) providerPage(c *fiber.Ctx, v page.Visit) error {
	provider, err := s.provider(c, v)
	if err != nil {
		return err
	}
	shown := page.Form{"name": provider.Name, "base_url": provider.BaseURL, "key": "", "seen": provider.Fingerprint()}
	if provider.Tools {
		shown["tools"] = "on"
	}
	return s.showProvider(c, v, provider, fiber.StatusOK, shown.View(), "")
}

func (s modelPages) showProvider(c *fiber.Ctx, v page.Visit, p chatbot.Provider, status int, f ui.Form, result string) error {
	bots, err := s.Chatbots.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	return page.Render(c, status, views.ProviderPage(v.Layout(c, shell.ModelsSection, p.Name), providerToView(p, bots), f, result))
}

func (s modelPages) saveProvider(c *fiber.Ctx, v page.Visit) error {
	provider, err := s.provider(c, v)
	if err != nil {
		return err
	}
	typed, err := page.ReadForm(c, "name", "base_url", "key", "tools", "seen")
	if err != nil {
		return err
	}
	_, err = s.Chatbots.Providers.Update(c.UserContext(), v.WorkspaceID(), provider.ID, providerSettings(typed))
	if fault.Is(err, fault.Conflict) {
		typed["seen"] = provider.Fingerprint()
		told := *fault.As(err)
		told.Message += " It is now “" + provider.Name + "” at " + cmp.Or(provider.BaseURL, "the provider's own address") + ". Save again to replace that, or reload the page."
		err = &told
	}
	if err != nil {
		page.LogFailure(c, s.Log, fault.As(err))
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showProvider(c, v, provider, status, f, "") })
	}
	return page.Done(c, shell.ModelsURL(v.WorkspaceID()), "saved")
}

// tryProvider asks the provider that was typed which models it has, and saves
// nothing. A script gets the result alone, so that the key stays in its input.
func (s modelPages) tryProvider(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "kind", "name", "base_url", "key", "tools")
	if err != nil {
		return err
	}
	settings := providerSettings(typed)
	settings.Kind = chatbot.ProviderKind(typed["kind"])
	return s.tried(c, v, "", typed, settings, func(status int, f ui.Form, result string) error {
		return s.showModels(c, v, status, f, result)
	})
}

// tryKept is tryProvider for changes to one that is kept.
func (s modelPages) tryKept(c *fiber.Ctx, v page.Visit) error {
	provider, err := s.provider(c, v)
	if err != nil {
		return err
	}
	typed, err := page.ReadForm(c, "name", "base_url", "key", "tools", "seen")
	if err != nil {
		return err
	}
	return s.tried(c, v, provider.ID, typed, providerSettings(typed), func(status int, f ui.Form, result string) error {
		return s.showProvider(c, v, provider, status, f, result)
	})
}

func (s modelPages) tried(c *fiber.Ctx, v page.Visit, providerID string, typed page.Form, settings chatbot.ProviderSettings, show func(int, ui.Form, string) error) error {
	if settings.Name == "" {
		settings.Name = "Untitled" // which one may choose later
	}
	models, err := s.Chatbots.Catalog.Try(c.UserContext(), v.WorkspaceID(), providerID, settings)
	scripted := strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMEApplicationJSON)
	switch failure := fault.As(err); {
	case err == nil && scripted:
		return c.JSON(page.Trial{Works: true, Message: modelsText(models)})
	case err == nil:
		return show(fiber.StatusOK, typed.View(), modelsText(models))
	case scripted && failure.Kind == fault.Invalid:
		return c.JSON(page.Trial{Field: failure.Field, Message: failure.Message})
	}
	return typed.Again(c, err, func(status int, f ui.Form) error { return show(status, f, "") })
}

// namedModels is how many models a result names.
const namedModels = 5

// modelsText describes a provider's models.
func modelsText(models chatbot.Models) string {
	switch n := len(models.Names); {
	case models.Unlisted:
		return "The server answers, but lists no models, so that Parley could not check the key. You can type the name of a model in a chatbot's settings."
	case n == 0:
		return "It works, but this account has no models yet."
	case n == 1:
		return "It works. There is one model: " + models.Names[0] + "."
	case n > namedModels:
		return fmt.Sprintf("It works. There are %s models, such as %s.", plan.Thousands(n), strings.Join(models.Names[:namedModels], ", "))
	}
	return fmt.Sprintf("It works. There are %d models: %s.", len(models.Names), strings.Join(models.Names, ", "))
}

func (s modelPages) deleteProvider(c *fiber.Ctx, v page.Visit) error {
	provider, err := s.provider(c, v)
	if err != nil {
		return err
	}
	if err := s.Chatbots.Providers.Delete(c.UserContext(), v.WorkspaceID(), provider.ID); err != nil {
		again := page.Form{"kind": string(provider.Kind)} // of the form that adds one
		return again.Again(c, err, func(status int, f ui.Form) error { return s.showModels(c, v, status, f, "") })
	}
	return page.Done(c, shell.ModelsURL(v.WorkspaceID()), "removed")
}
