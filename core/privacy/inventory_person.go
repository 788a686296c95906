package privacy

// personTables have the people who sign in.
var personTables = []Table{
	{
		Name: "users", Owner: OfPerson, File: "profile", By: "id", Holds: "Accounts. Of the password only a hash is stored", Why: "To sign in", Kept: "Until the person deletes it",
		Personal: "email name time_zone appearance", Plain: "id email_confirmed_at created_at", Secret: "password_hash",
	},
	{
		Name: "sessions", Owner: OfPerson, File: "sessions", By: "user_id", Holds: "Browsers in which a person is signed in, with their networks", Why: "To keep people signed in, and so that they find a browser that is not theirs", Kept: "7 days without use, at most 30",
		Personal: "user_agent network last_network", Plain: "user_id last_seen_at expires_at proved_at method second_factor sso_workspace_id created_at", Secret: "id",
	},
	{
		Name: "devices", Owner: OfPerson, By: "user_id", File: "trusted_browsers", Holds: "Browsers that have signed in before", Why: "So that a stranger's wrong guesses do not lock somebody out", Kept: "180 days after the last sign-in",
		Plain: "id user_id expires_at created_at", Secret: "secret_hash",
	},
	{
		Name: "authenticators", Owner: OfPerson, By: "user_id", File: "authenticator_apps", Holds: "Apps that make one-time codes. Their secrets are sealed", Why: "Second factor", Kept: withAccount,
		Plain: "id user_id confirmed_at last_step created_at", Secret: "secret",
	},
	{
		Name: "recovery_codes", Owner: OfPerson, By: "user_id", File: "recovery_codes", Holds: "Hashes of recovery codes", Why: "To sign in without the second factor, once", Kept: withAccount,
		Plain: "id user_id used_at created_at", Secret: "code_hash",
	},
	{
		Name: "passkeys", Owner: OfPerson, By: "user_id", File: "passkeys", Holds: "Public keys of passkeys, with their names", Why: "To sign in", Kept: withAccount,
		Personal: "name", Plain: "id user_id last_used_at created_at", Secret: "credential_id credential",
	},
	{
		Name: "identities", Owner: OfPerson, By: "user_id", File: "identities", Holds: "Accounts at identity providers", Why: "Single sign-on", Kept: withAccount,
		Personal: "issuer subject", Plain: "id user_id connection_id last_used_at created_at",
	},
	{
		Name: "address_codes", Owner: OfPerson, By: "user_id", Holds: "Links that were mailed to an address", Why: "To prove that somebody reads its mail", Kept: "24 hours",
		Personal: "email", Plain: "user_id purpose expires_at created_at", Secret: "id",
	},
	{
		Name: "sign_in_steps", Owner: OfPerson, By: "user_id", Holds: "Sign-ins that have begun and not ended", Why: "A sign-in can take several steps", Kept: "Minutes",
		Plain: "kind user_id failures expires_at created_at", Secret: "id data",
	},
	{
		Name: "account_mails", Owner: OfPerson, By: "recipient", File: "mails", Holds: "Mails to people about their account. The text goes when the mail is sent", Why: "To send them", Kept: "90 days after they were sent",
		Personal: "recipient", Plain: "id subject due_at attempts sent_at created_at", Secret: "key body html",
	},
	{
		Name: "sign_in_attempts", Owner: OfPerson, Holds: "How often a wrong password was typed, by the hash of an address or a network", Why: "To slow down guessing", Kept: "A day at most",
		Plain: "failures last_at", Secret: "id",
	},
	{
		Name: "trials", Owner: OfPerson, Outlives: true, Holds: "That an account, or a payment method, has had its one trial", Why: "So that nobody gets a second: it stays when the account is deleted", Kept: "As long as the installation exists",
		Personal: "id", Plain: "subscription_id created_at",
	},
}

// installationTables have what belongs to nobody.
var installationTables = []Table{
	{
		Name: "plans", Owner: OfInstallation, Holds: "Plans with their limits and prices", Why: "They say what a workspace may do", Kept: forever,
		Plain: "id title rank features chatbots members tokens_per_chatbot message_chars messages_per_month playground_per_month knowledge_chars stored_bytes requests_per_minute concurrent_answers retention_days audit_days monthly_price yearly_price currency sold_monthly_price sold_yearly_price sold_currency",
	},
	{
		Name: "audit_chains", Owner: OfInstallation, Holds: "The ends of the chains of the audit log", Why: "To notice an entry that was changed or taken away", Kept: forever,
		Plain: "id seq hash kept_seq kept_hash",
	},
	{
		Name: "billing_events", Owner: OfInstallation, Holds: "Ids of Stripe's events", Why: "To handle each once", Kept: "90 days",
		Plain: "id type applied_at",
	},
	{
		Name: "installation_keys", Owner: OfInstallation, Holds: "The key that public identifiers are made with", Why: "So that identifiers tell nothing", Kept: forever,
		Plain: "id created_at", Secret: "key",
	},
	{Name: "chores", Owner: OfInstallation, Holds: "When chores were done last, and which servers run", Why: "So that one server does each", Kept: forever, Plain: "id begun_at"},
	{Name: "rebuilds", Owner: OfInstallation, Holds: "Rebuilds of the index that run", Why: "To go on after a crash", Kept: "Until the rebuild ends", Plain: "id began_at"},
	{Name: "busy_hosts", Owner: OfInstallation, Holds: "Sites that a server is reading now", Why: "So that each is asked once at a time", Kept: "Minutes", Plain: "host holder free_at"},
	{
		Name: "river_job", Owner: OfInstallation, Holds: "Jobs: that there is work of a kind for a workspace", Why: "The queue of background work", Kept: "A day after the job ended",
		Plain: "id args attempt attempted_at attempted_by created_at errors finalized_at kind max_attempts metadata priority queue scheduled_at state tags unique_key unique_states",
	},
	{Name: "river_leader", Owner: OfInstallation, Holds: "Which server looks after the queue", Why: "One does", Kept: "Minutes", Plain: "elected_at expires_at leader_id name"},
	{Name: "river_queue", Owner: OfInstallation, Holds: "Names of queues", Why: "The queue of background work", Kept: forever, Plain: "name created_at metadata paused_at updated_at"},
	{Name: "river_migration", Owner: OfInstallation, Holds: "Versions of the queue's tables", Why: "Upgrades", Kept: forever, Plain: "line version created_at"},
	{Name: "river_notification", Owner: OfInstallation, Holds: "News for servers about the queue", Why: "So that a job begins at once", Kept: "Minutes", Plain: "id created_at payload topic"},
	{Name: "schema_migrations", Owner: OfInstallation, Holds: "Which migrations were applied", Why: "Upgrades", Kept: forever, Plain: "name applied_at", Secret: "hash"},
}

const forever = "As long as the installation exists"
