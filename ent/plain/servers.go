package plain

import "entgo.io/ent/dialect/sql/schema"

// installationKeys are secrets that all processes of an installation share, by what they
// are for. They are made at the first start and never change.
func installationKeys() *schema.Table {
	return table("installation_keys", text("id", idLen), blob("key"), at("created_at"))
}

// chores are work that one process at a time does now and then, by their names.
func chores() *schema.Table { return table("chores", text("id", idLen), at("begun_at")) }

// rebuilds are those of the index that have not finished catching up.
func rebuilds() *schema.Table { return table("rebuilds", count("id"), at("began_at")) }

// auditChains are the ends of chains of audit entries, by which an entry that was taken
// away or changed is noticed. There is one for each workspace, which stays when the
// workspace is deleted, and one for what concerns none.
func auditChains() *schema.Table {
	// The id is the workspace's, or "-".
	return table("audit_chains", text("id", idLen),
		// seq and hash are the last entry's.
		number("seq"), text("hash", hashLen),
		// kept_seq and kept_hash are those of the last entry that time has taken away, zero
		// and empty if there is none.
		or(0, number("kept_seq")), or("", text("kept_hash", hashLen)))
}
