package bot

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/tenant"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// settingsPages are the handlers of a chatbot's settings.
type settingsPages struct{ *page.Base }

func (s settingsPages) settingsPage(c *fiber.Ctx, v page.Visit) error {
	form := settingsForm(v.Chatbot)
	if c.Query("greeting") != "proposed" {
		return s.showSettings(c, v, fiber.StatusOK, form, ui.Form{})
	}
	proposal, err := s.Browser.Propose(c.UserContext(), v.Chatbot)
	if err != nil {
		return err
	}
	form.Values["welcome"], form.Values["suggested_questions"] = proposal.Welcome, strings.Join(proposal.SuggestedQuestions, "\n")
	return s.showSettings(c, v, fiber.StatusOK, form, ui.Form{})
}

// settingsInputs are the inputs of the settings, except the part about answers.
var settingsInputs = []string{
	"name", "instructions", "no_answer", "welcome", "suggested_questions", "image_hosts", "passage_aim", "passage_limit", "answer_without_knowledge",
	"separate_end_users", "keep_files", "retention_days", "discard_messages", "suggest_nothing", "seen",
}

func settingsForm(bot chatbot.Chatbot) ui.Form {
	shown := page.Form{
		"name": bot.Name, "instructions": bot.Instructions, "no_answer": bot.NoAnswer,
		"welcome": bot.Welcome, "suggested_questions": strings.Join(bot.SuggestedQuestions, "\n"),
		"image_hosts": strings.Join(bot.ImageHosts, "\n"), "passage_aim": size(bot.PassageAim), "passage_limit": size(bot.PassageLimit),
		"retention_days": size(bot.RetentionDays),
		"seen":           bot.Settings().Fingerprint(),
	}
	if bot.AnswerWithoutKnowledge {
		shown["answer_without_knowledge"] = "on"
	}
	if bot.SuggestNothing {
		shown["suggest_nothing"] = "on"
	}
	if bot.SeparateEndUsers {
		shown["separate_end_users"] = "on"
	}
	if !bot.DiscardFiles {
		shown["keep_files"] = "on"
	}
	if bot.DiscardMessages {
		shown["discard_messages"] = "on"
	}
	fillAnswering(shown, bot.Answering)
	return shown.View()
}

// size writes a size of passages. Zero is the default.
func size(tokens int) string {
	if tokens == 0 {
		return ""
	}
	return strconv.Itoa(tokens)
}

func (s settingsPages) showSettings(c *fiber.Ctx, v page.Visit, status int, settings, remove ui.Form) error {
	choices, err := s.answeringChoices(c, v)
	if err != nil {
		return err
	}
	proposal, err := s.Browser.Propose(c.UserContext(), v.Chatbot)
	if err != nil {
		return err
	}
	return page.Render(c, status, views.SettingsPage(v.Layout(c, shell.SettingsSection, "Settings"), views.Settings{
		Proposal: views.Proposal{Welcome: proposal.Welcome, Questions: proposal.SuggestedQuestions}, Proposed: c.Query("greeting") == "proposed",
		Form: settings, Delete: remove, MayChange: v.MayChange(tenant.ManageChatbots), MayDelete: v.May(tenant.ManageChatbots), Answering: choices,
	}))
}

func (s settingsPages) saveSettings(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, slices.Concat(settingsInputs, answeringInputs)...)
	if err != nil {
		return err
	}
	settings, err := s.settingsOf(typed, v.Chatbot)
	if err == nil {
		err = s.Chatbots.UpdateFrom(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, typed["seen"], settings, v.Person.Session.CheckProof())
	}
	if fault.As(err).Code() == fault.ReauthenticationRequired {
		return page.ProveFirst(c, err)
	}
	if fault.Is(err, fault.Conflict) {
		return s.showConflict(c, v, typed, settings, err)
	}
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			return s.showSettings(c, v, status, f, ui.Form{})
		})
	}
	return s.resize(c, v)
}

// showConflict shows again what was typed to somebody whose settings were changed
// meanwhile, and says where theirs differ. Saved once more, theirs stay.
func (s settingsPages) showConflict(c *fiber.Ctx, v page.Visit, typed page.Form, settings chatbot.Settings, err error) error {
	now, missing := s.Chatbots.Get(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if missing != nil {
		return missing
	}
	typed["seen"] = now.Settings().Fingerprint()
	var differ []string
	for _, change := range audit.Differences(now, settings) {
		differ = append(differ, views.SettingName(change.Field))
	}
	slices.Sort(differ)
	differ = slices.Compact(differ)
	told := *fault.As(err)
	if len(differ) == 0 {
		return page.Done(c, shell.ChatbotSettingsURL(v.Chatbot.ID), "saved") // both saved the same
	}
	told.Message += " Yours differs in: " + strings.Join(differ, ", ") + ". Save again to replace what is there, or reload the page to see it."
	return typed.Again(c, &told, func(status int, f ui.Form) error {
		return s.showSettings(c, v, status, f, ui.Form{})
	})
}

func (s settingsPages) settingsOf(typed page.Form, was chatbot.Chatbot) (chatbot.Settings, error) {
	settings := chatbot.Settings{
		Name: typed["name"], Instructions: typed["instructions"], NoAnswer: typed["no_answer"],
		Greeting: chatbot.Greeting{
			Welcome: typed["welcome"], SuggestedQuestions: strings.SplitN(typed["suggested_questions"], "\n", maxLines), SuggestNothing: typed["suggest_nothing"] != "",
		},
		ImageHosts: words(typed["image_hosts"]), AnswerWithoutKnowledge: typed["answer_without_knowledge"] != "",
		SeparateEndUsers: typed["separate_end_users"] != "", DiscardFiles: typed["keep_files"] == "",
	}
	err := number(typed, "passage_aim", &settings.PassageAim)
	if err == nil {
		err = number(typed, "passage_limit", &settings.PassageLimit)
	}
	settings.DiscardMessages = typed["discard_messages"] != ""
	if err == nil {
		err = number(typed, "retention_days", &settings.RetentionDays)
	}
	if err == nil {
		settings.Answering, err = s.answeringOf(typed, was.Answering)
	}
	return settings, err
}

// resize has the documents split again if passages have other sizes now.
func (s settingsPages) resize(c *fiber.Ctx, v page.Visit) error {
	now, err := s.Chatbots.Get(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	aim, limit := v.Chatbot.PassageSizes()
	if newAim, newLimit := now.PassageSizes(); newAim == aim && newLimit == limit {
		return page.Done(c, shell.ChatbotSettingsURL(v.Chatbot.ID), "saved")
	}
	if err := s.Knowledge.Documents.MarkReindex(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID); err != nil {
		return err
	}
	return page.Done(c, shell.ChatbotSettingsURL(v.Chatbot.ID), "resized")
}

func (s settingsPages) deleteChatbot(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "confirm_name")
	if err != nil {
		return err
	}
	if err := s.deleteNamed(c, v, typed["confirm_name"]); err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			return s.showSettings(c, v, status, settingsForm(v.Chatbot), f)
		})
	}
	return page.Done(c, shell.WorkspaceURL(v.WorkspaceID()), "deleted")
}

func (s settingsPages) deleteNamed(c *fiber.Ctx, v page.Visit, name string) error {
	if strings.TrimSpace(name) != v.Chatbot.Name {
		return fault.InField("confirm_name", "That is not the name of the chatbot. Type the name exactly as it is shown.")
	}
	return s.Chatbots.Delete(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
}
