package plain

import (
	"entgo.io/ent/dialect/sql/schema"

	"parley/ent/generated/migrate"
)

// devices are browsers on which a user has signed in before. The browser keeps a secret, of
// which the row has the hash; several users may share a browser.
func devices() *schema.Table {
	return within("devices_users_devices", "user_id", migrate.UsersTable,
		table("devices", count("id"), text("secret_hash", hashLen), at("expires_at"), at("created_at"), text("user_id", idLen))).
		AddIndex("device_secret_hash_user_id", true, []string{"secret_hash", "user_id"}).
		AddIndex("device_user_id", false, []string{"user_id"}).
		AddIndex("device_expires_at", false, []string{"expires_at"})
}

// signInAttempts count failed sign-ins, by the hash of what they are counted by.
func signInAttempts() *schema.Table {
	return table("sign_in_attempts", text("id", hashLen), count("failures"), at("last_at")).
		AddIndex("signinattempt_last_at", false, []string{"last_at"})
}

// ssoConnections let the people of a domain sign in at a workspace's own identity provider.
// A confirmed domain has one.
func ssoConnections() *schema.Table {
	return only("domain_confirmed_at IS NOT NULL",
		within("sso_connections_workspaces_sso_connections", "workspace_id", migrate.WorkspacesTable,
			table("sso_connections", text("id", idLen), text("issuer", 500), text("client_id", 255*utf8Max),
				// client_secret is sealed with the server's key.
				blob("client_secret"), text("domain", 255),
				// domain_code is what the domain's DNS record has to say.
				text("domain_code", hashLen), maybe(at("domain_confirmed_at")),
				// role is the one with which a person joins who is no member yet; empty lets
				// in members only.
				or("", text("role", 20)),
				// required lets members of the domain in by this connection only.
				or(false, is("required")), at("created_at"), workspaceID())).
			AddIndex("ssoconnection_workspace_id", true, []string{"workspace_id"}).
			AddIndex("sso_connection_domain", true, []string{"domain"}))
}
