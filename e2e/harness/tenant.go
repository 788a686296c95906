package harness

import (
	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
)

// Tenant is one workspace with what it takes to use it.
type Tenant struct {
	Email, Password string
	Workspace       string
	Chatbot         string
	Token, TokenID  string
}

// NewTenant makes a workspace on a plan, with a chatbot that knows one
// document and, if the plan allows, a token.
func (w *Instance) NewTenant(name string, on plan.Name, documents ...string) Tenant {
	w.Helper()
	ctx, p := w.Context(), w.Server.Program
	tn := Tenant{Email: name + "@example.com", Password: "correct horse " + name}
	_, workspace, err := p.Tenants.SignUps.Create(ctx, account.Account{Email: tn.Email, Password: tn.Password, Workspace: name})
	w.Must(err)
	w.Must(p.Tenants.Grants.SetPlan(audit.As(ctx, audit.Operator), workspace, on))
	bot, err := p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: name + "'s chatbot"})
	w.Must(err)
	tn.Workspace, tn.Chatbot = workspace, bot.ID
	for _, text := range documents {
		_, err := p.Knowledge.Documents.Add(ctx, workspace, bot.ID, knowledge.NewDocument{Title: knowledge.TitleOf(name, text), Content: text})
		w.Must(err)
	}
	token, secret, err := p.Chatbots.Tokens.Issue(ctx, workspace, bot.ID, chatbot.NewToken{Name: "test", CreatedBy: tn.Email})
	if err == nil {
		tn.Token, tn.TokenID = secret, token.ID
	}
	return tn
}

// OwnerOf is the session of a tenant's owner.
func (w *Instance) OwnerOf(tn Tenant) Header {
	w.Helper()
	owner, err := w.Server.Program.Tenants.Users.ByEmail(w.Context(), tn.Email)
	w.Must(err)
	return w.Session(owner.ID)
}
