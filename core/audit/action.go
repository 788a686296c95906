package audit

// Action names an act. The name is stable: other programs may look for it.
type Action string

// The actions.
const (
	AccountCreated  Action = "account.created"
	EmailChanged    Action = "email.changed"
	EmailConfirmed  Action = "email.confirmed"
	PasswordChanged Action = "password.changed"
	SessionsEnded   Action = "sessions.ended"

	SignedIn      Action = "sign_in.succeeded"
	SignInFailed  Action = "sign_in.failed"
	SignInBlocked Action = "sign_in.blocked"
	SignedOut     Action = "sign_out"
	// SignInConfirmed is somebody who showed again who they are.
	SignInConfirmed Action = "sign_in.confirmed"

	SecondFactorAdded    Action = "second_factor.added"
	SecondFactorRemoved  Action = "second_factor.removed"
	SecondFactorFailed   Action = "second_factor.failed"
	SecondFactorReset    Action = "second_factor.reset"
	SecondFactorResealed Action = "second_factor.secret_resealed"
	PasskeyRenamed       Action = "passkey.renamed"
	RecoveryCodesCreated Action = "recovery_codes.created"
	RecoveryCodeUsed     Action = "recovery_code.used"

	IdentityLinked   Action = "identity.linked"
	IdentityUnlinked Action = "identity.unlinked"

	SSOCreated      Action = "sso.created"
	SSOChanged      Action = "sso.changed"
	SSOResealed     Action = "sso.secret_resealed"
	SSODeleted      Action = "sso.deleted"
	SSOFailed       Action = "sso.failed"
	DomainConfirmed Action = "sso.domain_confirmed"
	DomainWithdrawn Action = "sso.domain_withdrawn"

	WorkspaceCreated Action = "workspace.created"
	WorkspaceRenamed Action = "workspace.renamed"
	WorkspaceDeleted Action = "workspace.deleted"
	// WorkspaceSecured is a workspace that demands a second factor, or no longer.
	WorkspaceSecured Action = "workspace.second_factor_changed"

	WorkspaceDeletionRequested Action = "workspace.deletion_requested"
	WorkspaceRestored          Action = "workspace.restored"

	AccountDeleted Action = "account.deleted"
	DataExported   Action = "data.exported"
	EndUserErased  Action = "end_user.erased"

	InvitationCreated  Action = "invitation.created"
	InvitationCanceled Action = "invitation.cancelled"
	InvitationAccepted Action = "invitation.accepted"
	MemberJoined       Action = "member.joined"
	MemberLeft         Action = "member.left"
	MemberRemoved      Action = "member.removed"
	RoleChanged        Action = "member.role_changed"

	ChatbotCreated Action = "chatbot.created"
	ChatbotChanged Action = "chatbot.changed"
	ChatbotDeleted Action = "chatbot.deleted"

	TokenCreated Action = "token.created"
	TokenChanged Action = "token.changed"
	TokenRenamed Action = "token.renamed"
	TokenRolled  Action = "token.rolled"
	TokenRevoked Action = "token.revoked"

	ProviderCreated     Action = "provider.created"
	ProviderChanged     Action = "provider.changed"
	ProviderKeyReplaced Action = "provider.key_replaced"
	ProviderKeyResealed Action = "provider.key_resealed"
	ProviderDeleted     Action = "provider.deleted"

	WebhookCreated   Action = "webhook.created"
	WebhookChanged   Action = "webhook.changed"
	WebhookRotated   Action = "webhook.rotated"
	WebhookResealed  Action = "webhook.secret_resealed"
	WebhookPaused    Action = "webhook.paused"
	WebhookResumed   Action = "webhook.resumed"
	WebhookDisabled  Action = "webhook.disabled"
	WebhookDeleted   Action = "webhook.deleted"
	WebhookSentAgain Action = "webhook.sent_again"

	ConversationChanged Action = "conversation.changed"
	ConversationDeleted Action = "conversation.deleted"

	DocumentAdded      Action = "document.added"
	DocumentReplaced   Action = "document.replaced"
	DocumentReadAgain  Action = "document.read_again"
	DocumentCanceled   Action = "document.canceled"
	DocumentRemoved    Action = "document.removed"
	DocumentRestored   Action = "document.restored"
	SourceAdded        Action = "source.added"
	SourceSynced       Action = "source.synced"
	SourceRemoved      Action = "source.removed"
	KnowledgeReindexed Action = "knowledge.reindexed"

	ConversationsExported Action = "conversations.exported"

	PlanChanged         Action = "plan.changed"
	PlanLimitsChanged   Action = "plan.limits_changed"
	SubscriptionChanged Action = "subscription.changed"
	LimitsChosen        Action = "limits.chosen"
	CustomerUnlinked    Action = "customer.unlinked"
	PaymentReversed     Action = "payment.reversed"

	BackupMade     Action = "backup.made"
	BackupRestored Action = "backup.restored"

	IsolationChecked Action = "isolation.checked"

	// PlansSynced, EndpointSaved and EndpointReplaced are what the operator set up at Stripe.
	PlansSynced      Action = "stripe.plans_synced"
	EndpointSaved    Action = "stripe.webhook_saved"
	EndpointReplaced Action = "stripe.webhook_replaced"

	ChainStarted Action = "audit.chain_started"
	// Exported is of the audit log itself.
	Exported Action = "audit.exported"
)

// Actions returns all actions.
func Actions() []Action {
	return []Action{
		AccountCreated, EmailChanged, EmailConfirmed, PasswordChanged, SessionsEnded,
		SignedIn, SignInFailed, SignInBlocked, SignedOut, SignInConfirmed,
		SecondFactorAdded, SecondFactorRemoved, SecondFactorFailed, SecondFactorReset, SecondFactorResealed, PasskeyRenamed, RecoveryCodesCreated, RecoveryCodeUsed,
		IdentityLinked, IdentityUnlinked,
		SSOCreated, SSOChanged, SSOResealed, SSODeleted, SSOFailed, DomainConfirmed, DomainWithdrawn,
		WorkspaceCreated, WorkspaceRenamed, WorkspaceDeleted, WorkspaceSecured, WorkspaceDeletionRequested, WorkspaceRestored,
		AccountDeleted, DataExported, EndUserErased,
		InvitationCreated, InvitationCanceled, InvitationAccepted, MemberJoined, MemberLeft, MemberRemoved, RoleChanged,
		ChatbotCreated, ChatbotChanged, ChatbotDeleted,
		TokenCreated, TokenChanged, TokenRenamed, TokenRolled, TokenRevoked,
		ProviderCreated, ProviderChanged, ProviderKeyReplaced, ProviderKeyResealed, ProviderDeleted,
		WebhookCreated, WebhookChanged, WebhookRotated, WebhookResealed, WebhookPaused, WebhookResumed, WebhookDisabled, WebhookDeleted, WebhookSentAgain,
		ConversationChanged, ConversationDeleted,
		DocumentAdded, DocumentReplaced, DocumentReadAgain, DocumentCanceled, DocumentRemoved, DocumentRestored, SourceAdded, SourceSynced, SourceRemoved, KnowledgeReindexed,
		ConversationsExported,
		PlanChanged, PlanLimitsChanged, SubscriptionChanged, LimitsChosen, CustomerUnlinked, PaymentReversed,
		BackupMade, BackupRestored, IsolationChecked,
		PlansSynced, EndpointSaved, EndpointReplaced,
		ChainStarted, Exported,
	}
}
