package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
)

type knowledgeAddCmd struct {
	Chatbot string   `arg:"" help:"Id of the chatbot."`
	Files   []string `arg:"" help:"Files: Markdown, HTML, PDF, DOCX, PPTX, XLSX, CSV and EPUB by their names, others as plain text; - reads Markdown from standard input."`
	Title   string   `help:"Title, for a single file. Default: its own, its first heading, or its name."`
	Kind    string   `enum:",markdown,text,html,pdf,docx,pptx,xlsx,csv,epub,pairs" default:"" help:"Kind of the files, such as pairs for questions with answers. Default: detect it."`
	Wait    bool     `help:"Wait until the documents are ready, or have failed."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// Run adds files, each in a separate transaction.
func (cmd *knowledgeAddCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	if cmd.Title != "" && len(cmd.Files) > 1 {
		return fault.New(fault.Invalid, "Use --title with a single file only.")
	}
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		ctx = knowledge.Batch(ctx, len(cmd.Files))
		var added []knowledge.Document
		for _, name := range cmd.Files {
			request, err := cmd.read(io.in, name)
			if err != nil {
				return err
			}
			document, err := p.Knowledge.Documents.Add(ctx, bot.WorkspaceID, bot.ID, request)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			added = append(added, document)
		}
		if !cmd.Wait {
			return showDocuments(io.out, cmd.JSON, added)
		}
		if err := p.Settle(ctx, added); err != nil {
			return err
		}
		if err := showDocuments(io.out, cmd.JSON, added); err != nil {
			return err
		}
		return failedAmong(added)
	})
}

func failedAmong(documents []knowledge.Document) error {
	failed := 0
	for _, d := range documents {
		if d.State != knowledge.Ready {
			failed++
		}
	}
	if failed > 0 {
		return fault.New(fault.Invalid, "%d of %d documents are not ready. The list above says why.", failed, len(documents))
	}
	return nil
}

// read turns a file into a document.
func (cmd *knowledgeAddCmd) read(in io.Reader, name string) (knowledge.NewDocument, error) {
	request := knowledge.NewDocument{Title: cmd.Title, Kind: kindOfFile(name, cmd.Kind)}
	typed := slices.Contains([]knowledge.Kind{knowledge.Markdown, knowledge.Text}, request.Kind)
	limit := knowledge.MaxUpload
	if typed {
		limit = knowledge.MaxContent
	}
	source, err := openInput(in, name)
	if err != nil {
		return request, err
	}
	defer source.Close()
	body, err := io.ReadAll(io.LimitReader(source, int64(limit)+1))
	if err != nil {
		return request, err
	}
	if !typed {
		request.File = &knowledge.Upload{Name: filepath.Base(name), Body: body}
		return request, nil
	}
	request.Content = string(body)
	if request.Title == "" {
		request.Title = knowledge.TitleOf(filepath.ToSlash(name), request.Content)
	}
	return request, nil
}

// kindOfFile returns the kind as which to read a file. Empty means that the kind is
// detected from the file itself.
func kindOfFile(name, given string) knowledge.Kind {
	switch end := strings.ToLower(filepath.Ext(name)); {
	case given != "":
		return knowledge.Kind(given)
	case name == "-" || end == ".md" || end == ".markdown":
		return knowledge.Markdown
	case slices.Contains([]string{".html", ".htm", ".pdf", ".docx", ".pptx", ".xlsx", ".csv", ".epub"}, end):
		return ""
	}
	return knowledge.Text
}

func openInput(in io.Reader, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(in), nil
	}
	return os.Open(name)
}
