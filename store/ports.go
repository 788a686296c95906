package store

import (
	"parley/core/account"
	"parley/core/account/factor"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/subscription"
	"parley/core/tenant"
)

// ForAccount fills the ports of package account.
func ForAccount(db *Store) account.Database {
	return account.Database{
		Tx: db, Users: NewUsers(db), Sessions: NewSessions(db), Devices: NewDevices(db), Attempts: NewAttempts(db),
		Codes: NewAddressCodes(db), Factors: NewFactors(db), Steps: NewSignInSteps(db), Audit: db, Decoy: NewAuditLog(db),
	}
}

// ForFactors fills the ports of package factor.
func ForFactors(db *Store) factor.Database {
	factors := NewFactors(db)
	return factor.Database{
		Tx: db, Users: NewUsers(db), Sessions: NewSessions(db), Attempts: NewAttempts(db), Has: factors,
		Apps: factors, Recovery: factors, Passkeys: NewPasskeys(db), Audit: db,
	}
}

// ForTenant fills the ports of package tenant.
func ForTenant(db *Store) tenant.Database {
	return tenant.Database{
		Tx: db, Workspaces: NewWorkspaces(db), Members: NewMembers(db), Invitations: NewInvitations(db),
		Holdings: NewHoldings(db), Plans: NewPlans(db), Messages: NewMonths(db), Quotas: NewQuotaNotices(db), Knowledge: NewSizes(db), Audit: db,
	}
}

// ForSubscription fills the ports of package subscription.
func ForSubscription(db *Store) subscription.Database {
	return subscription.Database{
		Tx: db, Subscriptions: NewSubscriptions(db), Events: NewBillingEvents(db), Access: NewPlanAccess(db),
		Trials: NewTrials(db), Reversals: NewReversals(db), Mails: NewMails(db), Plans: db,
		Workspaces: NewWorkspaces(db), Members: NewMembers(db), Audit: db,
	}
}

// ForChat fills the ports of package chat.
func ForChat(db *Store) chat.Ports {
	return chat.Ports{InTx: db.InTx, Conversations: NewConversations(db), Deletions: NewHistory(db), Retentions: NewRetentions(db), Records: NewUsageRecords(db), Audit: db}
}

// ForChatbot fills the ports of package chatbot.
func ForChatbot(db *Store) chatbot.Database {
	return chatbot.Database{
		Tx: db, Workspaces: db, Plans: db, Chatbots: NewChatbots(db), Tokens: NewTokens(db), Members: NewMembers(db), Providers: NewProviders(db), Audit: db,
	}
}
