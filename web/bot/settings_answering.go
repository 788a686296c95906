package bot

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/fault"
	views "parley/views/bot"
	"parley/views/ui"
	"parley/web/page"
)

// answeringInputs are the inputs of the settings' part about answers.
var answeringInputs = []string{
	"provider_id", "model", "fallback_provider_id", "fallback_model", "temperature", "max_answer_tokens", "grounding", "cache_answers", "rerank",
}

// fillAnswering puts into a form how a chatbot answers.
func fillAnswering(shown page.Form, a chatbot.Answering) {
	shown["provider_id"], shown["model"] = providerChoice(a.Model), a.Model.Name
	shown["fallback_provider_id"], shown["fallback_model"] = views.NoModel, ""
	if !a.Fallback.IsZero() {
		shown["fallback_provider_id"], shown["fallback_model"] = providerChoice(a.Fallback), a.Fallback.Name
	}
	shown["temperature"], shown["max_answer_tokens"] = "", size(a.MaxAnswerTokens)
	if a.Temperature != nil {
		shown["temperature"] = strconv.FormatFloat(*a.Temperature, 'g', -1, 64)
	}
	shown["grounding"] = string(cmp.Or(a.Grounding, chatbot.Open))
	shown["rerank"] = string(cmp.Or(a.Rerank, chatbot.DefaultRerank))
	if a.CacheAnswers {
		shown["cache_answers"] = "on"
	}
}

func providerChoice(choice chatbot.ModelChoice) string {
	if choice.ProviderID == "" {
		return views.OwnModel
	}
	return choice.ProviderID
}

// answeringOf is how a chatbot is to answer. A form without this part, as of a
// page that was opened before there was one, leaves it as it was.
func (s settingsPages) answeringOf(typed page.Form, was chatbot.Answering) (chatbot.Answering, error) {
	if typed["grounding"] == "" {
		return was, nil
	}
	a := chatbot.Answering{
		Model:     chatbot.ModelChoice{ProviderID: chosenProvider(typed["provider_id"]), Name: strings.TrimSpace(typed["model"])},
		Grounding: chatbot.Grounding(typed["grounding"]), CacheAnswers: typed["cache_answers"] != "",
		Rerank: cmp.Or(chatbot.Rerank(typed["rerank"]), was.Rerank),
	}
	var err error
	if a.Fallback, err = s.fallbackOf(typed); err != nil {
		return a, err
	}
	if a.Temperature, err = fraction(typed, "temperature"); err != nil {
		return a, err
	}
	return a, number(typed, "max_answer_tokens", &a.MaxAnswerTokens)
}

func chosenProvider(value string) string {
	if value == views.OwnModel {
		return ""
	}
	return value
}

// fallbackOf returns the fallback model. The server's own has a name always: without
// one it would be none.
func (s settingsPages) fallbackOf(typed page.Form) (chatbot.ModelChoice, error) {
	where, name := typed["fallback_provider_id"], strings.TrimSpace(typed["fallback_model"])
	if where == views.NoModel || where == "" {
		if name != "" {
			return chatbot.ModelChoice{}, fault.InField("fallback_provider_id", "Choose the provider of the fallback model, or clear its name.")
		}
		return chatbot.ModelChoice{}, nil
	}
	if own := s.Chatbots.Providers.OwnModels(); where == views.OwnModel && name == "" && len(own) > 0 {
		name = own[0]
	}
	return chatbot.ModelChoice{ProviderID: chosenProvider(where), Name: name}, nil
}

// fraction reads a number with decimals. An empty input is nil.
func fraction(typed page.Form, name string) (*float64, error) {
	text := strings.TrimSpace(typed[name])
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) {
		return nil, fault.InField(name, "Enter a number such as 0.7.")
	}
	return &n, nil
}

// answeringChoices is what a chatbot's answers can be by.
func (s settingsPages) answeringChoices(c *fiber.Ctx, v page.Visit) (views.Answering, error) {
	choices := views.Answering{Own: s.Chatbots.Providers.OwnModels()}
	providers, err := s.Chatbots.Providers.List(c.UserContext(), v.WorkspaceID())
	for _, p := range providers {
		choices.Providers = append(choices.Providers, ui.Option{Value: p.ID, Text: p.Name})
	}
	return choices, err
}
