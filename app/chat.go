package app

import (
	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chat/turn"
	chatstore "parley/store/chat"
	"parley/store/ports"
)

// openChat opens the services that answer questions and store the answers.
func (p *Program) openChat(models answer.Models) {
	p.Answers = answer.New(p.Searcher, models, chatstore.NewCachedAnswers(p.Store), p.now, p.Log)
	p.Keys = chat.NewKeys(chatstore.NewKeys(p.Store), p.now)
	p.Quota = quota.New(chatstore.NewMonths(p.Store), p.now)
	p.Chat = chat.New(ports.ForChat(p.Store), p.Keys, p.now, p.Log)
	p.Turns = turn.New(turn.Config{
		Turns: chatstore.NewTurns(p.Store), Leases: chatstore.NewLeases(p.Store), Chats: p.Chat, Keys: p.Keys, Quota: p.Quota, Answers: p.Answers,
		Now: p.now, Log: p.Log,
	})
}
