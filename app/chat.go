package app

import (
	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chat/turn"
	"parley/store"
	"parley/store/ports"
)

// openChat opens the services that answer questions and store the answers.
func (p *Program) openChat(models answer.Models) {
	p.Answers = answer.New(p.Searcher, models, store.NewCachedAnswers(p.Store), p.now, p.Log)
	p.Keys = chat.NewKeys(store.NewKeys(p.Store), p.now)
	p.Quota = quota.New(store.NewMonths(p.Store), p.now)
	p.Chat = chat.New(ports.ForChat(p.Store), p.Keys, p.now, p.Log)
	p.Turns = turn.New(turn.Config{
		Turns: store.NewTurns(p.Store), Leases: store.NewLeases(p.Store), Chats: p.Chat, Keys: p.Keys, Quota: p.Quota, Answers: p.Answers,
		Now: p.now, Log: p.Log,
	})
}
