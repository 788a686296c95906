package app

import (
	"parley/core/audit"
	"parley/core/system"
	"parley/core/system/grant"
	auditstore "parley/store/audit"
)

// accesses are why the program works across workspaces. Nothing else can make one.
var accesses = struct {
	people, callers, chats, leases, leftovers, knowledge, index, insight, tests, webhooks, signOn, privacy, isolation, figures system.Access
}{
	people:    grant.Because("A person is in several workspaces, a code or a customer says which, and operators and time go through all."),
	callers:   grant.Because("A token's secret says which workspace it is of, and an operator names a chatbot alone."),
	chats:     grant.Because("Time ends conversations in every workspace."),
	leases:    grant.Because("A process keeps, stops and ends answers whosever they are."),
	leftovers: grant.Because("A process clears away what is old and gives back what it has reserved, in every workspace."),
	knowledge: grant.Because("A process looks for work, encodes and clears away in every workspace."),
	index:     grant.Because("An index is of all workspaces, and is rebuilt as a whole."),
	insight:   grant.Because("What has happened is counted in every workspace."),
	tests:     grant.Because("A process looks after the test questions of every workspace."),
	webhooks:  grant.Because("A process sends the webhooks of every workspace, and an operator seals their secrets again."),
	signOn:    grant.Because("The domain of an address says whose identity provider it has."),
	privacy:   grant.Because("Somebody who is forgotten may have been in any workspace."),
	isolation: grant.Because("The check finds its own workspaces again."),
	figures:   grant.Because("Metrics count what waits in all workspaces together."),
}

// AuditVerifier returns what verifies the audit log as it is now.
func (p *Program) AuditVerifier() *audit.Verifier {
	return audit.NewVerifier(auditstore.NewAuditLog(p.Store), accesses.people, p.now(), p.Config.AuditDays)
}
