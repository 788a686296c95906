package main

import (
	"context"
	"fmt"
	"strings"

	"parley/app"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/text/markdown"
)

type askCmd struct {
	Chatbot      string `arg:"" help:"Id of the chatbot."`
	Question     string `arg:"" help:"The question."`
	Conversation string `help:"Id of the conversation to continue. Default: start a new one."`
	ExternalUser string `name:"external-user-id" help:"Your system's id of the end user who asks. Default: none."`
	Format       string `enum:"markdown,plain_text,html" default:"markdown" help:"Format of the answer: markdown (which is streamed), plain_text or html."`
	JSON         bool   `name:"json" help:"Print JSON once the answer is complete."`
}

type askView struct {
	Message        string       `json:"message"`
	ConversationID int64        `json:"conversation_id"`
	MessageID      int64        `json:"message_id"`
	Format         string       `json:"format"`
	Usage          usageView    `json:"usage"`
	Sources        []sourceView `json:"sources"`
}

type usageView struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// sourceView has the shape of the API's source.
type sourceView struct {
	Number      int      `json:"number"`
	Cited       bool     `json:"cited"`
	DocumentID  string   `json:"document_id"`
	Title       string   `json:"title"`
	HeadingPath []string `json:"heading_path"`
	URL         string   `json:"url,omitzero"`
	Place       string   `json:"place,omitzero"`
	Start       int      `json:"start"`
	End         int      `json:"end"`
	ContentHash string   `json:"content_hash,omitzero"`
	Version     int      `json:"version"`
}

// Run asks the question and streams the answer to the terminal.
func (cmd *askCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		caller, err := p.OperatorOf(ctx, bot)
		if err != nil {
			return err
		}
		ask := turn.Ask{Message: cmd.Question, Delivery: turn.Delivery{Format: markdown.Format(cmd.Format)}}
		ask.ExternalUserID = cmd.ExternalUser
		if cmd.Conversation != "" {
			if ask.ConversationID, err = p.ConversationID(cmd.Conversation); err != nil {
				return err
			}
		}
		defer func() { _ = p.Quota.Release(context.WithoutCancel(ctx)) }() // if it fails, the lease ends
		begun, err := p.Turns.Begin(ctx, caller, ask)
		if err != nil {
			return err
		}
		streamed := !cmd.JSON && cmd.Format == string(markdown.Markdown)
		var emit func(turn.Event) error
		if streamed {
			emit = func(e turn.Event) error {
				if e.Kind != turn.Delta {
					return nil
				}
				_, err := fmt.Fprint(io.out, e.Text)
				return err
			}
		}
		answer, err := begun.Run(ctx, emit)
		if err != nil {
			return err
		}
		text := markdown.Render(answer.Text, markdown.Format(cmd.Format), bot.ImageHosts)
		if cmd.JSON {
			return showJSON(io.out, viewAnswer(p, begun, answer, text, cmd.Format))
		}
		if streamed {
			text = ""
		}
		_, err = fmt.Fprintf(io.out, "%s\n\n(conversation %d)\n", strings.TrimSpace(text), p.IDs.Conversation(begun.Conversation.ID))
		return err
	})
}

func viewAnswer(p *app.Program, turn *turn.Turn, answer turn.Answer, text, format string) askView {
	usage := answer.Usage()
	view := askView{
		Message: text, ConversationID: p.IDs.Conversation(turn.Conversation.ID), MessageID: p.IDs.Message(answer.MessageID), Format: format,
		Usage:   usageView{usage.PromptTokens, usage.CompletionTokens, usage.TotalTokens()},
		Sources: []sourceView{},
	}
	for _, s := range answer.Citations {
		view.Sources = append(view.Sources, sourceView{
			s.Number, s.Cited, s.DocumentID, s.Title, append([]string{}, s.HeadingPath...), s.URL, s.Place, s.Start, s.End, s.ContentHash, s.Version,
		})
	}
	return view
}
