package app

import (
	"context"
	"crypto/rand"

	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/privacy"
	"parley/index/embedded"
	"parley/store"
	"parley/store/bots"
	privacystore "parley/store/privacy"
)

// openPrivacy needs all of which people may want a copy, or the end.
func (p *Program) openPrivacy() {
	ports := privacy.Ports{
		InTx: p.Store.InTx, Erasures: privacystore.NewErasures(p.Store), Rows: privacystore.NewRows(p.Store), Reader: privacystore.NewRows(p.Store), Uses: bots.NewTokens(p.Store), Origins: p.Tenants.Audit, AuditLog: p.Tenants.Audit.Of, EndUsers: privacystore.NewEndUsers(p.Store),
		Persons: privacystore.NewPersons(p.Store), Audit: p.Store, System: accesses.privacy, Index: p.Index, Forget: p.Knowledge.Removals.Forget,
		ForgetTurns: p.Turns.ForgetWorkspace, Scrubs: []func(context.Context) error{store.NewFiles(p.Store).Scrub},
		Accounts: p.Tenants.Accounts, Tenants: p.Tenants.Tenants, Team: p.Tenants.Team, Deletions: p.Tenants.Deletions,
		Chatbots: p.Chatbots, Letters: p.Tenants.Letters, IDs: p.IDs,
	}
	if own, ok := p.Index.(*embedded.Index); ok {
		ports.Scrubs = append(ports.Scrubs, own.Scrub)
		if p.Replicator != nil {
			p.ownIndex = &ownIndex{Own: embedded.NewOwn(own), p: p}
			ports.Own = p.ownIndex
		}
	}
	if p.Billing != nil { // an interface that holds a nil pointer would not be nil
		ports.Billing = p.Billing
	}
	p.Privacy = privacy.New(ports, p.now, rand.Reader)
}

// rememberers have what this process remembers of workspaces: principals by their tokens,
// and conversations.
type rememberers struct {
	*chatbot.Callers
	turns *turn.Service
}

// Changed tells of a change in a workspace, or in all when it is empty.
func (r rememberers) Changed(workspaceID string) {
	r.Callers.Changed(workspaceID)
	if workspaceID != "" {
		r.turns.ForgetWorkspace(workspaceID)
	}
}
