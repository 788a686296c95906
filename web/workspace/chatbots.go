package workspace

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/tenant"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/page"
)

// chatbotPages are the handlers of the chatbots of a workspace.
type chatbotPages struct{ *page.Base }

func (s chatbotPages) chatbotsPage(c *fiber.Ctx, v page.Visit) error {
	return s.showChatbots(c, v, fiber.StatusOK, ui.Form{})
}

func (s chatbotPages) showChatbots(c *fiber.Ctx, v page.Visit, status int, f ui.Form) error {
	bots, err := s.Chatbots.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	m := views.Chatbots{Form: f, MayCreate: v.May(tenant.ManageChatbots)}
	for _, bot := range bots {
		m.Chatbots = append(m.Chatbots, page.ChatbotToView(bot))
	}
	return page.Render(c, status, views.ChatbotsPage(v.Layout(c, shell.ChatbotsSection, "Chatbots"), m))
}

func (s chatbotPages) createChatbot(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "name")
	if err != nil {
		return err
	}
	bot, err := s.Chatbots.Create(c.UserContext(), v.WorkspaceID(), chatbot.Settings{Name: typed["name"]})
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showChatbots(c, v, status, f) })
	}
	return page.SeeOther(c, shell.WelcomeURL(bot.ID))
}
