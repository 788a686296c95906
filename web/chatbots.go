package web

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/tenant"
	"parley/views"
)

func (s *site) chatbotsPage(c *fiber.Ctx) error {
	v, err := s.toWorkspace(c, tenant.Read)
	if err != nil {
		return err
	}
	return s.showChatbots(c, v, fiber.StatusOK, views.Form{})
}

func (s *site) showChatbots(c *fiber.Ctx, v visit, status int, f views.Form) error {
	bots, err := s.Chatbots.List(c.UserContext(), v.workspaceID())
	if err != nil {
		return err
	}
	m := views.Chatbots{Form: f, MayCreate: v.may(tenant.ManageChatbots)}
	for _, bot := range bots {
		m.Chatbots = append(m.Chatbots, chatbotView(bot))
	}
	return render(c, status, views.ChatbotsPage(v.layout(c, views.ChatbotsSection, "Chatbots"), m))
}

func (s *site) createChatbot(c *fiber.Ctx) error {
	v, err := s.toWorkspace(c, tenant.ManageChatbots)
	if err != nil {
		return err
	}
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
