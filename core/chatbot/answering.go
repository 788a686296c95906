package chatbot

import (
	"context"
	"math"
	"slices"
	"strings"

	"parley/core/fault"
)

// Answering is how a chatbot answers.
type Answering struct {
	// Model answers, and Fallback does where Model fails before its first
	// word. The zero Model is the server's own, the zero Fallback none.
	Model, Fallback ModelChoice
	// Temperature is left to the model when it is nil. It is from 0 to 2.
	Temperature *float64
	// MaxAnswerTokens bounds an answer: from MinAnswerTokens to
	// MaxAnswerTokens. Zero leaves it to the model.
	MaxAnswerTokens int
	// Grounding is Open where nothing was chosen.
	Grounding Grounding
	// CacheAnswers has equal first questions answered alike, without a model,
	// until the knowledge or these settings change.
	CacheAnswers bool
	// Rerank is [DefaultRerank] where nothing was chosen.
	Rerank Rerank
}

// The bounds of an answer, in tokens.
const (
	MinAnswerTokens = 16
	MaxAnswerTokens = 32_000
)

const (
	maxModelName   = 200
	maxTemperature = 2.0
)

// ModelChoice is a model of a provider, or, without a provider, one of the
// server's own; see [Providers.OwnModels]. A choice that is not zero has a name.
type ModelChoice struct {
	ProviderID string
	// Name is the model's, as its provider writes it, of at most 200 bytes.
	Name string
}

// IsZero reports whether nothing was chosen.
func (c ModelChoice) IsZero() bool { return c == ModelChoice{} }

// Grounding says what a chatbot may say beyond its knowledge.
type Grounding string

// The groundings.
const (
	// Open leaves it to the model and its instructions.
	Open Grounding = "open"
	// Strict lets nothing through that the passages do not support.
	Strict Grounding = "strict"
)

// Rerank says when a chatbot's own language model puts the passages found in order,
// before it answers from the first of them. A model that is none never does.
type Rerank string

// The choices. RerankAuto is on only where the search is in doubt: see package retrieval.
const (
	RerankOff  Rerank = "off"
	RerankOn   Rerank = "on"
	RerankAuto Rerank = "auto"
)

// DefaultRerank is what a new chatbot has.
const DefaultRerank = RerankOff

// Uses reports whether a chatbot answers by a provider.
func (a Answering) Uses(providerID string) bool {
	return providerID != "" && (a.Model.ProviderID == providerID || a.Fallback.ProviderID == providerID)
}

// checkAnswering refuses what no model could be asked for. Whether providers
// are there is seen in the transaction: see [Chatbots.checkProviders].
func (s *Chatbots) checkAnswering(a Answering) (Answering, error) {
	var err error
	if a.Model, err = s.checkChoice("model", a.Model); err != nil {
		return a, err
	}
	if a.Fallback, err = s.checkChoice("fallback_model", a.Fallback); err != nil {
		return a, err
	}
	if !a.Fallback.IsZero() && s.named(a.Fallback) == s.named(a.Model) {
		return a, fault.InField("fallback_model", "This is the first model once more. Choose another, or none.")
	}
	if t := a.Temperature; t != nil && (math.IsNaN(*t) || *t < 0 || *t > maxTemperature) {
		return a, fault.InField("temperature", "Give a number from 0 to 2, or none to leave it to the model.")
	}
	if n := a.MaxAnswerTokens; n != 0 && (n < MinAnswerTokens || n > MaxAnswerTokens) {
		return a, fault.InField("max_answer_tokens", "Give a number of tokens from %d to %d, or none to leave it to the model.", MinAnswerTokens, MaxAnswerTokens)
	}
	switch a.Grounding {
	case "":
		a.Grounding = Open
	case Open, Strict:
	default:
		return a, fault.InField("grounding", "Choose open or strict.")
	}
	switch a.Rerank {
	case "":
		a.Rerank = DefaultRerank
	case RerankOff, RerankOn, RerankAuto:
	default:
		return a, fault.InField("rerank", "Choose off, on or automatic.")
	}
	return a, nil
}

// named is a choice with the name of the server's default where it has none.
func (s *Chatbots) named(choice ModelChoice) ModelChoice {
	if choice.IsZero() && len(s.options.OwnModels) > 0 {
		choice.Name = s.options.OwnModels[0]
	}
	return choice
}

func (s *Chatbots) checkChoice(field string, choice ModelChoice) (ModelChoice, error) {
	var err error
	if choice.Name, err = checkText(field, choice.Name, maxModelName); err != nil {
		return choice, err
	}
	switch {
	case len(choice.Name) > maxModelName:
		return choice, fault.InField(field, "This name is too long for a model.")
	case strings.ContainsFunc(choice.Name, isControl):
		return choice, fault.InField(field, "A model's name has no control characters.")
	case choice.ProviderID != "" && choice.Name == "":
		return choice, fault.InField(field, "Name the provider's model, such as gpt-4o-mini.")
	case choice.ProviderID == "" && choice.Name != "" && !slices.Contains(s.options.OwnModels, choice.Name):
		return choice, fault.InField(field, "This server has no model of this name. Choose the provider that has it, or leave the name empty.")
	}
	return choice, nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func errNoProvider(field string) error {
	return fault.InField(field, "This provider is not there any more. Choose another.")
}

// checkProviders refuses providers that the workspace does not have. It locks
// the workspace first, so that none of them is deleted meanwhile.
func (s *Chatbots) checkProviders(ctx context.Context, workspaceID string, a Answering) error {
	if a.Model.ProviderID == "" && a.Fallback.ProviderID == "" {
		return nil
	}
	if _, err := s.db.Workspaces.LockWorkspace(ctx, workspaceID); err != nil {
		return err
	}
	for _, chosen := range []struct{ field, id string }{
		{"provider_id", a.Model.ProviderID}, {"fallback_provider_id", a.Fallback.ProviderID},
	} {
		if chosen.id == "" {
			continue
		}
		_, err := s.db.Providers.Provider(ctx, workspaceID, chosen.id)
		if fault.Is(err, fault.NotFound) {
			return errNoProvider(chosen.field)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
