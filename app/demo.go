package app

import (
	"context"
	"io/fs"

	"parley/core/account"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/demo"
)

// The owner of the demo, and the name of its chatbot.
const (
	DemoEmail   = "owner@demo.parley.example"
	DemoChatbot = demo.Business + " Help"
)

// DemoFacts are the facts that a person needs to use the demo.
type DemoFacts struct {
	BaseURL      string  `json:"base_url"`
	DashboardURL string  `json:"dashboard_url"`
	Email        string  `json:"email"`
	Password     *string `json:"password"`
	WorkspaceID  string  `json:"workspace_id"`
	ChatbotID    string  `json:"chatbot_id"`
	Token        *string `json:"token"`
}

// PrepareDemo creates what is missing of the demo. It issues a token when the
// demo is new, or when a fresh token is asked for.
func (p *Program) PrepareDemo(ctx context.Context, base string, freshToken bool) (DemoFacts, error) {
	facts := DemoFacts{BaseURL: base, DashboardURL: base + "/sign-in", Email: DemoEmail}
	workspace, err := p.demoWorkspace(ctx, &facts)
	if err != nil {
		return facts, err
	}
	bot, err := p.demoChatbot(ctx, workspace.ID)
	if err != nil {
		return facts, err
	}
	facts.WorkspaceID, facts.ChatbotID = workspace.ID, bot.ID
	if facts.Password == nil && !freshToken {
		return facts, nil
	}
	_, secret, err := p.Chatbots.Tokens.Issue(ctx, workspace.ID, bot.ID, chatbot.NewToken{Name: "Demo", CreatedBy: DemoEmail})
	facts.Token = &secret
	return facts, err
}

func (p *Program) demoWorkspace(ctx context.Context, facts *DemoFacts) (tenant.Workspace, error) {
	user, err := p.Tenants.Users.ByEmail(ctx, DemoEmail)
	if fault.Is(err, fault.NotFound) {
		return p.newDemoWorkspace(ctx, facts)
	}
	if err != nil {
		return tenant.Workspace{}, err
	}
	memberships, err := p.Tenants.People.Memberships(ctx, user.ID)
	if err != nil {
		return tenant.Workspace{}, err
	}
	for _, m := range memberships {
		if m.Workspace.Name == demo.Business {
			return m.Workspace, nil
		}
	}
	return tenant.Workspace{}, fault.New(fault.NotFound, "The demo's workspace has been renamed or deleted. Start with another data folder.")
}

func (p *Program) newDemoWorkspace(ctx context.Context, facts *DemoFacts) (tenant.Workspace, error) {
	password := p.Tenants.Passwords.Random()
	_, workspaceID, err := p.Tenants.SignUps.Create(ctx, account.Account{Email: DemoEmail, Password: password, Workspace: demo.Business})
	if err != nil {
		return tenant.Workspace{}, err
	}
	facts.Password = &password
	// A person who tries the demo should not run into limits.
	if err := p.Tenants.Grants.SetPlan(ctx, workspaceID, plan.Enterprise); err != nil {
		return tenant.Workspace{}, err
	}
	return p.Tenants.Workspaces.Workspace(ctx, workspaceID)
}

func (p *Program) demoChatbot(ctx context.Context, workspaceID string) (chatbot.Chatbot, error) {
	bots, err := p.Chatbots.List(ctx, workspaceID)
	if err != nil {
		return chatbot.Chatbot{}, err
	}
	for _, bot := range bots {
		if bot.Name == DemoChatbot {
			return bot, nil
		}
	}
	bot, err := p.Chatbots.Create(ctx, workspaceID, chatbot.Settings{Name: DemoChatbot})
	if err != nil {
		return bot, err
	}
	return bot, p.addDemoDocuments(ctx, bot)
}

// addDemoDocuments adds the demo's help pages to a chatbot's knowledge.
func (p *Program) addDemoDocuments(ctx context.Context, bot chatbot.Chatbot) error {
	names, err := fs.Glob(demo.Pages, "pages/*.md")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := demo.Pages.ReadFile(name)
		if err != nil {
			return err
		}
		_, err = p.Knowledge.Documents.Add(ctx, bot.WorkspaceID, bot.ID, knowledge.NewDocument{
			Title: knowledge.TitleOf(name, string(text)), Kind: knowledge.Markdown, Content: string(text),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
