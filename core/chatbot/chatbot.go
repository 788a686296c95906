// Package chatbot owns chatbots and their settings, their API tokens (how they
// are minted, hashed, checked and revoked), and the providers of models that a
// workspace has accounts with: how their keys are kept.
//
// It does not own how a model is asked (package llm), what a chatbot knows
// (package knowledge) or says (package chat), nor the headers that carry a
// token (package api).
package chatbot

import (
	"context"
	"encoding/json"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/system"
	"parley/core/tenant"
	"parley/internal/id"
)

// Chatbot answers questions from its knowledge.
type Chatbot struct {
	// ID is opaque and starts with "cb_".
	ID          string
	WorkspaceID string
	Name        string
	// Instructions are the owner's own, for the model.
	Instructions string
	// NoAnswer is said when the knowledge does not hold the answer. Empty
	// means the default sentence.
	NoAnswer string
	// ImageHosts are the hosts from which images in answers may be shown.
	ImageHosts []string
	// PassageAim and PassageLimit are the sizes of passages in tokens, as the
	// owner set them; see [Chatbot.PassageSizes].
	PassageAim, PassageLimit int
	// AnswerWithoutKnowledge lets the model answer while the index is away.
	AnswerWithoutKnowledge bool
	// SeparateEndUsers makes each conversation usable only by requests that
	// name the same external user id, or none if it has none.
	SeparateEndUsers bool
	// DiscardFiles deletes uploaded files once they are read.
	DiscardFiles bool
	Greeting
	Retention
	Answering
	// OverLimit says that the plan includes fewer chatbots, and that this one
	// is suspended; see [Chatbot.Writable].
	OverLimit bool
	CreatedAt time.Time
}

// PassageSizes returns how many tokens a passage is to have, and how many it
// may have at most. What the owner left at zero is the default, or the other
// size where the default does not go with it.
func (b Chatbot) PassageSizes() (aim, limit int) {
	aim, limit = b.PassageAim, b.PassageLimit
	switch {
	case aim == 0 && limit == 0:
		return DefaultPassageAim, DefaultPassageLimit
	case aim == 0:
		return min(DefaultPassageAim, limit), limit
	case limit == 0:
		return aim, max(DefaultPassageLimit, aim)
	}
	return aim, limit
}

// Settings are what an owner can change of a chatbot.
type Settings struct {
	Name         string
	Instructions string
	NoAnswer     string
	ImageHosts   []string
	// PassageAim is zero, or from MinPassageAim to MaxPassageAim tokens.
	// PassageLimit is zero, or from the aim to MaxPassageLimit.
	PassageAim, PassageLimit int
	AnswerWithoutKnowledge   bool
	SeparateEndUsers         bool
	DiscardFiles             bool
	Greeting
	Retention
	Answering
}

// Settings of the chatbot, as they are.
func (b Chatbot) Settings() Settings {
	return Settings{
		Name: b.Name, Instructions: b.Instructions, NoAnswer: b.NoAnswer, ImageHosts: b.ImageHosts,
		PassageAim: b.PassageAim, PassageLimit: b.PassageLimit,
		AnswerWithoutKnowledge: b.AnswerWithoutKnowledge, SeparateEndUsers: b.SeparateEndUsers, DiscardFiles: b.DiscardFiles, Greeting: b.Greeting, Retention: b.Retention, Answering: b.Answering,
	}
}

// Fingerprint returns a hash that tells settings from others. A form carries the
// fingerprint of the settings that it was filled from: see [Chatbots.UpdateFrom].
func (s Settings) Fingerprint() string {
	s.ImageHosts = append([]string{}, s.ImageHosts...) // none is written in one way
	s.SuggestedQuestions = append([]string{}, s.SuggestedQuestions...)
	written, err := json.Marshal(s)
	if err != nil { // only for a temperature that is no number, which is refused
		return ""
	}
	return hash(string(written))[:16]
}

var errOvertaken = fault.New(fault.Conflict, "Somebody changed these settings after you opened this page, so nothing of yours is saved yet.")

// Store keeps chatbots. A missing row is a NotFound fault.
type Store interface {
	CreateChatbot(ctx context.Context, workspaceID string, bot Chatbot) error
	Chatbot(ctx context.Context, workspaceID, chatbotID string) (Chatbot, error)
	Chatbots(ctx context.Context, workspaceID string) ([]Chatbot, error)
	UpdateChatbot(ctx context.Context, workspaceID, chatbotID string, settings Settings) error
	DeleteChatbot(ctx context.Context, workspaceID, chatbotID string) error
	// WorkspaceOf finds a chatbot in any workspace, for the operator.
	WorkspaceOf(ctx context.Context, access system.Access, chatbotID string) (string, error)
}

// Chatbots creates, changes and deletes chatbots.
type Chatbots struct {
	base
	forgetter Forgetter
	options   Options
	known     *cache
}

// Forgetter takes all that a chatbot knows out of the index.
type Forgetter interface {
	Forget(ctx context.Context, workspaceID, chatbotID string) error
}

// Create adds a chatbot to a workspace, if its plan admits one more.
func (s *Chatbots) Create(ctx context.Context, workspaceID string, settings Settings) (Chatbot, error) {
	settings, err := s.check(settings)
	if err != nil {
		return Chatbot{}, err
	}
	bot := Chatbot{
		ID: id.New(s.random, "cb"), WorkspaceID: workspaceID, Name: settings.Name, Instructions: settings.Instructions,
		NoAnswer: settings.NoAnswer, ImageHosts: settings.ImageHosts,
		PassageAim: settings.PassageAim, PassageLimit: settings.PassageLimit,
		AnswerWithoutKnowledge: settings.AnswerWithoutKnowledge, SeparateEndUsers: settings.SeparateEndUsers, DiscardFiles: settings.DiscardFiles,
		Greeting: settings.Greeting, Answering: settings.Answering, CreatedAt: s.now(),
	}
	err = s.change(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		p, err := s.db.Plans.Plan(ctx, workspace.Plan)
		if err != nil {
			return err
		}
		bots, err := s.db.Chatbots.Chatbots(ctx, workspaceID)
		if err != nil {
			return err
		}
		if err := p.Admit(plan.Chatbots, len(bots)+1); err != nil {
			return err
		}
		if err := s.checkProviders(ctx, workspaceID, bot.Answering); err != nil {
			return err
		}
		if err := s.db.Chatbots.CreateChatbot(ctx, workspaceID, bot); err != nil {
			return err
		}
		return s.record(ctx, workspaceID, audit.Entry{Action: audit.ChatbotCreated, Object: bot.object()})
	})
	return bot, err
}

// Get returns a chatbot of a workspace.
func (s *Chatbots) Get(ctx context.Context, workspaceID, chatbotID string) (Chatbot, error) {
	return s.db.Chatbots.Chatbot(ctx, workspaceID, chatbotID)
}

// List returns the chatbots of a workspace, oldest first.
func (s *Chatbots) List(ctx context.Context, workspaceID string) ([]Chatbot, error) {
	return s.db.Chatbots.Chatbots(ctx, workspaceID)
}

// WorkspaceOf returns the workspace of a chatbot, for the operator.
func (s *Chatbots) WorkspaceOf(ctx context.Context, chatbotID string) (string, error) {
	return s.db.Chatbots.WorkspaceOf(ctx, s.db.System, chatbotID)
}

// Visible returns a chatbot that a person may see, with their membership in
// its workspace. One of a workspace that is not theirs is NotFound.
func (s *Chatbots) Visible(ctx context.Context, person tenant.Person, chatbotID string) (Chatbot, tenant.Membership, error) {
	for _, m := range person.Memberships {
		bot, err := s.db.Chatbots.Chatbot(ctx, m.Workspace.ID, chatbotID)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return Chatbot{}, tenant.Membership{}, err
		}
		if m, err = person.In(m.Workspace.ID); err != nil { // it may demand a second factor
			return Chatbot{}, tenant.Membership{}, err
		}
		return bot, m, nil
	}
	return Chatbot{}, tenant.Membership{}, fault.New(fault.NotFound, "Chatbot not found.")
}

// Update changes a chatbot's settings, whatever they are. It is Forbidden for
// one that is over the limit; see [Chatbot.Writable].
func (s *Chatbots) Update(ctx context.Context, workspaceID, chatbotID string, settings Settings) error {
	return s.UpdateFrom(ctx, workspaceID, chatbotID, "", settings, nil)
}

// UpdateFrom is [Chatbots.Update] for somebody who has seen the settings with a
// fingerprint. It is a Conflict when they are others by now, so that nobody
// overwrites what they have not read. Of two that come at once one is refused. It is unproved,
// which says that the person has not shown lately who they are, if conversations would be kept
// for less.
func (s *Chatbots) UpdateFrom(ctx context.Context, workspaceID, chatbotID, seen string, settings Settings, unproved error) error {
	settings, err := s.check(settings)
	if err != nil {
		return err
	}
	return s.replaceSettings(ctx, workspaceID, chatbotID, func(ctx context.Context, workspace tenant.Workspace, bot Chatbot) (Settings, error) {
		if err := checkRetention(ctx, s.db.Plans, workspace, settings.Retention); err != nil {
			return Settings{}, err
		}
		if err := s.checkProviders(ctx, workspaceID, settings.Answering); err != nil {
			return Settings{}, err
		}
		if seen != "" && seen != bot.Settings().Fingerprint() {
			return Settings{}, errOvertaken
		}
		if unproved != nil && settings.Retention.shortens(bot.Retention) {
			return Settings{}, unproved
		}
		return settings, nil
	})
}

// replaceSettings changes a chatbot's settings to what next says, under the workspace's lock.
func (s *Chatbots) replaceSettings(ctx context.Context, workspaceID, chatbotID string, next func(context.Context, tenant.Workspace, Chatbot) (Settings, error)) error {
	err := s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.db.Workspaces.LockWorkspace(ctx, workspaceID)
		if err != nil {
			return err
		}
		bot, err := s.db.Chatbots.Chatbot(ctx, workspaceID, chatbotID)
		if err != nil {
			return err
		}
		if err := bot.Writable(); err != nil {
			return err
		}
		settings, err := next(ctx, workspace, bot)
		if err != nil {
			return err
		}
		if err := s.db.Chatbots.UpdateChatbot(ctx, workspaceID, chatbotID, settings); err != nil {
			return err
		}
		return s.recordSettings(ctx, bot, settings)
	})
	s.known.dropChatbot(chatbotID)
	return err
}

// Delete removes a chatbot with its tokens, documents and conversations. The
// index forgets first: a failure in between leaves a chatbot that can be
// deleted again. Another that was suspended may become active by it.
func (s *Chatbots) Delete(ctx context.Context, workspaceID, chatbotID string) error {
	bot, err := s.db.Chatbots.Chatbot(ctx, workspaceID, chatbotID)
	if err != nil {
		return err
	}
	if err := s.forgetter.Forget(ctx, workspaceID, chatbotID); err != nil {
		return err
	}
	err = s.change(ctx, workspaceID, func(ctx context.Context, _ tenant.Workspace) error {
		if err := s.db.Chatbots.DeleteChatbot(ctx, workspaceID, chatbotID); err != nil {
			return err
		}
		return s.record(ctx, workspaceID, audit.Entry{Action: audit.ChatbotDeleted, Object: bot.object()})
	})
	s.known.dropWorkspace(workspaceID)
	if err == nil {
		// A rebuild may have filled a new index with the chatbot, switched to it after the
		// index forgot, and looked for the chatbot before its row went. If this fails, the
		// next rebuild drops what is left.
		_ = s.forgetter.Forget(ctx, workspaceID, chatbotID)
	}
	return err
}

var errChatbotSuspended = fault.New(fault.Forbidden, "This chatbot is suspended because the workspace's plan includes fewer chatbots. An owner can choose which ones stay active, or upgrade the plan.").Named(fault.Suspended)

// Writable refuses, as Forbidden, to change a chatbot that is over the limit of
// its workspace's plan, or to add to what it knows. It can only be read and
// deleted, and its tokens revoked.
func (b Chatbot) Writable() error {
	if b.OverLimit {
		return errChatbotSuspended
	}
	return nil
}
