package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"parley/core/answer/format"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/plan"
)

type askCmd struct {
	Chatbot      string `arg:"" help:"Id of the chatbot."`
	Question     string `arg:"" help:"The question."`
	Conversation string `help:"Id of the conversation to continue. Default: a new one."`
	ExternalUser string `name:"external-user-id" help:"Your system's name for the end user who asks. Default: none."`
	Format       string `enum:"markdown,plain_text,html" default:"markdown" help:"markdown, which is streamed, plain_text or html."`
	JSON         bool   `name:"json" help:"Print JSON, when the answer is whole."`
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

// sourceView is as the API's source.
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

// Run asks, and streams the answer to the terminal.
func (cmd *askCmd) Run(ctx context.Context, config *Config, io streams) error {
	return withChatbot(ctx, config, cmd.Chatbot, func(p *program, bot chatbot.Chatbot) error {
		caller, err := p.operatorOf(ctx, bot)
		if err != nil {
			return err
		}
		ask := chat.Ask{Message: cmd.Question, Delivery: chat.Delivery{Format: format.Format(cmd.Format)}}
		ask.ExternalUserID = cmd.ExternalUser
		if cmd.Conversation != "" {
			if ask.ConversationID, err = p.conversationID(cmd.Conversation); err != nil {
				return err
			}
		}
		defer func() { _ = p.chat.Release(context.WithoutCancel(ctx)) }() // if it fails, the lease ends
		turn, err := p.chat.Begin(ctx, caller, ask)
		if err != nil {
			return err
		}
		streamed := !cmd.JSON && cmd.Format == string(format.Markdown)
		var emit func(chat.Event) error
		if streamed {
			emit = func(e chat.Event) error {
				if e.Kind != chat.Delta {
					return nil
				}
				_, err := fmt.Fprint(io.out, e.Text)
				return err
			}
		}
		answer, err := turn.Run(ctx, emit)
		if err != nil {
			return err
		}
		text := format.Render(answer.Text, format.Format(cmd.Format), bot.ImageHosts)
		if cmd.JSON {
			return showJSON(io.out, p.viewAnswer(turn, answer, text, cmd.Format))
		}
		if streamed {
			text = ""
		}
		_, err = fmt.Fprintf(io.out, "%s\n\n(conversation %d)\n", strings.TrimSpace(text), p.ids.Conversation(turn.Conversation.ID))
		return err
	})
}

func (p *program) viewAnswer(turn *chat.Turn, answer chat.Answer, text, format string) askView {
	usage := answer.Usage()
	view := askView{
		Message: text, ConversationID: p.ids.Conversation(turn.Conversation.ID), MessageID: p.ids.Message(answer.MessageID), Format: format,
		Usage:   usageView{usage.PromptTokens, usage.CompletionTokens, usage.TotalTokens()},
		Sources: []sourceView{},
	}
	for _, s := range answer.Sources {
		view.Sources = append(view.Sources, sourceView{
			s.Number, s.Cited, s.DocumentID, s.Title, append([]string{}, s.HeadingPath...), s.URL, s.Place, s.Start, s.End, s.ContentHash, s.Version,
		})
	}
	return view
}

// conversationID returns the sequence number of a conversation by its
// identifier.
func (p *program) conversationID(written string) (int64, error) {
	id, err := strconv.ParseInt(written, 10, 64)
	if err == nil {
		if sequence, ok := p.ids.ConversationSequence(id); ok {
			return sequence, nil
		}
	}
	return 0, chat.ErrNoConversation
}

// operatorOf is the operator as a caller of a chatbot, under its workspace's
// plan.
func (p *program) operatorOf(ctx context.Context, bot chatbot.Chatbot) (*chatbot.Principal, error) {
	workspace, err := p.tenants.Workspace(ctx, bot.WorkspaceID)
	if err != nil {
		return nil, err
	}
	plans, err := p.tenants.Plans(ctx)
	if err != nil {
		return nil, err
	}
	caller := &chatbot.Principal{Chatbot: bot, Plan: plan.Plan{}}
	for _, candidate := range plans {
		if candidate.Name == workspace.Plan {
			caller.Plan = candidate
		}
	}
	return caller, nil
}
