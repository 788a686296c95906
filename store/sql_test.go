package store_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var show = flag.Bool("show", false, "print the statements that are written by hand")

// Why a statement is written by hand.
const (
	everyQuestion = "It runs for every question: ent would build it and filter it again each time, and take more round trips."
	oneStatement  = "ent has no INSERT from a SELECT, and no statement within another."
	noClient      = "Its table is in ent/plain, which has no client."
	upsertIf      = "A built upsert cannot say whether it replaced the row."
	aggregate     = "ent's aggregates cannot sum expressions."
	portion       = "ent's DELETE takes no LIMIT and no sub-select, so one run would keep other writers waiting."
	lock          = "ent has no such lock."
	severalTables = "ent would run a query for each table."
	rowsAtOnce    = "ent would run a statement for each row."
	planner       = "It tells SQLite's planner what to expect: its table is SQLite's own."
	catalog       = "ent knows nothing of PostgreSQL's catalog and roles."
	databaseClock = "It goes by the clock of the database, which ent cannot name."
	beginningOnly = "ent reads columns whole, and long texts would fill the memory."
	countTo       = "ent counts to the end: it has no LIMIT within a count."
)

// byHand is why each statement is not ent's.
var byHand = map[string]string{
	"pendingMails": countTo, "pendingWebhooks": countTo,
	"saveProgress": everyQuestion, "stopsAsked": "Every process asks it many times a minute, and it must match the condition of a partial index to the letter.",
	"selectTurn": everyQuestion, "insertConversation": everyQuestion, "beginConversation": everyQuestion,
	"insertTurnSQLite": everyQuestion, "insertTurnPostgres": everyQuestion, "insertTitledPostgres": everyQuestion, "setTitle": everyQuestion, "endAnswer": everyQuestion, "addUsageRecord": everyQuestion,
	"beginConversations": everyQuestion, "appendTurns": everyQuestion, "finishAnswers": everyQuestion,
	"finishPostgres": everyQuestion, "failPostgres": everyQuestion, "giveBackSQLite": oneStatement,
	"countSQLite": everyQuestion, "countPostgres": everyQuestion, "messagesOf": everyQuestion, "quotas": severalTables, "settling": severalTables, "quotaUse": severalTables,
	"livePassagesSQLite": everyQuestion, "livePassagesPostgres": everyQuestion, "liveDocumentsSQLite": everyQuestion, "liveDocumentsPostgres": everyQuestion, "knowledgeVersion": everyQuestion,
	"claim": upsertIf, "countMessage": noClient, "uncountMessage": noClient, "deleteUsageSums": noClient, "deleteRequestMinute": noClient, "cacheAnswer": oneStatement, "forgetByDocument": oneStatement, "forgetBySource": oneStatement, "forgetByChatbot": "It belongs to the others that forget answers.",
	"requestMinuteSQLite": databaseClock, "requestMinutePostgres": databaseClock, "addRequestMinute": databaseClock, "setRequestMinute": databaseClock,
	"deleteRequestMinutes": "Its table has no ent schema: it is unlogged.",
	"takeHost":             databaseClock, "leaveHost": databaseClock, "deleteFreeHosts": "Its table has no ent schema: it is unlogged.",
	"tellMyself": "ent sends no notifications.",
	"lockMonth":  lock, "monthUse": severalTables, "setHold": databaseClock, "releaseHolds": databaseClock, "lapsedHolds": databaseClock,
	"lockForHold": lock, "settleHold": oneStatement,
	"selectLapsed": severalTables, "interrupt": rowsAtOnce, "lapsedUsageRecords": rowsAtOnce,
	"retentions": severalTables, "findQuiet": severalTables, "findQuietOf": severalTables, "deleteQuiet": severalTables,
	"insertWithdrawals": oneStatement, "withdraw": "It belongs to insertWithdrawals, and must have the same condition.",
	"insertRemovals": oneStatement, "markRemoving": "It belongs to insertRemovals, and must have the same condition.",
	"holdings": aggregate, "heldDocuments": severalTables,
	"listGaps": beginningOnly, "beginnings": beginningOnly,
	"original": noClient, "originalPart": noClient, "deleteOriginal": noClient, "outdatedOriginals": "Its index is of the documents whose file is kept, and ent gives that as a parameter.",
	"spent": aggregate, "lastOfWindow": "ent names the workspace of every table that it reads, and would read each conversation to compare it.", "foundStates": "It belongs to countedStates.", "countedStates": "ent names the workspace of every table that it reads, and would read the documents whole to compare it.", "knowledgeSizes": aggregate, "uploadSize": aggregate, "workDue": severalTables,
	"changesAfter": "It needs the numbers of transactions, and what is committed with them, in one snapshot.", "deleteChanges": portion,
	"lockRoll": lock, "uncounted": severalTables, "uncountedThumbs": severalTables, "addTally": rowsAtOnce, "addToUsageSQLite": oneStatement, "addToUsagePostgres": oneStatement, "countTally": "It belongs to trimTally.", "trimTally": portion,
	"tested": "It belongs to knowledgeVersion, for all chatbots at once.", "addGaps": oneStatement, "recordedMonthsSQLite": aggregate, "recordedMonthsPostgres": aggregate,
	"forgetUsage": "It belongs to forgetUsageRecords: a month is forgotten as a whole.",
	"forgetStats": "It belongs to forgetUsageRecords: a month is forgotten as a whole.", "forgetCounts": "It belongs to forgetUsageRecords: a month is forgotten as a whole.",
	"forgetUsageRecords": "ent would read what it changes.", "forgetThumbs": "It belongs to forgetUsageRecords: a month is forgotten as a whole.",
	"forgetFeedback": oneStatement, "forgetGaps": oneStatement,
	"declare": catalog, "declareWithLockTimeout": catalog, "seeAll": catalog, "selectFound": catalog, "selectRoles": catalog, "selectMembers": catalog, "selectUnsafe": catalog, "selectLacking": catalog, "selectTables": catalog,
	"isStated": planner, "selectStatistic": planner, "deleteStatistic": planner, "insertStatistic": planner,
	"countReferences": severalTables, "dropReferences": "ent cannot set a column from another.", "countAsked": severalTables, "deleteAsked": oneStatement, "tellOthers": "ent sends no notifications.",
	"unnameTokens": "The column never changes otherwise, so ent has no update of it.", "unnameEndpoints": "It belongs to unnameTokens.", "unnameTests": "It belongs to unnameTokens.", "unnameRuns": "It belongs to unnameTokens.",
	"unnameInviter": "It belongs to unnameTokens.", "countNames": severalTables,
	"lockSchema": lock, "isTable": catalog,
	"selectHead": lock, "lockHead": lock, "insertChain": "It belongs to lockHead.", "moveHead": "It belongs to lockHead.",
	"lastAged": severalTables, "lastAgedUnplaced": severalTables, "agedChains": "ent has no DISTINCT of an expression.", "headless": severalTables,
	"moveKept": "It belongs to forgetSQLite.", "forgetSQLite": "It belongs to forgetPostgres.", "forgetUnplacedOnSQLite": "It belongs to forgetPostgres.", "forgetPostgres": "A function of the database deletes what the server may not.",
	"forgetAddressesPostgres": "A function of the database changes what the server may not.", "forgetAddressesSQLite": "It belongs to forgetAddressesPostgres.",
	"insertBillingEvent": upsertIf, "beginChore": upsertIf,
	"addInstallationKey": noClient, "installationKey": noClient, "choresBegun": noClient, "forgetChores": noClient, "choreBegun": noClient, "addTrial": noClient, "trialOf": noClient,
	"hasTrial": noClient, "hasBillingEvent": noClient, "saveReversal": noClient, "latestReversals": noClient, "hasQuotaNotice": noClient, "addQuotaNotice": noClient,
	"deleteQuotaNotices": noClient, "beginRebuild": noClient, "allRebuilds": noClient, "endRebuild": noClient, "headsAfter": noClient, "headOf": noClient, "forgetAttempts": noClient,
	"countAttempt": noClient, "forgiveAttempt": noClient, "trustDevice": noClient, "forgetOldest": noClient, "trustedBy": noClient, "forgetDevices": noClient,
	"countDevices": noClient, "selectClaim": noClient, "cachedAnswer": noClient, "countCached": noClient, "forgetCached": noClient, "countKeys": noClient, "embeddingsOf": noClient,
	"manyEmbeddings": noClient, "longestAgo": noClient, "createConnection": noClient, "updateConnection": noClient, "deleteConnection": noClient, "connectionOf": noClient,
	"connectionsNamed": noClient, "connectionsAfter": noClient, "deleteUsageRecords": noClient, "usageRecordsOf": noClient, "markCounted": noClient, "endings": noClient,
	"hasDays": noClient, "days": noClient, "topsOf": noClient, "dayOf": noClient, "setDay": noClient, "testResults": noClient, "addTestResult": noClient,
}

const (
	chainOf   = "A chain has the name of its workspace."
	ofAnyAge  = "Addresses are removed in time, from entries of every workspace and of none."
	ofAPerson = "It is about people who sign in, whatever their workspaces."
)

// anyWorkspace are the statements that name no workspace, and why.
var anyWorkspace = map[string]string{
	"pendingMails":           "Metrics count what waits in all workspaces together.",
	"pendingWebhooks":        "Metrics count what waits in all workspaces together.",
	"stopsAsked":             "A process stops the answers that it gives, whosever they are.",
	"lapsedHolds":            "What a process left behind is of any workspace.",
	"releaseHolds":           "A process gives back all that it has reserved.",
	"selectLapsed":           "What a process left behind is of any workspace.",
	"interrupt":              "Its answers are those of selectLapsed.",
	"retentions":             "Time passes in every workspace.",
	"changesAfter":           "An index is of all workspaces.",
	"holdings":               "An index is of all workspaces.",
	"deleteChanges":          "What is old goes, of any workspace.",
	"lockRoll":               "One process at a time counts, for every workspace.",
	"tested":                 "A process looks after the test questions of every workspace.",
	"addToUsageSQLite":       "What has happened is counted in every workspace.",
	"addToUsagePostgres":     "What has happened is counted in every workspace.",
	"uncounted":              "What has happened is counted in every workspace.",
	"uncountedThumbs":        "What has happened is counted in every workspace.",
	"recordedMonthsSQLite":   "The operator has the sums of every workspace made again.",
	"recordedMonthsPostgres": "The operator has the sums of every workspace made again.",
	"quotaUse":               "It is of the one row of workspaces with the id.",
	"settling":               "What is over the limits of a plan is suspended in every workspace.",
	"quotas":                 "Owners of every workspace are told what they have used.",
	"workDue":                "It asks which workspaces have work.",
	"outdatedOriginals":      "It asks which documents of every workspace are to be read again.",
	"tellOthers":             "It names the workspace to other servers, and reads nothing.",
	"unnameTokens":           "A person who is erased may have been in any workspace.",
	"unnameEndpoints":        "A person who is erased may have been in any workspace.",
	"unnameTests":            "A person who is erased may have been in any workspace.",
	"unnameRuns":             "A person who is erased may have been in any workspace.",
	"unnameInviter":          "A person who is erased may have been in any workspace.",
	"countNames":             "A person who is erased may have been in any workspace.",
	"agedChains":             "The audit log outlives workspaces.",
	"headless":               "The operator verifies all chains.",
	"selectHead":             chainOf, "lockHead": chainOf, "insertChain": chainOf, "moveHead": chainOf, "moveKept": chainOf, "forgetPostgres": chainOf,
	"forgetAddressesPostgres": ofAnyAge, "forgetAddressesSQLite": ofAnyAge,
	"lastAgedUnplaced":       "These entries concern no workspace.",
	"forgetUnplacedOnSQLite": "These entries concern no workspace.",
	"deleteRequestMinutes":   "It clears away what is old, of any workspace.",
	"takeHost":               "A host is of no workspace.",
	"leaveHost":              "A host is of no workspace.",
	"deleteFreeHosts":        "A host is of no workspace.",
	"tellMyself":             "A connection tells itself.",
	"lockSchema":             "The schema is of no workspace.",
	"isTable":                "It asks what tables there are.",
	"insertBillingEvent":     "Stripe's events are of no workspace.",
	"beginChore":             "A chore is of no workspace.",
	"declare":                "It is how a statement says which workspaces it is about.",
	"declareWithLockTimeout": "It is how a statement says which workspaces it is about.",
	"seeAll":                 "A backup is of every workspace.",
	"selectFound":            "The catalog is of no workspace.",
	"selectRoles":            "The catalog is of no workspace.",
	"selectMembers":          "The catalog is of no workspace.",
	"selectUnsafe":           "The catalog is of no workspace.",
	"selectLacking":          "The catalog is of no workspace.",
	"selectTables":           "The catalog is of no workspace.",
	"isStated":               "The planner's table is of no workspace.",
	"selectStatistic":        "The planner's table is of no workspace.",
	"deleteStatistic":        "The planner's table is of no workspace.",
	"insertStatistic":        "The planner's table is of no workspace.",
	"addInstallationKey":     "A key is of the installation.",
	"installationKey":        "A key is of the installation.",
	"choresBegun":            "A chore is of no workspace.",
	"forgetChores":           "A chore is of no workspace.",
	"choreBegun":             "A chore is of no workspace.",
	"addTrial":               "A trial is of a person, and outlives workspaces.",
	"trialOf":                "A trial is of a person, and outlives workspaces.",
	"hasTrial":               "A trial is of a person, and outlives workspaces.",
	"hasBillingEvent":        "Stripe's events are of no workspace.",
	"beginRebuild":           "An index is of all workspaces.",
	"allRebuilds":            "An index is of all workspaces.",
	"endRebuild":             "An index is of all workspaces.",
	"headsAfter":             chainOf,
	"headOf":                 chainOf,
	"forgetAttempts":         ofAPerson,
	"countAttempt":           ofAPerson,
	"forgiveAttempt":         ofAPerson,
	"trustDevice":            ofAPerson,
	"forgetOldest":           ofAPerson,
	"trustedBy":              ofAPerson,
	"forgetDevices":          ofAPerson,
	"countDevices":           ofAPerson,
	"manyEmbeddings":         "Every workspace is looked at for more than it may keep.",
	"connectionsNamed":       "Somebody who signs in says by the domain which workspace it is.",
	"connectionsAfter":       "The operator looks at all connections.",
	"markCounted":            "What has happened is counted in every workspace.",
	"giveBackSQLite":         "endAnswer has found the answer in its workspace, in the same transaction.",
}

// inFunctions may hold statements that no declaration names.
var inFunctions = map[string]string{
	"Expire":    "The table and the condition depend on what goes for its age, in every workspace.",
	"Check":     "SELECT 1 asks whether the database answers.",
	"runJob":    "Savepoints belong to the connection.",
	"mark":      "The table and the column depend on what is counted; the workspace is a condition of both statements.",
	"LockUsers": "The lock of a table belongs to no row.",
}

var (
	verb     = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|LOCK)\s`)
	namesOne = regexp.MustCompile(`workspace_id = \$\d|workspace_id \|\| '' = \$\d|\((message_id, )?workspace_id,.*VALUES (\(\$1|$)|FROM workspaces WHERE id = \$1|[wd]\.(workspace_)?id = a\.workspace_id|m\.workspace_id = g\.workspace_id|'messages ' \|\| \$1`)
)

// statement is SQL by hand: a declaration, and the functions that run it.
type statement struct {
	name, text string
	functions  []string
}

// parsed is what a package declares.
type parsed struct {
	texts map[string]ast.Expr
	// uses has the functions that name a declaration.
	uses map[string][]string
	// loose are the statements within functions.
	loose map[string][]string
	// exported has the declarations that other packages may be made of.
	exported map[string]ast.Expr
}

// withoutQueries are the packages below this one that have none of the server's queries.
var withoutQueries = []string{"snapshot", "storetest", "tenancy", "tenancytest"}

// rooms are the folders of package store and of the packages below it with queries.
func rooms(t *testing.T) []string {
	t.Helper()
	folders := []string{"."}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() && !slices.Contains(withoutQueries, entry.Name()) {
			folders = append(folders, entry.Name())
		}
	}
	return folders
}

// readRooms reads all of them.
func readRooms(t *testing.T) (all []parsed) {
	t.Helper()
	exported := map[string]ast.Expr{}
	for _, folder := range rooms(t) {
		s := readSource(t, folder)
		s.exported = exported
		for name, text := range s.texts {
			if ast.IsExported(name) {
				exported[name] = text
			}
		}
		all = append(all, s)
	}
	return all
}

// allStatements are those of all rooms, by name.
func allStatements(t *testing.T) (all []statement, loose map[string][]string) {
	t.Helper()
	loose = map[string][]string{}
	for _, s := range readRooms(t) {
		all = append(all, s.statements()...)
		for function, texts := range s.loose {
			loose[function] = append(loose[function], texts...)
		}
	}
	slices.SortFunc(all, func(a, b statement) int { return strings.Compare(a.name, b.name) })
	for i := range all {
		if i > 0 && all[i-1].name == all[i].name {
			t.Errorf("two statements are called %s", all[i].name)
		}
	}
	return all, loose
}

// statementsByHand returns the texts of constants by their names.
func statementsByHand(t *testing.T) func(name string) string {
	t.Helper()
	texts := map[string]string{}
	for _, s := range readRooms(t) {
		for name, e := range s.texts {
			texts[name] = cmp.Or(s.text(e), texts[name])
		}
	}
	return func(name string) string {
		if texts[name] == "" {
			t.Errorf("there is no statement %s", name)
		}
		return texts[name]
	}
}

func readSource(t *testing.T, folder string) parsed {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	s := parsed{texts: map[string]ast.Expr{}, uses: map[string][]string{}, loose: map[string][]string{}}
	for _, entry := range files {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") || entry.Name() == "migrate.go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if value, ok := spec.(*ast.ValueSpec); ok && len(value.Values) == len(value.Names) {
						for i, name := range value.Names {
							s.texts[name.Name] = value.Values[i]
						}
					}
				}
			case *ast.FuncDecl:
				s.readFunction(d)
			}
		}
	}
	return s
}

func (s parsed) readFunction(d *ast.FuncDecl) {
	own := map[string]bool{} // parameters and variables of the function
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				own[name.Name] = true
			}
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
					own[name.Name] = true
				}
			}
		case *ast.SelectorExpr:
			own[n.Sel.Name] = true
		}
		return true
	})
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if !own[n.Name] && !slices.Contains(s.uses[n.Name], d.Name.Name) {
				s.uses[n.Name] = append(s.uses[n.Name], d.Name.Name)
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && verb.MatchString(text) {
				s.loose[d.Name.Name] = append(s.loose[d.Name.Name], text)
			}
		}
		return true
	})
}

// text is the value of a declaration of strings.
func (s parsed) text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return s.text(e.X) + s.text(e.Y)
	case *ast.ParenExpr:
		return s.text(e.X)
	case *ast.Ident:
		if known, ok := s.texts[e.Name]; ok {
			return s.text(known)
		}
	case *ast.SelectorExpr:
		if known, ok := s.exported[e.Sel.Name]; ok {
			return s.text(known)
		}
	}
	return ""
}

// statements are the declarations of SQL that functions run. Others are parts of
// them.
func (s parsed) statements() []statement {
	var all []statement
	for name, e := range s.texts {
		if text := s.text(e); verb.MatchString(text) && len(s.uses[name]) > 0 {
			slices.Sort(s.uses[name])
			all = append(all, statement{name, text, s.uses[name]})
		}
	}
	slices.SortFunc(all, func(a, b statement) int { return strings.Compare(a.name, b.name) })
	return all
}

func TestSQLByHand(t *testing.T) {
	all, loose := allStatements(t)
	known := map[string]bool{}
	for _, st := range all {
		known[st.name] = true
		if byHand[st.name] == "" {
			t.Errorf("%s is SQL by hand: let ent do it, or say in byHand why not", st.name)
		}
		if strings.Contains(st.text, "?") {
			t.Errorf("%s has a parameter without a number: write $1", st.name)
		}
		names := namesOne.MatchString(strings.ReplaceAll(st.text, "\n", " "))
		if why := anyWorkspace[st.name]; names == (why != "") {
			t.Errorf("%s names the workspace: %t; the reason why it need not is %q", st.name, names, why)
		}
	}
	for _, list := range []map[string]string{byHand, anyWorkspace} {
		for name := range list {
			if !known[name] {
				t.Errorf("%s is in a list, but is no statement", name)
			}
		}
	}
	for function, texts := range loose {
		if inFunctions[function] == "" {
			t.Errorf("%s runs %q: declare the statement by a name", function, texts)
		}
	}
	if *show {
		fmt.Print(sqlPage(all))
	}
}

// sqlPage is a page about SQL by hand, in Markdown.
func sqlPage(all []statement) string {
	var b strings.Builder
	b.WriteString("| statement | run by | why it is not ent's | why it names no workspace |\n|---|---|---|---|\n")
	for _, st := range all {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", st.name, strings.Join(st.functions, "`, `"), byHand[st.name], anyWorkspace[st.name])
	}
	b.WriteString("\nStatements without a name:\n\n| function | why |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(inFunctions)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, inFunctions[name])
	}
	return b.String()
}
