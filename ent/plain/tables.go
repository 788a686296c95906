// Package plain describes the tables that package store reaches with SQL by hand alone.
// ent generates no client for them, of 2,000 to 4,000 lines each; the migrations are
// compared with them as with those of ent/schema.
//
// ent's wall does not see them. On PostgreSQL row-level security confines them as it does
// all tables, and their statements name the workspace.
package plain

import (
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"

	"parley/ent/generated/migrate"
)

const (
	idLen     = 40
	modelLen  = 200
	stripeLen = 255
	hashLen   = 64 // of a SHA-256 in hex

	// utf8Max turns a limit in characters, which the domain packages check, into one in bytes.
	utf8Max = 4
)

// Tables are all of them.
var Tables = []*schema.Table{
	// of the installation, and of what its servers agree on
	installationKeys(), chores(), rebuilds(), indexChanges(), requestMinutes(),
	// of the audit log
	auditChains(),
	// of documents
	originals(),
	// of people
	devices(), signInAttempts(), ssoConnections(),
	// of payments
	subscriptions(), trials(), reversals(), billingEvents(), quotaNotices(),
	// of answers and what they cost
	idempotencyKeys(), cachedAnswers(), embeddings(), usageRecords(), usageSums(), usages(), messageHolds(), tokenMonths(),
	// of what owners learn from answers
	dailyStats(), dailyCounts(), testResults(),
}

// indexChanges say that a document is answered from in another version, or no more: each
// process with an index of its own follows that. On PostgreSQL a trigger on documents
// writes it; a SQLite file has one process, and none.
func indexChanges() *schema.Table {
	return table("index_changes", number("id"), workspaceID(),
		// xid is the number of the transaction that made the change. The ids of
		// concurrent transactions are in no order.
		number("xid"), text("chatbot_id", idLen), text("document_id", idLen),
		// held is the version that an index is to hold, or zero for none.
		count("held"), at("created_at")).
		AddIndex("indexchange_xid_id", false, []string{"xid", "id"}).
		AddIndex("indexchange_created_at", false, []string{"created_at"})
}

// originals are the files of documents as they were uploaded, in parts in the order of their ids. Each
// part says what the file is called.
func originals() *schema.Table {
	return within("originals_documents_originals", "document_id", migrate.DocumentsTable,
		table("originals", number("id"), workspaceID(), text("name", 255*utf8Max), text("content_type", 255),
			// input_hash is the document's from when the file was uploaded.
			text("input_hash", hashLen), blob("body"),
			// bytes is the length of body.
			count("bytes"), text("document_id", idLen))).
		AddIndex("original_of_document", false, []string{"document_id", "workspace_id", "id"}).
		AddIndex("original_sizes", false, []string{"workspace_id", "bytes"})
}

// messageHolds are slices of a month's questions that a process has reserved and may begin
// until its lease ends. SQLite, which has one process, needs none.
func messageHolds() *schema.Table {
	return within("message_holds_workspaces_message_holds", "workspace_id", migrate.WorkspacesTable,
		// month is that of usages, and holder the process: see package store.
		table("message_holds", count("id"), month(), number("holder"),
			// granted includes the questions that have begun: they are counted in the
			// holder's rows of usages.
			count("granted"), at("lease_until"), workspaceID())).
		AddIndex("messagehold_workspace_id_month_holder", true, []string{"workspace_id", "month", "holder"}).
		AddIndex("messagehold_lease_until", false, []string{"lease_until"})
}

// requestMinutes count a workspace's requests of the last minute, for processes that share
// a database, or those of a token with a limit of its own, under its id. On PostgreSQL the
// table is unlogged: after a crash of the server everybody begins with a full minute. It
// does not refer to the workspace, whose row every reservation would lock. The program
// deletes old rows.
func requestMinutes() *schema.Table {
	return table("request_minutes", count("id"), workspaceID(),
		blob("minute"), // a plan.Minute
		number("revision"), at("changed_at")).
		AddIndex("requestminute_workspace_id", true, []string{"workspace_id"})
}

// tokenMonths count the questions of a month that were asked with a token which has a
// limit of its own.
func tokenMonths() *schema.Table {
	return within("token_months_tokens_months", "token_id", migrate.TokensTable,
		table("token_months", number("id"), workspaceID(), month(), count("messages"), text("token_id", idLen))).
		AddIndex("tokenmonth_token_id_month", true, []string{"token_id", "month"})
}

// usageSums sum up the usage records of a month that are counted. Like them they do not
// refer to the workspace: the transaction that deletes it deletes them, after the records.
func usageSums() *schema.Table {
	return table("usage_sums", number("id"), workspaceID(), month(), text("chatbot_id", idLen), text("model", modelLen), text("status", 20),
		sum("answers", field.TypeInt), sum("estimated", field.TypeInt), sum("prompt_tokens", field.TypeInt), sum("completion_tokens", field.TypeInt),
		sum("refuted", field.TypeInt),
		// first_tokens and totals count the answers whose times are in the sums.
		sum("first_token_ms", field.TypeInt64), sum("first_tokens", field.TypeInt), sum("total_ms", field.TypeInt64), sum("totals", field.TypeInt)).
		AddIndex("usage_sum_of_month", true, []string{"workspace_id", "month", "chatbot_id", "model", "status"})
}

// usages count a workspace's questions of a month. There are several rows for a month, told
// apart by shard, so that requests at the same time seldom wait for one another.
func usages() *schema.Table {
	return within("usages_workspaces_usages", "workspace_id", migrate.WorkspacesTable,
		table("usages", count("id"), month(), count("shard"), count("messages"), workspaceID())).
		AddIndex("usage_workspace_id_month_shard", true, []string{"workspace_id", "month", "shard"})
}

// table is one whose first column is its key. The database numbers it unless it is a text.
func table(name string, key *schema.Column, columns ...*schema.Column) *schema.Table {
	key.Increment = key.Type != field.TypeString
	t := schema.NewTable(name).AddPrimary(key)
	for _, c := range columns {
		t.AddColumn(c)
	}
	return t
}

// within makes a table's rows go with the row that one of its columns refers to.
func within(symbol, column string, parent *schema.Table, t *schema.Table) *schema.Table {
	of, _ := t.Column(column)
	return t.AddForeignKey(&schema.ForeignKey{
		Symbol: symbol, Columns: []*schema.Column{of}, RefTable: parent, RefColumns: parent.PrimaryKey, OnDelete: schema.Cascade,
	})
}

func workspaceID() *schema.Column { return text("workspace_id", idLen) }

// month is such as 2026-11, in UTC. In usages and message_holds the questions of the
// playground are counted apart, in one such as 2026-11-playground.
func month() *schema.Column { return text("month", 20) }

func text(name string, size int64) *schema.Column {
	return &schema.Column{Name: name, Type: field.TypeString, Size: size}
}

// longText is a text without a limit.
func longText(name string) *schema.Column {
	return &schema.Column{Name: name, Type: field.TypeString, Default: "", SchemaType: map[string]string{dialect.Postgres: "text", dialect.SQLite: "text"}}
}
func number(name string) *schema.Column { return &schema.Column{Name: name, Type: field.TypeInt64} }
func count(name string) *schema.Column  { return &schema.Column{Name: name, Type: field.TypeInt} }
func at(name string) *schema.Column     { return &schema.Column{Name: name, Type: field.TypeTime} }
func blob(name string) *schema.Column   { return &schema.Column{Name: name, Type: field.TypeBytes} }
func is(name string) *schema.Column     { return &schema.Column{Name: name, Type: field.TypeBool} }
func sum(name string, of field.Type) *schema.Column {
	return &schema.Column{Name: name, Type: of, Default: 0}
}

// or gives a column a default value.
func or(value any, c *schema.Column) *schema.Column {
	c.Default = value
	return c
}

// maybe lets a column have no value.
func maybe(c *schema.Column) *schema.Column {
	c.Nullable = true
	return c
}

// only confines the table's last index to the rows for which a condition holds.
func only(where string, t *schema.Table) *schema.Table {
	t.Indexes[len(t.Indexes)-1].Annotation = &entsql.IndexAnnotation{Where: where}
	return t
}
