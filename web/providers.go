package web

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/views"
)

// modelPages are the handlers of the providers of models.
type modelPages struct{ *site }

func (s modelPages) modelsPage(c *fiber.Ctx, v visit) error {
	empty := form{"kind": string(chatbot.OpenAI), "name": "", "base_url": "", "key": ""}
	return s.showModels(c, v, fiber.StatusOK, empty.view())
}

func (s modelPages) showModels(c *fiber.Ctx, v visit, status int, f views.Form) error {
	providers, err := s.Chatbots.Providers.List(c.UserContext(), v.workspaceID())
	if err != nil {
		return err
	}
	bots, err := s.Chatbots.List(c.UserContext(), v.workspaceID())
	if err != nil {
		return err
	}
	m := views.Models{Own: s.Chatbots.Providers.OwnModels(), MayManage: v.may(tenant.ManageChatbots), Form: f}
	for _, provider := range providers {
		m.Providers = append(m.Providers, providerToView(provider, bots))
	}
	return render(c, status, views.ModelsPage(v.layout(c, views.ModelsSection, "Models"), m))
}

func providerToView(p chatbot.Provider, bots []chatbot.Chatbot) views.Provider {
	shown := views.Provider{ID: p.ID, Name: p.Name, Kind: string(p.Kind), Address: p.BaseURL, KeyHint: p.KeyHint, Tools: p.Tools}
	for _, bot := range bots {
		if bot.Uses(p.ID) {
			shown.UsedBy = append(shown.UsedBy, chatbotToView(bot))
		}
	}
	return shown
}

func (s modelPages) createProvider(c *fiber.Ctx, v visit) error {
	typed, err := readForm(c, "kind", "name", "base_url", "key", "tools")
	if err != nil {
		return err
	}
	settings := providerSettings(typed)
	settings.Kind = chatbot.ProviderKind(typed["kind"])
	if _, err := s.Chatbots.Providers.CreateProvider(c.UserContext(), v.workspaceID(), settings); err != nil {
		logFailure(c, s.Log, fault.As(err))
		return typed.again(c, err, func(status int, f views.Form) error { return s.showModels(c, v, status, f) })
	}
	return done(c, views.ModelsURL(v.workspaceID()), "provider")
}

func providerSettings(typed form) chatbot.ProviderSettings {
	return chatbot.ProviderSettings{
		Name: typed["name"], BaseURL: typed["base_url"], Key: chatbot.Key(typed["key"]), Tools: typed["tools"] != "",
	}
}

// provider is the one that the address names.
func (s modelPages) provider(c *fiber.Ctx, v visit) (chatbot.Provider, error) {
	return s.Chatbots.Providers.Provider(c.UserContext(), v.workspaceID(), id.Given(c.Params("provider")))
}

func (s modelPages) providerPage(c *fiber.Ctx, v visit) error {
	provider, err := s.provider(c, v)
	if err != nil {
		return err
	}
	shown := form{"name": provider.Name, "base_url": provider.BaseURL, "key": ""}
	if provider.Tools {
		shown["tools"] = "on"
	}
	return s.showProvider(c, v, provider, fiber.StatusOK, shown.view())
}

func (s modelPages) showProvider(c *fiber.Ctx, v visit, p chatbot.Provider, status int, f views.Form) error {
	return render(c, status, views.ProviderPage(v.layout(c, views.ModelsSection, p.Name), providerToView(p, nil), f))
}

func (s modelPages) saveProvider(c *fiber.Ctx, v visit) error {
	provider, err := s.provider(c, v)
	if err != nil {
		return err
	}
	typed, err := readForm(c, "name", "base_url", "key", "tools")
	if err != nil {
		return err
	}
	if _, err := s.Chatbots.Providers.UpdateProvider(c.UserContext(), v.workspaceID(), provider.ID, providerSettings(typed)); err != nil {
		logFailure(c, s.Log, fault.As(err))
		return typed.again(c, err, func(status int, f views.Form) error { return s.showProvider(c, v, provider, status, f) })
	}
	return done(c, views.ModelsURL(v.workspaceID()), "saved")
}

func (s modelPages) deleteProvider(c *fiber.Ctx, v visit) error {
	provider, err := s.provider(c, v)
	if err != nil {
		return err
	}
	if err := s.Chatbots.Providers.DeleteProvider(c.UserContext(), v.workspaceID(), provider.ID); err != nil {
		again := form{"kind": string(provider.Kind)} // of the form that adds one
		return again.again(c, err, func(status int, f views.Form) error { return s.showModels(c, v, status, f) })
	}
	return done(c, views.ModelsURL(v.workspaceID()), "removed")
}
