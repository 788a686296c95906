package privacy

// chatbotTables have chatbots and what calls them.
var chatbotTables = []Table{
	{
		Name: "chatbots", Owner: OfWorkspace, File: "chatbots", Holds: "Chatbots and their settings", Why: "They say how a chatbot answers", Kept: "Until somebody deletes it",
		Plain: "id workspace_id name instructions no_answer image_hosts welcome suggested_questions passage_aim passage_limit answer_without_knowledge separate_end_users provider_id model fallback_provider_id fallback_model temperature max_answer_tokens grounding cache_answers rerank store_messages keep_files retention_days knowledge_version kept over_limit created_at",
	},
	{
		Name: "tokens", Owner: OfWorkspace, File: "api_tokens", Parent: "chatbots", By: "chatbot_id", Holds: "API tokens: their names, limits and last use. Of the secret only a hash is stored", Why: "Programs identify themselves with them", Kept: withChatbot + ". Address and agent of the last use: 30 days",
		Personal: "created_by last_used_ip last_used_agent", Plain: "id workspace_id chatbot_id name hint scopes kind ip_ranges origins requests_per_minute messages_per_month visitor_requests_per_minute note replaces last_used_at warned_days expires_at revoked_at kept over_limit created_at", Secret: "hash",
	},
	{
		Name: "token_months", Owner: OfWorkspace, Parent: "tokens", By: "token_id", File: "api_token_months", Holds: "How many questions were asked with a token in a month", Why: "For tokens with a limit of their own", Kept: "With the token",
		Plain: "id workspace_id token_id month messages",
	},
	{
		Name: "providers", Owner: OfWorkspace, File: "model_providers", Holds: "Accounts with model providers. Their keys are sealed", Why: "Chatbots answer with their models", Kept: "Until somebody deletes it",
		Plain: "id workspace_id name kind base_url key_hint tools updated_at created_at", Secret: "sealed_key",
	},
	{
		Name: "webhook_endpoints", Owner: OfWorkspace, File: "webhooks", Holds: "Addresses that events are sent to. Their secrets are sealed", Why: "Programs hear what happens", Kept: "Until somebody deletes it",
		Personal: "created_by", Plain: "id workspace_id chatbot_id url events description previous_until state reason updated_at created_at", Secret: "sealed_secret sealed_previous",
	},
	{
		Name: "webhook_messages", Owner: OfWorkspace, File: "webhook_messages", Holds: "Events as they are sent, without texts of questions and answers", Why: "So that one can be sent again", Kept: "30 days",
		Personal: "payload", Plain: "id workspace_id chatbot_id kind created_at", JSON: "payload",
	},
	{
		Name: "webhook_deliveries", Owner: OfWorkspace, Parent: "webhook_messages", By: "message_id", Holds: "Attempts to deliver events, and the beginning of what was answered", Why: "So that owners see why one failed", Kept: "With the event",
		Personal: "attempt_log", Plain: "id workspace_id endpoint_id message_id state attempts due_at ended_at created_at",
	},
}

// workspaceTables have workspaces, their people, and what they pay.
var workspaceTables = []Table{
	{
		Name: "workspaces", Owner: OfWorkspace, By: "id", File: "workspace", Holds: "Workspaces", Why: "Everything belongs to one", Kept: "Until an owner deletes it, and seven days longer",
		Plain: "id name plan granted_plan granted_until kept_before kept_days delete_at second_factor_required created_at",
	},
	{
		Name: "members", Owner: OfWorkspace, File: "members", Holds: "Who belongs to a workspace, with which role", Why: "To let them in", Kept: "Until they leave or are removed",
		Personal: "user_id", Plain: "id workspace_id role kept over_limit created_at",
	},
	{
		Name: "invitations", Owner: OfWorkspace, File: "invitations", Holds: "Invitations that were not accepted yet", Why: "To let people join", Kept: "7 days",
		Personal: "email invited_by", Plain: "id workspace_id role expires_at created_at", Secret: "code_hash",
	},
	{
		Name: "sso_connections", Owner: OfWorkspace, File: "single_sign_on", Holds: "A workspace's own identity provider. Its secret is sealed", Why: "Members sign in there", Kept: "Until somebody deletes it",
		Plain: "id workspace_id issuer client_id domain domain_confirmed_at role required created_at", Secret: "client_secret domain_code",
	},
	{
		Name: "subscriptions", Owner: OfWorkspace, File: "subscription", Holds: "What a workspace pays for, as Stripe says. Payment details are Stripe's alone", Why: "To give it the plan", Kept: withWorkspace,
		Plain: "id workspace_id customer_id account_id account_mode missing_at customer_stale subscription_id status plan interval period_end ends_at trial_end past_due_since amount currency next_plan next_at access_plan access_until access_unknown unverified_until trial_used checkout_at revision fetched_at created_at", Secret: "invoice_url",
	},
	{
		Name: "reversals", Owner: OfWorkspace, File: "reversals", Holds: "Refunds and disputes", Why: "A dispute ends a plan", Kept: withWorkspace,
		Plain: "id workspace_id stripe_id kind status amount currency at",
	},
	{
		Name: "mails", Owner: OfWorkspace, File: "mails", Holds: "Mails to members about the workspace", Why: "To send them", Kept: "90 days after they were sent",
		Personal: "recipient", Plain: "id workspace_id subject due_at attempts sent_at created_at", Secret: "key body html",
	},
	{
		Name: "usages", Owner: OfWorkspace, File: "monthly_questions", Holds: "How many questions were asked in a month", Why: "The plan limits them", Kept: withWorkspace,
		Plain: "id workspace_id month shard messages",
	},
	{
		Name: "quota_notices", Owner: OfWorkspace, Holds: "That owners were told how much of a month is used", Why: "To tell them once", Kept: withWorkspace,
		Plain: "id workspace_id month percent created_at",
	},
	{
		Name: "message_holds", Owner: OfWorkspace, Holds: "Questions that a server has reserved", Why: "So that several servers count as one", Kept: "Minutes",
		Plain: "id workspace_id month holder granted lease_until",
	},
	{
		Name: "request_minutes", Owner: OfWorkspace, Lapses: true, Holds: "Requests of the last minute", Why: "So that several servers count as one", Kept: "An hour after the last request",
		Plain: "id workspace_id minute revision changed_at",
	},
	{
		Name: "audit_entries", Owner: OfWorkspace, Outlives: true, Holds: "The audit log: who did what, when, and from which address", Why: "To find out what happened, also after a deletion: the operator's legitimate interest", Kept: "As long as the operator keeps it (AUDIT_DAYS); network addresses less than 30 days",
		Personal: "actor user_id object_name detail changes address address_salt", Plain: "id workspace_id action object_kind object_id request_id at seq hash address_hash version",
	},
	{
		Name: "erasures", Owner: OfWorkspace, Outlives: true, Holds: "Receipts of erasures. They name nobody: whose data it was is a hash", Why: "To prove an erasure afterwards", Kept: "As long as the installation exists",
		Plain: "id workspace_id kind subject_hash requested_by erased remaining done_at created_at",
	},
}
