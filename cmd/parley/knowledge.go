package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"parley/api/wire"
	"parley/app"
	"parley/core/chatbot"
	"parley/core/knowledge"
)

type knowledgeCmd struct {
	Add      knowledgeAddCmd      `cmd:"" help:"Add files to a chatbot's knowledge."`
	List     knowledgeListCmd     `cmd:"" help:"List a chatbot's documents."`
	Remove   knowledgeRemoveCmd   `cmd:"" help:"Remove a document, so that no answer uses it."`
	Retry    knowledgeRetryCmd    `cmd:"" help:"Process a failed document again."`
	Cancel   knowledgeCancelCmd   `cmd:"" help:"Stop processing a document."`
	Removals knowledgeRemovalsCmd `cmd:"" help:"List the removal receipts of removed documents."`
	Source   knowledgeSourceCmd   `cmd:"" help:"Add, list, read again and remove web addresses."`
	Evaluate knowledgeEvaluateCmd `cmd:"" help:"Search for test questions and print the passages found for each."`
	Reindex  knowledgeReindexCmd  `cmd:"" help:"Split and index a chatbot's documents again."`
}

func showDocuments(out io.Writer, asJSON bool, documents []knowledge.Document) error {
	return showTable(out, asJSON, wire.MapSlice(documents, wire.DocumentToWire), []string{"id", "state", "passages", "title", "reason"},
		wire.MapSlice(documents, func(d knowledge.Document) []string {
			return []string{d.ID, string(d.State), strconv.Itoa(d.Passages), d.Title, d.Reason}
		}))
}

type knowledgeListCmd struct {
	Chatbot string `arg:"" help:"Id of the chatbot."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run lists documents.
func (cmd *knowledgeListCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		documents, err := p.Knowledge.Documents.List(ctx, bot.WorkspaceID, bot.ID)
		if err != nil {
			return err
		}
		return showDocuments(io.out, cmd.JSON, documents)
	})
}

type knowledgeRemoveCmd struct {
	documentArgs
}

// Run removes a document.
func (cmd *knowledgeRemoveCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return cmd.change(ctx, config, io, func(k knowledge.Services) change { return k.Documents.Remove }, "removed", "Removed the document.")
}

type knowledgeRetryCmd struct {
	documentArgs
}

// Run lets the server process a failed document again.
func (cmd *knowledgeRetryCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return cmd.change(ctx, config, io, func(k knowledge.Services) change { return k.Documents.Retry }, "retrying", "The server will process the document again.")
}

type knowledgeCancelCmd struct {
	documentArgs
}

// Run stops the work on a document.
func (cmd *knowledgeCancelCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return cmd.change(ctx, config, io, func(k knowledge.Services) change { return k.Documents.Cancel }, "canceled", "Canceled the work on the document.")
}

// change changes a document or a source.
type change func(ctx context.Context, workspaceID, chatbotID, id string) error

// documentArgs identify a document.
type documentArgs struct {
	Chatbot  string `arg:"" help:"Id of the chatbot."`
	Document string `arg:"" help:"Id of the document."`
	JSON     bool   `name:"json" help:"Print JSON."`
}

func (cmd *documentArgs) change(ctx context.Context, config *app.Config, io streams,
	do func(knowledge.Services) change, status, sentence string,
) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		if err := do(p.Knowledge)(ctx, bot.WorkspaceID, bot.ID, cmd.Document); err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, wire.Changed{ID: cmd.Document, Status: status}, sentence)
	})
}

type knowledgeRemovalsCmd struct {
	Chatbot string `arg:"" help:"Id of the chatbot."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run lists receipts, latest first.
func (cmd *knowledgeRemovalsCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		removals, err := p.Knowledge.Removals.List(ctx, bot.WorkspaceID, bot.ID)
		if err != nil {
			return err
		}
		return showTable(io.out, cmd.JSON, wire.MapSlice(removals, wire.Identifiers{Codec: p.IDs}.RemovalToWire), []string{"document", "asked", "confirmed", "passages", "answers", "title"},
			wire.MapSlice(removals, func(r knowledge.Removal) []string {
				return []string{
					r.DocumentID, moment(&r.RequestedAt), moment(r.ConfirmedAt), strconv.Itoa(r.Passages), strconv.Itoa(r.Answers), r.Title,
				}
			}))
	})
}

// moment formats a time that may not be set.
func moment(at *time.Time) string {
	if at == nil {
		return "–"
	}
	return at.UTC().Format(time.RFC3339)
}

type knowledgeReindexCmd struct {
	Chatbot string `arg:"" help:"Id of the chatbot."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run re-indexes the documents.
func (cmd *knowledgeReindexCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		n, err := p.Knowledge.Documents.Reindex(ctx, bot.WorkspaceID, bot.ID)
		if err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, map[string]any{"documents": n}, fmt.Sprintf("Indexing %d documents again.", n))
	})
}

type reindexCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run builds the index anew, and switches to it in one step.
func (cmd *reindexCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	p, err := app.Open(ctx, config, app.NewLog(config))
	if err != nil {
		return err
	}
	defer p.Close()
	n, err := p.Rebuilder.Rebuild(ctx)
	if err != nil {
		return err
	}
	return show1(io.out, cmd.JSON, map[string]any{"documents": n}, fmt.Sprintf("Rebuilt the index from %d documents.", n))
}
