package main

import (
	"context"

	"parley/api/wire"
	"parley/app"
	"parley/core/chatbot"
	"parley/core/knowledge"
)

type knowledgeSourceCmd struct {
	Add    sourceAddCmd    `cmd:"" help:"Add a page, or a whole site. The server reads it."`
	List   sourceListCmd   `cmd:"" help:"List a chatbot's web addresses."`
	Sync   sourceSyncCmd   `cmd:"" help:"Fetch an address again now."`
	Remove sourceRemoveCmd `cmd:"" help:"Remove an address with all its documents."`
}

type sourceAddCmd struct {
	Chatbot  string   `arg:"" help:"Id of the chatbot."`
	URL      string   `arg:"" name:"url" help:"Address, such as https://www.example.com/help/."`
	Site     bool     `help:"Read the whole site instead of only this page."`
	Schedule string   `enum:"never,daily,weekly" default:"never" help:"How often to read it again: never, daily or weekly."`
	Include  []string `placeholder:"PATH" help:"Prefixes of the paths to read, such as /docs/. Default: all."`
	Exclude  []string `placeholder:"PATH" help:"Prefixes of the paths not to read."`
	Depth    int      `default:"3" help:"How many links a page may be away from the address."`
	Pages    int      `default:"200" help:"Maximum number of pages to read."`
	JSON     bool     `name:"json" help:"Print JSON."`
}

// Run adds an address.
func (cmd *sourceAddCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	request := knowledge.NewSource{
		URL: cmd.URL, Kind: knowledge.Page, Schedule: knowledge.Schedule(cmd.Schedule),
		Rules: knowledge.Rules{Include: cmd.Include, Exclude: cmd.Exclude, MaxDepth: cmd.Depth, MaxPages: cmd.Pages},
	}
	if cmd.Site {
		request.Kind = knowledge.Site
	}
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		source, err := p.Knowledge.Sources.Add(ctx, bot.WorkspaceID, bot.ID, request)
		if err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, wire.SourceToWire(source), source.ID)
	})
}

type sourceListCmd struct {
	Chatbot string `arg:"" help:"Id of the chatbot."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run lists addresses.
func (cmd *sourceListCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		sources, err := p.Knowledge.Sources.List(ctx, bot.WorkspaceID, bot.ID)
		if err != nil {
			return err
		}
		return showTable(io.out, cmd.JSON, wire.MapSlice(sources, wire.SourceToWire), []string{"id", "kind", "state", "synced", "next", "url", "reason"},
			wire.MapSlice(sources, func(s knowledge.Source) []string {
				return []string{s.ID, string(s.Kind), string(s.State), moment(s.SyncedAt), moment(s.DueAt), s.URL, s.Reason}
			}))
	})
}

type sourceSyncCmd struct {
	sourceArgs
}

// Run lets the server read an address again.
func (cmd *sourceSyncCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return cmd.change(ctx, config, io, func(k knowledge.Services) change { return k.Sources.Sync }, "syncing", "The server will read the address again.")
}

type sourceRemoveCmd struct {
	sourceArgs
}

// Run removes an address with its documents.
func (cmd *sourceRemoveCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return cmd.change(ctx, config, io, func(k knowledge.Services) change { return k.Sources.Remove }, "removed", "Removed the address and all its documents.")
}

// sourceArgs identify an address.
type sourceArgs struct {
	Chatbot string `arg:"" help:"Id of the chatbot."`
	Source  string `arg:"" help:"Id of the address."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

func (cmd *sourceArgs) change(ctx context.Context, config *app.Config, io streams,
	do func(knowledge.Services) change, status, sentence string,
) error {
	return (&documentArgs{cmd.Chatbot, cmd.Source, cmd.JSON}).change(ctx, config, io, do, status, sentence)
}
