package privacy

import "strings"

// Owner is whose data a table has.
type Owner string

// The owners.
const (
	// OfWorkspace is a table whose rows each belong to one workspace.
	OfWorkspace Owner = "workspace"
	// OfPerson is a table about people who sign in.
	OfPerson Owner = "person"
	// OfInstallation is a table that belongs to nobody in particular.
	OfInstallation Owner = "installation"
)

// Table says of a table of the database what it holds, why, and for how long. The lists
// of all tables is the one place where that is said: the page and docs/privacy.md are
// made from it, exports and receipts go by it, and a test compares it with the schema.
type Table struct {
	Name  string
	Owner Owner
	// Holds, Why and Kept are for people.
	Holds, Why, Kept string
	// Personal, Plain and Secret are all columns, with spaces between them. Personal
	// ones may hold what tells of a person, and Secret ones leave the database never.
	Personal, Plain, Secret string
	// Parent and By are the table whose rows these belong to and the column that says
	// to which, where the rows of a workspace are not found by its id.
	Parent, By string
	// File is what an export calls it, empty for what is made of other tables or is of
	// use to a running server only.
	File string
	// JSON are the columns of text that hold JSON.
	JSON string
	// Lapses says that rows have nothing but identifiers and go by themselves soon after
	// what they are about: an erasure does not wait for it.
	Lapses bool
	// Outlives says that rows stay when their workspace is erased, for the reason in Why.
	Outlives bool
}

// Exported are the columns that an export has.
func (t Table) Exported() []string {
	return append(strings.Fields(t.Plain), strings.Fields(t.Personal)...)
}

// Columns are all.
func (t Table) Columns() []string { return append(t.Exported(), strings.Fields(t.Secret)...) }

// IsJSON reports whether a column of text holds JSON.
func (t Table) IsJSON(column string) bool {
	for name := range strings.FieldsSeq(t.JSON) {
		if name == column {
			return true
		}
	}
	return false
}

// Tables returns what is stored: all tables of the database.
func Tables() []Table {
	var all []Table
	for _, of := range [][]Table{chatTables, knowledgeTables, chatbotTables, workspaceTables, personTables, installationTables} {
		all = append(all, of...)
	}
	return all
}

// Erased are the tables of a workspace of which nothing remains when it is erased.
func Erased() []Table {
	var erased []Table
	for _, t := range Tables() {
		if t.Owner == OfWorkspace && !t.Lapses && !t.Outlives {
			erased = append(erased, t)
		}
	}
	return erased
}

// How long rows are kept, where several tables say the same.
const (
	withConversation = "With the conversation"
	withDocument     = "With the document"
	withChatbot      = "With the chatbot"
	withWorkspace    = "With the workspace"
	withAccount      = "With the account"
	byRetention      = "As long as the chatbot's settings and the plan say, or until somebody deletes it"
)
