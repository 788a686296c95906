package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/api/wire"
	"parley/app"
	"parley/core/chatbot"
)

type chatbotCmd struct {
	Create chatbotCreateCmd `cmd:"" help:"Create a chatbot in a workspace."`
	List   chatbotListCmd   `cmd:"" help:"List a workspace's chatbots."`
	Delete chatbotDeleteCmd `cmd:"" help:"Delete a chatbot with its tokens, documents and conversations."`
}

type chatbotCreateCmd struct {
	Workspace    string `arg:"" help:"Id of the workspace."`
	Name         string `arg:"" help:"Name of the chatbot."`
	Instructions string `help:"Instructions for the model."`
	NoAnswer     string `help:"Answer to give when the knowledge does not contain one."`
	Separate     bool   `name:"separate-end-users" help:"Allow a conversation only with the external_user_id that started it."`
	JSON         bool   `name:"json" help:"Print JSON."`
}

// Run creates a chatbot.
func (cmd *chatbotCreateCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		bot, err := p.Chatbots.Create(ctx, cmd.Workspace, chatbot.Settings{
			Name: cmd.Name, Instructions: cmd.Instructions, NoAnswer: cmd.NoAnswer, SeparateEndUsers: cmd.Separate,
		})
		if err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, wire.ChatbotToWire(bot), bot.ID)
	})
}

type chatbotListCmd struct {
	Workspace string `arg:"" help:"Id of the workspace."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run lists chatbots.
func (cmd *chatbotListCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		if _, err := p.Tenants.Workspaces.Workspace(ctx, cmd.Workspace); err != nil {
			return err
		}
		bots, err := p.Chatbots.List(ctx, cmd.Workspace)
		if err != nil {
			return err
		}
		return showTable(io.out, cmd.JSON, wire.MapSlice(bots, wire.ChatbotToWire), []string{"id", "name"},
			wire.MapSlice(bots, func(b chatbot.Chatbot) []string { return []string{b.ID, b.Name} }))
	})
}

type chatbotDeleteCmd struct {
	Chatbot string `arg:"" help:"Id of the chatbot."`
	Yes     bool   `required:"" help:"Confirm the deletion."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run deletes a chatbot.
func (cmd *chatbotDeleteCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		if err := p.Chatbots.Delete(ctx, bot.WorkspaceID, bot.ID); err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, wire.Changed{ID: bot.ID, Status: "deleted"}, fmt.Sprintf("Deleted %s.", bot.Name))
	})
}

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Create a token for a chatbot and print its secret, which is shown only once."`
	List   tokenListCmd   `cmd:"" help:"List a chatbot's tokens."`
	Revoke tokenRevokeCmd `cmd:"" help:"Revoke a token."`
}

type tokenCreateCmd struct {
	Chatbot string        `arg:"" help:"Id of the chatbot."`
	Name    string        `help:"Name of the token."`
	Scopes  []string      `help:"Scopes, separated by commas: chat, conversations:read, conversations:write, knowledge:read, knowledge:write. Default: the first two."`
	Expires time.Duration `help:"How long the token works, such as 720h. Default: until it is revoked."`
	JSON    bool          `name:"json" help:"Print JSON."`
}

// Run creates a token.
func (cmd *tokenCreateCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		request := chatbot.NewToken{Name: cmd.Name, CreatedBy: "operator"}
		for _, s := range cmd.Scopes {
			request.Scopes = append(request.Scopes, chatbot.Scope(s))
		}
		if cmd.Expires != 0 {
			at := app.Now().Add(cmd.Expires)
			request.ExpiresAt = &at
		}
		token, secret, err := p.Chatbots.Tokens.Issue(ctx, bot.WorkspaceID, bot.ID, request)
		if err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, wire.NewTokenToWire(token, secret), secret)
	})
}

type tokenListCmd struct {
	Chatbot string `arg:"" help:"Id of the chatbot."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run lists tokens.
func (cmd *tokenListCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		tokens, err := p.Chatbots.Tokens.List(ctx, bot.WorkspaceID, bot.ID)
		if err != nil {
			return err
		}
		records := wire.MapSlice(tokens, func(t chatbot.Token) wire.Token { return wire.TokenToWire(t, p.Chatbots.Tokens.Status(t)) })
		return showTable(io.out, cmd.JSON, records, []string{"id", "name", "hint", "status", "scopes"},
			wire.MapSlice(records, func(t wire.Token) []string {
				return []string{t.ID, t.Name, t.Hint, t.Status, strings.Join(t.Scopes, ",")}
			}))
	})
}

type tokenRevokeCmd struct {
	Chatbot string `arg:"" help:"Id of the chatbot."`
	Token   string `arg:"" help:"Id of the token."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run revokes a token. A running server notices within 5 seconds.
func (cmd *tokenRevokeCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		if err := p.Chatbots.Tokens.Revoke(ctx, bot.WorkspaceID, bot.ID, cmd.Token); err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, wire.Changed{ID: cmd.Token, Status: string(chatbot.TokenRevoked)}, "The token is revoked. Running servers refuse it within 5 seconds.")
	})
}

// withChatbot opens the program for one command on one chatbot.
func withChatbot(ctx context.Context, config *app.Config, chatbotID string, do func(*app.Program, chatbot.Chatbot) error) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		workspaceID, err := p.Chatbots.WorkspaceOf(ctx, chatbotID)
		if err != nil {
			return err
		}
		bot, err := p.Chatbots.Get(ctx, workspaceID, chatbotID)
		if err != nil {
			return err
		}
		return do(p, bot)
	})
}
