// Package tenancy connects the services for people, workspaces and payments, which
// are in packages account, tenant and subscription, with one database. The program
// opens them here, and so do the tests of what uses them.
package tenancy

import (
	"context"
	"errors"
	"io"
	"time"

	"parley/core/account"
	"parley/core/account/factor"
	"parley/core/audit"
	"parley/core/outbox"
	"parley/core/sso"
	"parley/core/subscription"
	"parley/core/system"
	"parley/core/tenant"
	"parley/store"
	auditstore "parley/store/audit"
	"parley/store/outbound"
	"parley/store/people"
	"parley/store/ports"
)

// Options are what an operator decides about people, workspaces and payments.
type Options struct {
	Payments subscription.Options
	Mails    outbox.Options
	// Vault seals the secrets of second factors, and WebAuthn speaks with browsers
	// about passkeys. Where nobody sets them up, both may be nil.
	Vault    factor.Vault
	WebAuthn factor.WebAuthn
	// Quotas hears when most of a month's messages are used. It may be nil.
	Quotas tenant.QuotaSubscriber
	// Links shows the operator links that no mail can carry. It may be nil.
	Links account.LinkPrinter
	// FactorOfAll demands a second factor of everybody.
	FactorOfAll bool
}

// Services are the services of packages account, tenant and subscription.
type Services struct {
	account.Accounts
	tenant.Tenants
	tenant.Team
	subscription.Subscriptions

	Factors factor.Factors
	// Letters are the mails about accounts, and Mails sends all mails.
	Letters *outbox.Writer
	Mails   *outbox.Sender
	Audit   *audit.Reader
}

// Open connects the services with a database. Random must be cryptographically
// secure.
func Open(db *store.Store, access system.Access, now func() time.Time, random io.Reader, options Options) *Services {
	mails := outbound.NewMails(db)
	letters := outbox.NewWriter(mails, now, random, options.Mails)
	tenants := tenant.New(ports.ForTenant(db, access), now, random)
	subscriptions := subscription.New(ports.ForSubscription(db, access), tenants, letters, now, options.Payments)
	signOn := sso.NewRule(sso.RulePorts{Connections: people.NewSSOConnections(db), Members: people.NewMembers(db), System: access})
	accounts := account.New(ports.ForAccount(db), account.Neighbors{
		Mails: letters, Founder: tenants.Workspaces, Emails: subscriptions.Customers, Links: options.Links,
		SignIns: signOn,
	}, now, random)
	team := tenant.NewTeam(ports.ForTenant(db, access), tenants, tenant.Neighbors{
		Accounts: accounts, Mails: letters, Owners: subscriptions.Customers, Quotas: options.Quotas, FactorOfAll: options.FactorOfAll, SignOn: signOn,
	}, now, random)
	factors := factor.New(ports.ForFactors(db), factor.Neighbors{
		Accounts: accounts, Mails: letters, Vault: options.Vault, WebAuthn: options.WebAuthn,
	}, now, random)
	return &Services{
		Accounts: accounts, Factors: factors, Tenants: tenants, Team: team, Subscriptions: subscriptions,
		Letters: letters, Mails: outbox.NewSender(mails, access, subscriptions.Notices, now), Audit: audit.NewReader(auditstore.NewAuditLog(db), db, access, now),
	}
}

// DeleteExpired removes sessions, invitations, events and mails that no longer
// matter.
func (s *Services) DeleteExpired(ctx context.Context) error {
	return errors.Join(s.Sessions.DeleteExpired(ctx), s.Invitations.DeleteExpired(ctx), s.Ledger.DeleteOldEvents(ctx), s.Mails.DeleteOld(ctx))
}
