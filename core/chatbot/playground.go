package chatbot

import (
	"context"

	"parley/core/fault"
	"parley/core/tenant"
)

// Playground lets members try their chatbot, on every plan and without a token.
type Playground struct {
	base
	chatbots *Chatbots
}

// Draft has settings that answer a question without being saved. Those that are nil
// are the chatbot's own.
type Draft struct {
	Instructions, NoAnswer *string
	Model                  *ModelChoice
	Grounding              *Grounding
	// Temperature is left to the model where it points to nil.
	Temperature **float64
}

// Enter returns the principal of a person who tries a chatbot of one of their
// workspaces. It is Forbidden for a member who can only look, and for a chatbot
// that is over the limit. What is cached for callers is left as it is: whoever
// tries a chatbot wants to see how it answers now.
func (s *Playground) Enter(ctx context.Context, person tenant.Person, bot Chatbot) (*Principal, error) {
	member, err := person.May(tenant.Try, bot.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if err := bot.Writable(); err != nil {
		return nil, err
	}
	p, err := s.db.Plans.Plan(ctx, member.Workspace.Plan)
	if err != nil {
		return nil, err
	}
	bot.CacheAnswers = false
	return &Principal{Chatbot: bot, Plan: p, MemberID: person.User.ID}, nil
}

// Rehearse returns a principal whose chatbot has the settings of a draft. It is
// Invalid for settings that could not be saved, and Forbidden for a person who may
// not save any: a draft spends money as its settings would.
func (s *Playground) Rehearse(ctx context.Context, person tenant.Person, p *Principal, draft Draft) (*Principal, error) {
	if _, err := person.May(tenant.ManageChatbots, p.Chatbot.WorkspaceID); err != nil {
		return nil, err
	}
	settings, err := s.chatbots.check(draft.Over(p.Chatbot.Settings()))
	if err != nil {
		return nil, err
	}
	if id := settings.Model.ProviderID; id != "" {
		_, err := s.db.Providers.Provider(ctx, p.Chatbot.WorkspaceID, id)
		if fault.Is(err, fault.NotFound) {
			return nil, errNoProvider("provider_id")
		}
		if err != nil {
			return nil, err
		}
	}
	rehearsed := *p
	rehearsed.Chatbot.Instructions, rehearsed.Chatbot.NoAnswer, rehearsed.Chatbot.Answering = settings.Instructions, settings.NoAnswer, settings.Answering
	return &rehearsed, nil
}

// Over returns settings with the draft's settings in place of their own, where the
// draft has any.
func (d Draft) Over(settings Settings) Settings {
	if d.Instructions != nil {
		settings.Instructions = *d.Instructions
	}
	if d.NoAnswer != nil {
		settings.NoAnswer = *d.NoAnswer
	}
	if d.Model != nil {
		settings.Model = *d.Model
	}
	if d.Grounding != nil {
		settings.Grounding = *d.Grounding
	}
	if d.Temperature != nil {
		settings.Temperature = *d.Temperature
	}
	return settings
}
