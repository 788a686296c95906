package web

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/tenant"
	"parley/views"
)

// chatbotPages are the handlers of the chatbots of a workspace.
type chatbotPages struct{ *site }

func (s chatbotPages) chatbotsPage(c *fiber.Ctx, v visit) error {
	return s.showChatbots(c, v, fiber.StatusOK, views.Form{})
}

func (s chatbotPages) showChatbots(c *fiber.Ctx, v visit, status int, f views.Form) error {
	bots, err := s.Chatbots.List(c.UserContext(), v.workspaceID())
	if err != nil {
		return err
	}
	m := views.Chatbots{Form: f, MayCreate: v.may(tenant.ManageChatbots)}
	for _, bot := range bots {
		m.Chatbots = append(m.Chatbots, chatbotToView(bot))
	}
	return render(c, status, views.ChatbotsPage(v.layout(c, views.ChatbotsSection, "Chatbots"), m))
}

func (s chatbotPages) createChatbot(c *fiber.Ctx, v visit) error {
	typed, err := readForm(c, "name")
	if err != nil {
		return err
	}
	bot, err := s.Chatbots.Create(c.UserContext(), v.workspaceID(), chatbot.Settings{Name: typed["name"]})
	if err != nil {
		return typed.again(c, err, func(status int, f views.Form) error { return s.showChatbots(c, v, status, f) })
	}
	return seeOther(c, views.ChatbotURL(bot.ID))
}
