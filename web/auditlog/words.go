package auditlog

import (
	"slices"
	"strings"

	"parley/core/audit"
	"parley/views/ui"
)

// kinds are groups of actions, by the beginnings of their names.
var kinds = []struct {
	text   string
	groups []string
}{
	{"Chatbots", []string{"chatbot"}},
	{"API tokens", []string{"token"}},
	{"Conversations", []string{"conversation", "conversations"}},
	{"Documents", []string{"document", "knowledge"}},
	{"Web addresses", []string{"source"}},
	{"Members", []string{"member"}},
	{"Invitations", []string{"invitation"}},
	{"Model providers", []string{"provider"}},
	{"Webhooks", []string{"webhook"}},
	{"Single sign-on", []string{"sso", "identity"}},
	{"Plan", []string{"plan", "limits"}},
	{"Subscription", []string{"subscription", "customer", "payment", "email"}},
	{"Copies and erasures", []string{"data", "end_user"}},
	{"Audit log", []string{"audit"}},
	{"Workspace", []string{"workspace"}},
}

// kindOf is the kind of a group of actions, which is named by its first group.
func kindOf(group string) string {
	for _, k := range kinds {
		if slices.Contains(k.groups, group) {
			return k.groups[0]
		}
	}
	return ""
}

func kindOptions() []ui.Option {
	options := []ui.Option{{Value: "", Text: "Everything"}}
	for _, k := range kinds {
		options = append(options, ui.Option{Value: k.groups[0], Text: k.text})
	}
	return options
}

// objects are the kinds of objects that a workspace's entries are about.
var objects = []string{
	"audit log", "chatbot", "conversation", "document", "documents", "end user", "erasure", "invitation", "member", "provider", "source", "sso_connection",
	"token", "webhook", "workspace",
}

// acts are actions in words.
var acts = map[audit.Action]string{
	audit.WorkspaceCreated: "Created the workspace", audit.WorkspaceRenamed: "Renamed the workspace", audit.WorkspaceSecured: "Changed whether members need a second factor",
	audit.WorkspaceDeletionRequested: "Deleted the workspace", audit.WorkspaceRestored: "Restored the workspace",
	audit.DataExported: "Got a copy of", audit.EndUserErased: "Erased an end user",
	audit.InvitationCreated: "Invited", audit.InvitationCanceled: "Canceled the invitation of", audit.InvitationAccepted: "Accepted the invitation of",
	audit.MemberJoined: "Joined:", audit.MemberLeft: "Left:", audit.MemberRemoved: "Removed", audit.RoleChanged: "Changed the role of",
	audit.ChatbotCreated: "Created the chatbot", audit.ChatbotChanged: "Changed the chatbot", audit.ChatbotDeleted: "Deleted the chatbot",
	audit.TokenCreated: "Created the token", audit.TokenChanged: "Changed the token", audit.TokenRenamed: "Renamed the token", audit.TokenRolled: "Rolled the token", audit.TokenRevoked: "Revoked the token",
	audit.ProviderCreated: "Added the provider", audit.ProviderChanged: "Changed the provider", audit.ProviderKeyReplaced: "Replaced the key of",
	audit.ProviderKeyResealed: "Resealed the key of", audit.ProviderDeleted: "Removed the provider",
	audit.WebhookCreated: "Added the webhook", audit.WebhookChanged: "Changed the webhook", audit.WebhookRotated: "Rotated the secret of the webhook",
	audit.WebhookResealed: "Resealed the secret of the webhook",
	audit.WebhookPaused:   "Paused the webhook", audit.WebhookResumed: "Resumed the webhook", audit.WebhookDisabled: "Turned off the webhook",
	audit.WebhookDeleted: "Deleted the webhook", audit.WebhookSentAgain: "Sent again to the webhook",
	audit.SSOCreated: "Set up single sign-on for", audit.SSOChanged: "Changed single sign-on for", audit.SSODeleted: "Removed single sign-on for",
	audit.SSOResealed: "Resealed the client secret for", audit.SSOFailed: "A single sign-on failed", audit.DomainConfirmed: "Confirmed the domain", audit.DomainWithdrawn: "Withdrew the domain",
	audit.IdentityLinked: "Linked the account of", audit.IdentityUnlinked: "Unlinked the account of",
	audit.ConversationChanged: "Changed a conversation of", audit.ConversationDeleted: "Deleted a conversation of",
	audit.DocumentAdded: "Added the document", audit.DocumentReplaced: "Replaced the document", audit.DocumentReadAgain: "Had the document read again", audit.DocumentCanceled: "Canceled the document",
	audit.SourceAdded: "Added the address", audit.SourceSynced: "Had the address read again", audit.KnowledgeReindexed: "Had all documents indexed again",
	audit.ConversationsExported: "Exported conversations of", audit.ChainStarted: "Entries are chained from here on", audit.Exported: "Exported entries of the audit log",
	audit.DocumentRemoved: "Removed the document", audit.DocumentRestored: "Restored the document", audit.SourceRemoved: "Removed the address",
	audit.PlanChanged: "Changed the plan", audit.SubscriptionChanged: "The subscription changed", audit.LimitsChosen: "Chose what stays active",
	audit.CustomerUnlinked: "Unlinked the customer at Stripe", audit.PaymentReversed: "A payment was reversed", audit.EmailChanged: "Changed the e-mail address of",
}

// fieldName is a field such as max_answer_tokens in words.
func fieldName(field string) string {
	return strings.ReplaceAll(strings.ReplaceAll(field, "_", " "), ".", " ")
}
