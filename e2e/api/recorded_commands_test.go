package api

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/billing/stripetest"
	"parley/core/audit"
	"parley/e2e/harness"
)

// commandRecords says of each command what it leaves in the audit log: an
// action, with the arguments that make it, or a reason for none. The words ID
// and BOT stand for a workspace and its chatbot, and STRIPE for the settings of one. A flag
// in the name is another way to use the command.
var commandRecords = map[string]struct {
	action audit.Action
	args   string
	reason string
}{
	"serve":                    {reason: runs},
	"migrate":                  {reason: "it changes the schema, and no workspace"},
	"demo":                     {action: audit.WorkspaceCreated},
	"workspace create":         {action: audit.WorkspaceCreated, args: "Another --owner=owner@example.com"},
	"workspace list":           {reason: reads},
	"workspace export":         {action: audit.DataExported, args: "ID"},
	"user export":              {action: audit.DataExported, args: "owner@example.com"},
	"user delete":              {action: audit.AccountDeleted, args: "second@example.com --yes"},
	"enduser export":           {reason: "there is no such end user here; see TestPrivacyOfAnEndUser"},
	"enduser erase":            {action: audit.EndUserErased, args: "ID nobody --yes"},
	"enduser receipts":         {reason: reads},
	"workspace delete":         {action: audit.WorkspaceDeletionRequested, args: "ID"},
	"workspace restore":        {action: audit.WorkspaceRestored, args: "ID"},
	"user create":              {action: audit.AccountCreated, args: "second@example.com"},
	"user reset-second-factor": {reason: "nobody has one here: see TestChangesOfSecondFactors"},
	"user list":                {reason: reads},
	"user confirm":             {reason: "the owner is confirmed already; an address that becomes so is recorded as email.confirmed: see TestConfirmEmail"},
	"user password":            {action: audit.PasswordChanged, args: "owner@example.com"},
	"chatbot create":           {action: audit.ChatbotCreated, args: "ID Second"},
	"chatbot list":             {reason: reads},
	"chatbot delete":           {action: audit.ChatbotDeleted, args: "BOT --yes"},
	"stats rebuild":            {reason: "it sums up what is stored, and changes nothing that is summed up"},
	"knowledge add":            {action: audit.DocumentAdded, args: "BOT FILE"},
	"knowledge list":           {reason: reads},
	"knowledge remove":         {action: audit.DocumentRemoved, args: "BOT DOCUMENT"},
	"knowledge retry":          {reason: "no document has failed here: see TestKnowledgeIsRecorded in core/knowledge"},
	"knowledge cancel":         {reason: "no document is being worked on here: see TestKnowledgeIsRecorded in core/knowledge"},
	"knowledge removals":       {reason: reads},
	"knowledge source add":     {action: audit.SourceAdded, args: "BOT http://127.0.0.1/another"},
	"knowledge source list":    {reason: reads},
	"knowledge source sync":    {action: audit.SourceSynced, args: "BOT SITE"},
	"knowledge source remove":  {action: audit.SourceRemoved, args: "BOT SOURCE"},
	"knowledge evaluate":       {reason: measures},
	"knowledge reindex":        {action: audit.KnowledgeReindexed, args: "BOT"},
	"token create":             {action: audit.TokenCreated, args: "BOT"},
	"token list":               {reason: reads},
	"token revoke":             {action: audit.TokenRevoked, args: "BOT TOKEN"},
	"plan set":                 {action: audit.PlanChanged, args: "ID premium"},
	"plan list":                {reason: reads},
	"plan limits":              {action: audit.PlanLimitsChanged, args: "basic --chatbots=7"},
	"provider reseal":          {reason: "there is no key here; see TestRecords in core/chatbot"},
	"billing sync":             {action: audit.PlansSynced, args: "STRIPE"},
	"billing webhook":          {action: audit.EndpointSaved, args: "STRIPE"},
	"billing webhook --rotate": {action: audit.EndpointReplaced, args: "STRIPE"},
	"billing unlink":           {reason: "no workspace has a customer here; see TestUnlinkCommand"},
	"billing reconcile":        {reason: "what it corrects is recorded as subscription.changed"},
	"sso list":                 {reason: reads},
	"sso confirm":              {reason: "no workspace names a domain here; see TestDomains in core/sso"},
	"sso withdraw":             {reason: "no domain is confirmed here; see TestConnections in core/sso"},
	"sso unlink":               {reason: "no account is linked here; see TestInstallationProvider in core/sso"},
	"backup":                   {reason: "it is recorded as backup.made, by package app/backups"},
	"restore":                  {reason: "it is recorded as backup.restored in the database that it fills, by package app/backups"},
	"verify":                   {reason: reads},
	"upgrade check":            {reason: "it migrates a copy, which it throws away"},
	"audit list":               {reason: reads},
	"audit verify":             {reason: reads},
	"audit heads":              {reason: reads},
	"ask":                      {reason: talks},
	"config":                   {reason: reads},
	"reindex":                  {reason: works},
	"extract-child":            {reason: "it is a part of the server"},
	"doctor parts":             {reason: reads},
	"doctor isolation":         {reason: "no server runs here; see TestDoctorIsolation"},
	"version":                  {reason: reads},
}

func TestEveryCommandLeavesARecord(t *testing.T) {
	t.Parallel()
	term := &harness.Terminal{T: t, Folder: t.TempDir()}
	_, commands, _ := strings.Cut(term.OK("--help"), "\nCommands:\n")
	listed := regexp.MustCompile(`(?m)^  ([a-z]+(?: [a-z-]+)*)  `).FindAllStringSubmatch(commands, -1)
	ways := 0
	for name := range commandRecords {
		if strings.Contains(name, " --") {
			ways++
		}
	}
	if len(listed) < len(commandRecords)-ways-1 { // one is hidden
		t.Errorf("--help lists %d commands", len(listed))
	}
	for _, command := range listed {
		if _, known := commandRecords[command[1]]; !known {
			t.Errorf("parley %s is not in commandRecords: say what it leaves in the audit log, or why nothing", command[1])
		}
	}
	harness.OnTerminals(t, func(term *harness.Terminal) {
		workspace, bot := term.NewChatbot("standard")
		stripe := stripetest.New(term.T, stripetest.Options{})
		ids := strings.NewReplacer("STRIPE", "--stripe-secret-key="+stripe.Key+" --stripe-url="+stripe.URL+" --base-url=https://parley.example.com", "ID", workspace, "BOT", bot,
			"DOCUMENT", harness.Field(term.Records("knowledge", "add", bot, term.File("hours.md", "It opens at ten."))[0], "id"),
			"SOURCE", harness.Field(term.Record("knowledge", "source", "add", bot, "http://127.0.0.1/"), "id"),
			"SITE", harness.Field(term.Record("knowledge", "source", "add", bot, "http://127.0.0.1/other"), "id"),
			"FILE", term.File("prices.md", "It costs ten euros."),
			"TOKEN", harness.Field(term.Record("token", "create", bot), "id"))
		var names []string
		for name, record := range commandRecords {
			if record.action != "" && name != "chatbot delete" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range append(names, "chatbot delete") {
			want := commandRecords[name]
			before := term.Records("audit", "list")
			term.OK(append(strings.Fields(name), strings.Fields(ids.Replace(want.args))...)...)
			entries := term.Records("audit", "list")
			added := entries[:len(entries)-len(before)]
			if !slices.Contains(harness.Values(added, "action"), string(want.action)) || slices.ContainsFunc(harness.Values(added, "actor"), func(actor string) bool { return actor != audit.Operator.Name }) {
				term.Errorf("parley %s leaves %v, want %s by the operator", name, added, want.action)
			}
		}
	})
}
