package main

import (
	"context"
	"io/fs"
	"path"
	"strings"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/demo"
)

const (
	demoEmail     = "owner@demo.parley.example"
	demoWorkspace = demo.Business
	demoChatbot   = demo.Business + " Help"
)

type demoCmd struct {
	JSON bool `name:"json" help:"Print the facts as JSON."`
}

// demoFacts are what a person needs to use the demo.
type demoFacts struct {
	BaseURL      string  `json:"base_url"`
	DashboardURL string  `json:"dashboard_url"`
	Email        string  `json:"email"`
	Password     *string `json:"password"`
	WorkspaceID  string  `json:"workspace_id"`
	ChatbotID    string  `json:"chatbot_id"`
	Token        *string `json:"token"`
}

// Run prepares the demo and issues a token. It works beside a running server.
func (cmd *demoCmd) Run(ctx context.Context, config *Config, io streams) error {
	p, err := openProgram(ctx, config, newLog(config))
	if err != nil {
		return err
	}
	defer p.close()
	facts, err := p.prepareDemo(ctx, config.baseURL(config.listenAddress()), true)
	if err != nil {
		return err
	}
	rows := [][2]string{
		{"sign in", facts.DashboardURL},
		{"e-mail", facts.Email},
		{"workspace", facts.WorkspaceID},
		{"chatbot", facts.ChatbotID},
		{"token", *facts.Token},
	}
	if facts.Password != nil {
		rows = append(rows, [2]string{"password", *facts.Password})
	}
	return showRecord(io.out, cmd.JSON, facts, rows)
}

// prepareDemo makes what is missing of the demo. A token is issued when
// nothing was there before, or when a fresh one is asked for.
func (p *program) prepareDemo(ctx context.Context, base string, freshToken bool) (demoFacts, error) {
	facts := demoFacts{BaseURL: base, DashboardURL: base + "/sign-in", Email: demoEmail}
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
	_, secret, err := p.chatbots.Issue(ctx, workspace.ID, bot.ID, chatbot.NewToken{Name: "Demo", CreatedBy: demoEmail})
	facts.Token = &secret
	return facts, err
}

func (p *program) demoWorkspace(ctx context.Context, facts *demoFacts) (tenant.Workspace, error) {
	user, err := p.tenants.UserByEmail(ctx, demoEmail)
	if fault.Is(err, fault.NotFound) {
		return p.newDemoWorkspace(ctx, facts)
	}
	if err != nil {
		return tenant.Workspace{}, err
	}
	memberships, err := p.tenants.Memberships(ctx, user.ID)
	if err != nil {
		return tenant.Workspace{}, err
	}
	for _, m := range memberships {
		if m.Workspace.Name == demoWorkspace {
			return m.Workspace, nil
		}
	}
	return tenant.Workspace{}, fault.New(fault.NotFound, "The demo's workspace has been renamed or deleted. Start with another data folder.")
}

func (p *program) newDemoWorkspace(ctx context.Context, facts *demoFacts) (tenant.Workspace, error) {
	password := p.tenants.NewPassword()
	_, workspace, err := p.tenants.SignUp(ctx, tenant.Account{Email: demoEmail, Password: password, Workspace: demoWorkspace})
	if err != nil {
		return workspace, err
	}
	facts.Password = &password
	// The demo's plan has no limits that would get in the way of trying.
	return workspace, p.tenants.SetPlan(ctx, workspace.ID, plan.Enterprise)
}

func (p *program) demoChatbot(ctx context.Context, workspaceID string) (chatbot.Chatbot, error) {
	bots, err := p.chatbots.List(ctx, workspaceID)
	if err != nil {
		return chatbot.Chatbot{}, err
	}
	for _, bot := range bots {
		if bot.Name == demoChatbot {
			return bot, nil
		}
	}
	bot, err := p.chatbots.Create(ctx, workspaceID, chatbot.Settings{Name: demoChatbot})
	if err != nil {
		return bot, err
	}
	return bot, p.addDocuments(ctx, bot)
}

// addDocuments gives a chatbot the demo's help pages.
func (p *program) addDocuments(ctx context.Context, bot chatbot.Chatbot) error {
	names, err := fs.Glob(demo.Pages, "pages/*.md")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := demo.Pages.ReadFile(name)
		if err != nil {
			return err
		}
		_, err = p.knowledge.Add(ctx, bot.WorkspaceID, bot.ID, knowledge.NewDocument{
			Title: documentTitle(name, string(text)), Kind: knowledge.Markdown, Content: string(text),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// documentTitle is a Markdown text's first heading, or its file's name.
func documentTitle(name, text string) string {
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(title)
		}
	}
	return strings.TrimSuffix(path.Base(name), path.Ext(name))
}
