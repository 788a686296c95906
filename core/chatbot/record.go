package chatbot

import (
	"context"
	"fmt"
	"strings"

	"parley/core/audit"
)

// record writes an entry into the audit log. The actor is the context's.
func (s base) record(ctx context.Context, workspaceID string, entry audit.Entry) error {
	return audit.Record(ctx, s.db.Audit, workspaceID, s.now(), entry)
}

// recordSettings records what is changed of a chatbot, without the texts that
// owners write for the model. Settings that are saved as they were are no act.
func (s *Chatbots) recordSettings(ctx context.Context, before Chatbot, settings Settings) error {
	changes := audit.Differences(before, settings, "Instructions", "NoAnswer")
	if len(changes) == 0 {
		return nil
	}
	return s.record(ctx, before.WorkspaceID, audit.Entry{Action: audit.ChatbotChanged, Object: before.object(), Changes: changes})
}

// recordProvider records what is changed of a provider, and that its key was
// replaced, which are two acts.
func (s *Providers) recordProvider(ctx context.Context, before Provider, settings ProviderSettings) error {
	settings.Kind = before.Kind // which does not change
	if changes := audit.Differences(before, settings, "Key"); len(changes) > 0 {
		entry := audit.Entry{Action: audit.ProviderChanged, Object: before.object(), Changes: changes}
		if err := s.record(ctx, before.WorkspaceID, entry); err != nil {
			return err
		}
	}
	if settings.Key == "" {
		return nil
	}
	return s.record(ctx, before.WorkspaceID, audit.Entry{Action: audit.ProviderKeyReplaced, Object: before.object()})
}

// object is a chatbot as the object of an act.
func (b Chatbot) object() audit.Object {
	return audit.Object{Kind: "chatbot", ID: b.ID, Name: b.Name}
}

// object is a token as the object of an act, without its secret.
func (t Token) object() audit.Object {
	return audit.Object{Kind: "token", ID: t.ID, Name: t.Name}
}

// describe says what a token is for.
func (t Token) describe() string {
	scopes := make([]string, len(t.Scopes))
	for i, scope := range t.Scopes {
		scopes[i] = string(scope)
	}
	return fmt.Sprintf("In the chatbot %s, with the scopes %s.", t.ChatbotID, strings.Join(scopes, ", "))
}

// object is a provider as the object of an act, without its key.
func (p Provider) object() audit.Object {
	return audit.Object{Kind: "provider", ID: p.ID, Name: p.Name}
}
