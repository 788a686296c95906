package main

import (
	"context"
	"fmt"
	"strings"

	"parley/api/wire"
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
		defer func() { _ = p.ReleaseMessages(context.WithoutCancel(ctx)) }() // if it fails, the lease ends
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
		told := wire.Identifiers{Codec: p.IDs}.AnswerToWire(begun, answer, markdown.Format(cmd.Format), bot.ImageHosts)
		if cmd.JSON {
			return showJSON(io.out, told)
		}
		text := told.Message
		if streamed {
			text = ""
		}
		_, err = fmt.Fprintf(io.out, "%s\n\n(conversation %d)\n", strings.TrimSpace(text), told.ConversationID)
		return err
	})
}
