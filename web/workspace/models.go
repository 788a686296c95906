package workspace

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/site"
)

// modelPages are the handlers of the providers of models.
type modelPages struct{ *site.Site }

func (s modelPages) modelsPage(c *fiber.Ctx, v site.Visit) error {
	empty := site.Form{"kind": string(chatbot.OpenAI), "name": "", "base_url": "", "key": ""}
	return s.showModels(c, v, fiber.StatusOK, empty.View())
}

func (s modelPages) showModels(c *fiber.Ctx, v site.Visit, status int, f ui.Form) error {
	providers, err := s.Chatbots.Providers.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	bots, err := s.Chatbots.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	m := views.Models{Own: s.Chatbots.Providers.OwnModels(), MayManage: v.May(tenant.ManageChatbots), Form: f}
	for _, provider := range providers {
		m.Providers = append(m.Providers, providerToView(provider, bots))
	}
	return site.Render(c, status, views.ModelsPage(v.Layout(c, shell.ModelsSection, "Models"), m))
}

func providerToView(p chatbot.Provider, bots []chatbot.Chatbot) views.Provider {
	shown := views.Provider{ID: p.ID, Name: p.Name, Kind: string(p.Kind), Address: p.BaseURL, KeyHint: p.KeyHint, Tools: p.Tools}
	for _, bot := range bots {
		if bot.Uses(p.ID) {
			shown.UsedBy = append(shown.UsedBy, site.ChatbotToView(bot))
		}
	}
	return shown
}

func (s modelPages) createProvider(c *fiber.Ctx, v site.Visit) error {
	typed, err := site.ReadForm(c, "kind", "name", "base_url", "key", "tools")
	if err != nil {
		return err
	}
	settings := providerSettings(typed)
	settings.Kind = chatbot.ProviderKind(typed["kind"])
	if _, err := s.Chatbots.Providers.CreateProvider(c.UserContext(), v.WorkspaceID(), settings); err != nil {
		site.LogFailure(c, s.Log, fault.As(err))
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showModels(c, v, status, f) })
	}
	return site.Done(c, shell.ModelsURL(v.WorkspaceID()), "provider")
}

func providerSettings(typed site.Form) chatbot.ProviderSettings {
	return chatbot.ProviderSettings{
		Name: typed["name"], BaseURL: typed["base_url"], Key: chatbot.Key(typed["key"]), Tools: typed["tools"] != "",
	}
}

// provider is the one that the address names.
func (s modelPages) provider(c *fiber.Ctx, v site.Visit) (chatbot.Provider, error) {
	return s.Chatbots.Providers.Provider(c.UserContext(), v.WorkspaceID(), id.Given(c.Params("provider")))
}

func (s modelPages) providerPage(c *fiber.Ctx, v site.Visit) error {
	provider, err := s.provider(c, v)
	if err != nil {
		return err
	}
	shown := site.Form{"name": provider.Name, "base_url": provider.BaseURL, "key": ""}
	if provider.Tools {
		shown["tools"] = "on"
	}
	return s.showProvider(c, v, provider, fiber.StatusOK, shown.View())
}

func (s modelPages) showProvider(c *fiber.Ctx, v site.Visit, p chatbot.Provider, status int, f ui.Form) error {
	return site.Render(c, status, views.ProviderPage(v.Layout(c, shell.ModelsSection, p.Name), providerToView(p, nil), f))
}

func (s modelPages) saveProvider(c *fiber.Ctx, v site.Visit) error {
	provider, err := s.provider(c, v)
	if err != nil {
		return err
	}
	typed, err := site.ReadForm(c, "name", "base_url", "key", "tools")
	if err != nil {
		return err
	}
	if _, err := s.Chatbots.Providers.UpdateProvider(c.UserContext(), v.WorkspaceID(), provider.ID, providerSettings(typed)); err != nil {
		site.LogFailure(c, s.Log, fault.As(err))
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showProvider(c, v, provider, status, f) })
	}
	return site.Done(c, shell.ModelsURL(v.WorkspaceID()), "saved")
}

func (s modelPages) deleteProvider(c *fiber.Ctx, v site.Visit) error {
	provider, err := s.provider(c, v)
	if err != nil {
		return err
	}
	if err := s.Chatbots.Providers.DeleteProvider(c.UserContext(), v.WorkspaceID(), provider.ID); err != nil {
		again := site.Form{"kind": string(provider.Kind)} // of the form that adds one
		return again.Again(c, err, func(status int, f ui.Form) error { return s.showModels(c, v, status, f) })
	}
	return site.Done(c, shell.ModelsURL(v.WorkspaceID()), "removed")
}
