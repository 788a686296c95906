package ports

import (
	"parley/core/account"
	"parley/core/account/factor"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/store"
	auditstore "parley/store/audit"
	billingstore "parley/store/billing"
	chatstore "parley/store/chat"
	knowledgestore "parley/store/knowledge"
)

// ForAccount fills the ports of package account.
func ForAccount(db *store.Store) account.Database {
	return account.Database{
		Tx: db, Users: store.NewUsers(db), Sessions: store.NewSessions(db), Devices: store.NewDevices(db), Attempts: store.NewAttempts(db),
		Codes: store.NewAddressCodes(db), Factors: store.NewFactors(db), Steps: store.NewSignInSteps(db), Audit: db, Decoy: auditstore.NewAuditLog(db),
	}
}

// ForFactors fills the ports of package factor.
func ForFactors(db *store.Store) factor.Database {
	factors := store.NewFactors(db)
	return factor.Database{
		Tx: db, Users: store.NewUsers(db), Sessions: store.NewSessions(db), Attempts: store.NewAttempts(db), Has: factors,
		Apps: factors, Recovery: factors, Passkeys: store.NewPasskeys(db), Audit: db,
	}
}

// ForTenant fills the ports of package tenant.
func ForTenant(db *store.Store) tenant.Database {
	return tenant.Database{
		Tx: db, Workspaces: store.NewWorkspaces(db), Members: store.NewMembers(db), Invitations: store.NewInvitations(db),
		Holdings: billingstore.NewHoldings(db), Plans: billingstore.NewPlans(db), Messages: chatstore.NewMonths(db), Quotas: billingstore.NewQuotaNotices(db), Knowledge: knowledgestore.NewSizes(db), Audit: db,
	}
}

// ForSubscription fills the ports of package subscription.
func ForSubscription(db *store.Store) subscription.Database {
	return subscription.Database{
		Tx: db, Subscriptions: billingstore.NewSubscriptions(db), Events: billingstore.NewBillingEvents(db), Access: billingstore.NewPlanAccess(db),
		Trials: billingstore.NewTrials(db), Reversals: billingstore.NewReversals(db), Mails: store.NewMails(db), Plans: db,
		Workspaces: store.NewWorkspaces(db), Members: store.NewMembers(db), Audit: db,
	}
}

// ForChat fills the ports of package chat.
func ForChat(db *store.Store) chat.Ports {
	return chat.Ports{InTx: db.InTx, Conversations: chatstore.NewConversations(db), Deletions: chatstore.NewHistory(db), Retentions: chatstore.NewRetentions(db), Records: chatstore.NewUsageRecords(db), Audit: db}
}

// ForChatbot fills the ports of package chatbot.
func ForChatbot(db *store.Store) chatbot.Database {
	return chatbot.Database{
		Tx: db, Workspaces: db, Plans: db, Chatbots: store.NewChatbots(db), Tokens: store.NewTokens(db), Members: store.NewMembers(db), Providers: store.NewProviders(db), Audit: db,
	}
}
