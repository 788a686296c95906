package web

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/tenant"
	"parley/views"
)

// settingsPages are the handlers of a chatbot's settings.
type settingsPages struct{ *site }

func (s settingsPages) settingsPage(c *fiber.Ctx, v visit) error {
	return s.showSettings(c, v, fiber.StatusOK, settingsForm(v.chatbot), views.Form{})
}

// settingsInputs are those of the settings, but for the part about answers.
var settingsInputs = []string{
	"name", "instructions", "no_answer", "image_hosts", "passage_aim", "passage_limit", "answer_without_knowledge",
	"separate_end_users",
}

func settingsForm(bot chatbot.Chatbot) views.Form {
	shown := form{
		"name": bot.Name, "instructions": bot.Instructions, "no_answer": bot.NoAnswer,
		"image_hosts": strings.Join(bot.ImageHosts, "\n"), "passage_aim": size(bot.PassageAim), "passage_limit": size(bot.PassageLimit),
	}
	if bot.AnswerWithoutKnowledge {
		shown["answer_without_knowledge"] = "on"
	}
	if bot.SeparateEndUsers {
		shown["separate_end_users"] = "on"
	}
	fillAnswering(shown, bot.Answering)
	return shown.view()
}

// size writes a size of passages, of which zero is the default.
func size(tokens int) string {
	if tokens == 0 {
		return ""
	}
	return strconv.Itoa(tokens)
}

func (s settingsPages) showSettings(c *fiber.Ctx, v visit, status int, settings, remove views.Form) error {
	choices, err := s.answeringChoices(c, v)
	if err != nil {
		return err
	}
	return render(c, status, views.SettingsPage(v.layout(c, views.SettingsSection, "Settings"), views.Settings{
		Form: settings, Delete: remove, MayChange: v.mayChange(tenant.ManageChatbots), MayDelete: v.may(tenant.ManageChatbots), Answering: choices,
	}))
}

func (s settingsPages) saveSettings(c *fiber.Ctx, v visit) error {
	typed, err := readForm(c, slices.Concat(settingsInputs, answeringInputs)...)
	if err != nil {
		return err
	}
	settings, err := s.settingsOf(typed, v.chatbot)
	if err == nil {
		err = s.Chatbots.Update(c.UserContext(), v.workspaceID(), v.chatbot.ID, settings)
	}
	if err != nil {
		return typed.again(c, err, func(status int, f views.Form) error {
			return s.showSettings(c, v, status, f, views.Form{})
		})
	}
	return s.resize(c, v)
}

func (s settingsPages) settingsOf(typed form, was chatbot.Chatbot) (chatbot.Settings, error) {
	settings := chatbot.Settings{
		Name: typed["name"], Instructions: typed["instructions"], NoAnswer: typed["no_answer"],
		ImageHosts: strings.Fields(typed["image_hosts"]), AnswerWithoutKnowledge: typed["answer_without_knowledge"] != "",
		SeparateEndUsers: typed["separate_end_users"] != "",
	}
	err := number(typed, "passage_aim", &settings.PassageAim)
	if err == nil {
		err = number(typed, "passage_limit", &settings.PassageLimit)
	}
	if err == nil {
		settings.Answering, err = s.answeringOf(typed, was.Answering)
	}
	return settings, err
}

// resize has the documents split again if passages have other sizes now.
func (s settingsPages) resize(c *fiber.Ctx, v visit) error {
	now, err := s.Chatbots.Get(c.UserContext(), v.workspaceID(), v.chatbot.ID)
	if err != nil {
		return err
	}
	aim, limit := v.chatbot.PassageSizes()
	if newAim, newLimit := now.PassageSizes(); newAim == aim && newLimit == limit {
		return done(c, views.ChatbotURL(v.chatbot.ID), "saved")
	}
	if err := s.Knowledge.Documents.MarkReindex(c.UserContext(), v.workspaceID(), v.chatbot.ID); err != nil {
		return err
	}
	return done(c, views.ChatbotURL(v.chatbot.ID), "resized")
}

func (s settingsPages) deleteChatbot(c *fiber.Ctx, v visit) error {
	typed, err := readForm(c, "confirm_name")
	if err != nil {
		return err
	}
	if err := s.deleteNamed(c, v, typed["confirm_name"]); err != nil {
		return typed.again(c, err, func(status int, f views.Form) error {
			return s.showSettings(c, v, status, settingsForm(v.chatbot), f)
		})
	}
	return done(c, views.WorkspaceURL(v.workspaceID()), "deleted")
}

func (s settingsPages) deleteNamed(c *fiber.Ctx, v visit, name string) error {
	if strings.TrimSpace(name) != v.chatbot.Name {
		return fault.InField("confirm_name", "That is not the name of the chatbot. Type the name exactly as it is shown.")
	}
	return s.Chatbots.Delete(c.UserContext(), v.workspaceID(), v.chatbot.ID)
}
