package app

import (
	"context"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chat/turn"
	"parley/core/retrieval"
	chatstore "parley/store/chat"
	"parley/store/ports"
)

// openChat opens the services that answer questions and store the answers.
func (p *Program) openChat(models answer.Models) {
	p.Answers = answer.New(p.Searcher, models, chatstore.NewCachedAnswers(p.Store), p.now, p.Log)
	p.Keys = chat.NewKeys(chatstore.NewKeys(p.Store), p.now)
	p.Quota = quota.New(chatstore.NewMonths(p.Store), p.now)
	p.Quota.Ready = func(ctx context.Context, workspaceID, chatbotID string) error {
		return p.Backlog.Check(ctx, retrieval.Scope{WorkspaceID: workspaceID, ChatbotID: chatbotID})
	}
	p.Chat = chat.New(ports.ForChat(p.Store, accesses.chats), p.Keys, p.now, p.Log)
	p.Turns = turn.New(turn.Config{
		Turns: chatstore.NewTurns(p.Store), Leases: chatstore.NewLeases(p.Store), System: accesses.leases, Chats: p.Chat, Keys: p.Keys, Quota: p.Quota, Tokens: p.Chatbots.Callers, Answers: p.Answers, Meter: meter{p.metrics},
		Now: p.now, Log: p.Log,
	})
}

// ReleaseMessages gives back what this process has reserved of months.
func (p *Program) ReleaseMessages(ctx context.Context) error {
	return p.Quota.Release(ctx, accesses.leftovers)
}
