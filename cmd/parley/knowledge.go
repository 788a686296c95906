package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
)

type knowledgeCmd struct {
	Add     knowledgeAddCmd     `cmd:"" help:"Add text and Markdown files."`
	List    knowledgeListCmd    `cmd:"" help:"List a chatbot's documents."`
	Remove  knowledgeRemoveCmd  `cmd:"" help:"Remove a document from every answer."`
	Reindex knowledgeReindexCmd `cmd:"" help:"Split and index a chatbot's documents again."`
}

type documentView struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Kind      string    `json:"kind"`
	State     string    `json:"state"`
	Reason    string    `json:"reason,omitzero"`
	Chars     int       `json:"chars"`
	Passages  int       `json:"passages"`
	CreatedAt time.Time `json:"created_at"`
}

func viewDocument(d knowledge.Document) documentView {
	return documentView{d.ID, d.Title, string(d.Kind), string(d.State), d.Reason, d.Chars, d.Passages, d.CreatedAt}
}

func showDocuments(out io.Writer, asJSON bool, documents []knowledge.Document) error {
	return showTable(out, asJSON, each(documents, viewDocument), []string{"id", "state", "passages", "title"},
		func(d documentView) []string { return []string{d.ID, d.State, strconv.Itoa(d.Passages), d.Title} })
}

type knowledgeAddCmd struct {
	Chatbot string   `arg:"" help:"Id of the chatbot."`
	Files   []string `arg:"" help:"Files: .md and .markdown are read as Markdown, others as plain text; - reads Markdown from standard input."`
	Title   string   `help:"Title, for a single file. Default: its first heading, or its name."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// Run adds files, each in its own transaction.
func (cmd *knowledgeAddCmd) Run(ctx context.Context, config *Config, io streams) error {
	if cmd.Title != "" && len(cmd.Files) > 1 {
		return fault.New(fault.Invalid, "--title goes with a single file.")
	}
	return withChatbot(ctx, config, cmd.Chatbot, func(p *program, bot chatbot.Chatbot) error {
		var added []knowledge.Document
		for _, name := range cmd.Files {
			request, err := readDocument(io.in, name, cmd.Title)
			if err != nil {
				return err
			}
			document, err := p.knowledge.Add(ctx, bot.WorkspaceID, bot.ID, request)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			added = append(added, document)
		}
		return showDocuments(io.out, cmd.JSON, added)
	})
}

func readDocument(in io.Reader, name, title string) (knowledge.NewDocument, error) {
	request := knowledge.NewDocument{Title: title, Kind: knowledge.Markdown}
	source, err := openInput(in, name)
	if err != nil {
		return request, err
	}
	defer source.Close()
	text, err := io.ReadAll(io.LimitReader(source, knowledge.MaxContent+1))
	if err != nil {
		return request, err
	}
	request.Content = string(text)
	if extension := filepath.Ext(name); name != "-" && extension != ".md" && extension != ".markdown" {
		request.Kind = knowledge.Text
	}
	if request.Title == "" {
		request.Title = documentTitle(filepath.ToSlash(name), request.Content)
	}
	return request, nil
}

func openInput(in io.Reader, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(in), nil
	}
	return os.Open(name)
}

type knowledgeListCmd struct {
	Chatbot string `arg:"" help:"Id of the chatbot."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run lists documents.
func (cmd *knowledgeListCmd) Run(ctx context.Context, config *Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *program, bot chatbot.Chatbot) error {
		documents, err := p.knowledge.List(ctx, bot.WorkspaceID, bot.ID)
		if err != nil {
			return err
		}
		return showDocuments(io.out, cmd.JSON, documents)
	})
}

type knowledgeRemoveCmd struct {
	Chatbot  string `arg:"" help:"Id of the chatbot."`
	Document string `arg:"" help:"Id of the document."`
	JSON     bool   `name:"json" help:"Print JSON."`
}

// Run removes a document.
func (cmd *knowledgeRemoveCmd) Run(ctx context.Context, config *Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *program, bot chatbot.Chatbot) error {
		if err := p.knowledge.Remove(ctx, bot.WorkspaceID, bot.ID, cmd.Document); err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, removedView{cmd.Document, "removed"}, "The document is removed.")
	})
}

type knowledgeReindexCmd struct {
	Chatbot string `arg:"" help:"Id of the chatbot."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run indexes again.
func (cmd *knowledgeReindexCmd) Run(ctx context.Context, config *Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *program, bot chatbot.Chatbot) error {
		n, err := p.knowledge.Reindex(ctx, bot.WorkspaceID, bot.ID)
		if err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, map[string]any{"documents": n}, fmt.Sprintf("%d documents are indexed again.", n))
	})
}
