// Package ports fills the ports of domain packages that several packages below store
// implement together.
package ports

import (
	"parley/core/account"
	"parley/core/account/factor"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/subscription"
	"parley/core/system"
	"parley/core/tenant"
	"parley/store"
	auditstore "parley/store/audit"
	billingstore "parley/store/billing"
	"parley/store/bots"
	chatstore "parley/store/chat"
	insightstore "parley/store/insight"
	knowledgestore "parley/store/knowledge"
	"parley/store/outbound"
	"parley/store/people"
)

// ForAccount fills the ports of package account.
func ForAccount(db *store.Store) account.Database {
	return account.Database{
		Tx: db, Users: people.NewUsers(db), Sessions: people.NewSessions(db), Devices: people.NewDevices(db), Attempts: people.NewAttempts(db),
		Codes: people.NewAddressCodes(db), Factors: people.NewFactors(db), Steps: people.NewSignInSteps(db), Audit: db, Decoy: auditstore.NewAuditLog(db),
	}
}

// ForFactors fills the ports of package factor.
func ForFactors(db *store.Store) factor.Database {
	factors := people.NewFactors(db)
	return factor.Database{
		Tx: db, Users: people.NewUsers(db), Sessions: people.NewSessions(db), Attempts: people.NewAttempts(db), Has: factors,
		Apps: factors, Recovery: factors, Passkeys: people.NewPasskeys(db), Audit: db,
	}
}

// ForTenant fills the ports of package tenant.
func ForTenant(db *store.Store, access system.Access) tenant.Database {
	return tenant.Database{
		Tx: db, Workspaces: people.NewWorkspaces(db), Members: people.NewMembers(db), Invitations: people.NewInvitations(db),
		Holdings: billingstore.NewHoldings(db), Plans: billingstore.NewPlans(db), Messages: chatstore.NewMonths(db), Quotas: billingstore.NewQuotaNotices(db), Knowledge: knowledgestore.NewSizes(db), Audit: db, System: access,
	}
}

// ForSubscription fills the ports of package subscription.
func ForSubscription(db *store.Store, access system.Access) subscription.Database {
	return subscription.Database{
		Tx: db, Subscriptions: billingstore.NewSubscriptions(db), Events: billingstore.NewBillingEvents(db), Access: billingstore.NewPlanAccess(db),
		Trials: billingstore.NewTrials(db), Reversals: billingstore.NewReversals(db), Mails: outbound.NewMails(db), Plans: db,
		Workspaces: people.NewWorkspaces(db), Members: people.NewMembers(db), Audit: db, System: access,
	}
}

// ForChat fills the ports of package chat.
func ForChat(db *store.Store, access system.Access) chat.Ports {
	return chat.Ports{InTx: db.InTx, Conversations: chatstore.NewConversations(db), Deletions: insightstore.NewHistory(db), Retentions: chatstore.NewRetentions(db), Records: chatstore.NewUsageRecords(db), Audit: db, System: access}
}

// ForChatbot fills the ports of package chatbot.
func ForChatbot(db *store.Store, access system.Access) chatbot.Database {
	return chatbot.Database{
		Tx: db, Workspaces: db, Plans: db, Chatbots: bots.NewChatbots(db), Tokens: bots.NewTokens(db), Members: people.NewMembers(db), Providers: bots.NewProviders(db), Audit: db, System: access,
	}
}
