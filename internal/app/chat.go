package app

import (
	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
)

// openChat opens what answers questions, and what keeps the answers.
func openChat(p *Program, models answer.Models) {
	p.Answers = answer.New(p.Searcher, models, p.Store, p.now, p.Log)
	p.Keys = chat.NewKeys(p.Store, p.now)
	p.Quota = chat.NewQuota(p.Store, p.now)
	ports := chat.Ports{InTx: p.Store.InTx, Conversations: p.Store, Retentions: p.Store, Records: p.Store}
	p.Chat = chat.New(ports, p.Keys, p.now, p.Log)
	p.Turns = turn.New(turn.Config{
		Turns: p.Store, Leases: p.Store, Chats: p.Chat, Keys: p.Keys, Quota: p.Quota, Answers: p.Answers, Now: p.now, Log: p.Log,
	})
}
