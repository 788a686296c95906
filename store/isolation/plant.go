package isolation

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/isolation"
	"parley/core/tenant"
	ent "parley/ent/generated"
	"parley/ent/scope"
	"parley/store"
)

// NotPlanted are the tables of workspaces in which a throw-away workspace has no row, and why.
var NotPlanted = map[string]string{
	"subscriptions":   "a server would ask Stripe about it",
	"reversals":       "a refund belongs to a customer at Stripe",
	"audit_entries":   "entries of the audit log cannot be taken away",
	"message_holds":   "it says what a server has reserved, for minutes",
	"request_minutes": "it counts the requests of a minute",
	"index_changes":   "PostgreSQL writes it when documents change",
}

// planter adds the rows of one throw-away workspace, in one transaction. It writes rows and
// calls no service, so that nothing is sent, charged, queued or recorded for them.
type planter struct {
	*isolation.Seed
	store *store.Store
	db    *ent.Client
	ws    string
	is    isolation.Objects
}

// PlantThrowAway adds a workspace with a row in every table that workspaces have, but for those
// that NotPlanted names.
func (s *ThrowAways) PlantThrowAway(ctx context.Context, workspaceID string, seed *isolation.Seed) (isolation.Objects, error) {
	p := &planter{Seed: seed, store: s.store, ws: workspaceID, is: isolation.Objects{IDs: map[string]string{}}}
	err := s.store.InTx(store.Background(scope.Workspace(ctx, workspaceID)), func(ctx context.Context) error {
		p.db = s.store.Client(ctx)
		for _, plant := range []func(context.Context) error{
			p.workspace, p.people, p.chatbot, p.tokens, p.sources, p.documents, p.conversations,
			p.insight, p.tests, p.usage, p.webhooks, p.mails,
		} {
			if err := plant(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return p.is, store.MapError(err)
}

// named returns a new identifier, and gives it the names that routes have for it.
func (p *planter) named(prefix string, names ...string) string {
	made := p.NewID(prefix)
	for _, name := range names {
		p.is.IDs[name] = made
	}
	return made
}

// into begins a row of the workspace in a table without a client, and add adds rows.
func (p *planter) into(table string) *entsql.InsertBuilder {
	return p.store.Into(table).Set("workspace_id", p.ws)
}

func (p *planter) add(ctx context.Context, rows ...*entsql.InsertBuilder) error {
	for _, row := range rows {
		if err := p.store.Exec(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

func (p *planter) workspace(ctx context.Context) error {
	err := p.db.Workspace.Create().SetID(p.ws).SetName(p.Text("workspaces.name")).SetPlan(string(p.Plan)).SetGrantedPlan(string(p.Plan)).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	err = p.db.Provider.Create().SetID(p.named("mp", "provider")).SetWorkspaceID(p.ws).SetName(p.Text("providers.name")).SetKind("openai").
		SetBaseURL("https://" + p.Word("providers.base_url") + ".invalid/v1").SetKeyHint(p.Word("providers.key_hint")).SetUpdatedAt(p.At).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	return p.add(ctx, p.into("sso_connections").Set("id", p.NewID("sso")).Set("issuer", "https://"+p.Word("sso_connections.issuer")+".invalid").
		Set("client_id", p.Word("sso_connections.client_id")).Set("client_secret", []byte(p.Word("sso_connections.client_secret"))).
		Set("domain", p.Word("sso_connections.domain")+".invalid").Set("domain_code", p.Word("sso_connections.domain_code")).Set("created_at", p.At))
}

// people are an owner and a member, both signed in, and somebody who was invited.
func (p *planter) people(ctx context.Context) error {
	for _, owner := range p.Owners {
		if err := p.person(ctx, owner, tenant.RoleOwner); err != nil {
			return err
		}
	}
	if err := p.person(ctx, p.Member, tenant.RoleMember); err != nil {
		return err
	}
	p.is.IDs["user"] = p.Member.ID
	err := p.db.Passkey.Create().SetID(p.named("pk", "passkey")).SetUserID(p.Owners[0].ID).SetCredentialID(p.Word("passkeys.credential_id")).SetCredential("{}").
		SetName(p.Text("passkeys.name")).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	return p.db.Invitation.Create().SetID(p.named("inv", "invitation")).SetWorkspaceID(p.ws).SetEmail(p.Word("invitations.email") + "@parley.invalid").
		SetRole(string(tenant.RoleMember)).SetCodeHash(p.InvitationHash).SetInvitedBy(p.Owners[0].ID).SetExpiresAt(p.At.Add(isolation.Lasts)).SetCreatedAt(p.At).Exec(ctx)
}

// person adds somebody who is signed in, and whom no password fits.
func (p *planter) person(ctx context.Context, person isolation.Person, role tenant.Role) error {
	err := p.db.User.Create().SetID(person.ID).SetEmail(person.Email).SetEmailConfirmedAt(p.At).SetPasswordHash("").
		SetName(p.Text("users.name")).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	if err := p.db.Member.Create().SetWorkspaceID(p.ws).SetUserID(person.ID).SetRole(string(role)).SetCreatedAt(p.At).Exec(ctx); err != nil {
		return err
	}
	return p.db.Session.Create().SetID(person.SessionID).SetUserID(person.ID).SetCreatedAt(p.At).SetLastSeenAt(p.At).SetExpiresAt(p.At.Add(isolation.Lasts)).
		SetUserAgent(p.Word("sessions.user_agent")).SetProvedAt(p.At).SetSecondFactor(true).Exec(ctx)
}

func (p *planter) chatbot(ctx context.Context) error {
	return p.db.Chatbot.Create().SetID(p.named("cb", "chatbot", "id")).SetWorkspaceID(p.ws).SetName(p.Text("chatbots.name")).SetInstructions(p.Text("chatbots.instructions")).
		SetNoAnswer(p.Text("chatbots.no_answer")).
		SetWelcome(p.Text("chatbots.welcome")).SetSuggestedQuestions(p.Text("chatbots.suggested_questions")).SetImageHosts([]string{}).SetModel(p.Model).SetCreatedAt(p.At).Exec(ctx)
}

func (p *planter) tokens(ctx context.Context) error {
	for i, t := range p.Tokens {
		create := p.db.Token.Create().SetID(t.ID).SetWorkspaceID(p.ws).SetChatbotID(p.is.IDs["chatbot"]).SetName(p.Text("tokens.name")).SetHint(t.Hint).SetHash(t.Hash).
			SetKind(string(t.Kind)).SetScopes(isolation.ScopesOf(t.Kind)).SetNote(p.Text("tokens.note")).SetCreatedBy(p.Owners[0].Email).SetCreatedAt(p.At)
		if origins := isolation.OriginsOf(t.Kind); len(origins) > 0 {
			create.SetOrigins(store.JoinWords(origins))
		}
		if t.Revoked {
			create.SetRevokedAt(p.At)
		}
		if err := create.Exec(ctx); err != nil {
			return err
		}
		if i == 0 {
			p.is.IDs["token_id"] = t.ID
		}
	}
	return p.add(ctx, p.into("token_months").Set("token_id", p.Tokens[0].ID).Set("month", p.month()).Set("messages", 1))
}

func (p *planter) month() string { return p.At.UTC().Format("2006-01") }
