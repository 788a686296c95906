package views

import (
	"bytes"
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a-h/templ"
)

var update = flag.Bool("update", false, "write the pages under testdata")

var day = time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC)

// hostile is what a name must not do anything with.
const hostile = `<script>alert("1")</script> & "Co" 'x'`

func acme(section Section, title string) Layout {
	return Layout{
		Title: title, Email: "ada@example.com", Section: section,
		Workspace:  Workspace{"ws_1", "Acme"},
		Workspaces: []Workspace{{"ws_1", "Acme"}, {"ws_2", hostile}},
	}
}

func ofChatbot(section Section, title string) Layout {
	l := acme(section, title)
	l.Chatbot = Chatbot{ID: "cb_1", Name: hostile, CreatedAt: day}
	return l
}

// pages are all pages, in the states that look different.
func pages() map[string]templ.Component {
	refused := func(field, message string, values map[string]string) Form {
		return Form{Values: values, Field: field, Message: message}
	}
	documents := []Document{
		{ID: "doc_1", Title: "Returns", Kind: "markdown", State: "ready", Chars: "1,200", Passages: "4", CreatedAt: day},
		{ID: "doc_2", Title: hostile, Kind: "pdf", State: "failed", Reason: hostile, Chars: "0", Passages: "0", MayRetry: true, CreatedAt: day},
		{ID: "doc_3", Title: "Shipping", Kind: "html", URL: hostile, State: "indexing", Progress: "120 of 800 passages", Before: true, MayCancel: true, Chars: "300", Passages: "800", CreatedAt: day},
		{ID: "doc_4", Title: "Old prices", Kind: "text", State: "removing", Chars: "300", Passages: "1", CreatedAt: day},
		{ID: "doc_5", Title: "News", Kind: "html", State: "pending", Reason: "The server did not answer.", NextAt: &day, MayRetry: true, MayCancel: true, Chars: "0", Passages: "0", CreatedAt: day},
	}
	sources := []Source{
		{ID: "src_1", URL: "https://www.example.com/", Kind: "site", Schedule: "daily", State: "ready", Pages: "1,200", SyncedAt: &day, NextAt: &day},
		{ID: "src_2", URL: "https://www.example.com/" + hostile, Kind: "page", Schedule: "never", State: "failed", Reason: hostile, Pages: "1"},
	}
	forms := Knowledge{
		Text: Form{Values: map[string]string{"way": "text", "title": ""}}, MayEdit: true,
		Address: Form{Values: map[string]string{"url": "", "max_depth": "3", "max_pages": "200"}},
	}
	known := forms
	known.Documents, known.Sources, known.Working = documents, sources, 3
	known.Filters = []Filter{{"", "All", "205", false}, {"failed", "Failed", "5", true}}
	known.Pager = Pager{Base: KnowledgeURL("cb_1") + "?state=failed", Page: 2, Pages: 3}
	reading := known
	reading.MayEdit = false
	badAddress := forms
	badAddress.Address = refused("url", "This address is private.", map[string]string{"url": hostile, "reach": "site", "include": "/docs/", "max_depth": "3"})
	badFile := forms
	badFile.Files = refused("files", hostile+": The file is empty.", map[string]string{"files": ""})
	receipts := Removed{Receipts: []Receipt{
		{ID: "rm_1", Title: hostile, URL: "https://www.example.com/x", Passages: "12", Answers: "1,022", RequestedAt: day, ConfirmedAt: &day, MessageIDs: "4, 8", More: "1,020"},
		{ID: "rm_2", Title: "Prices", Passages: "1", Answers: "0", RequestedAt: day},
	}, Pager: Pager{Base: RemovedURL("cb_1"), Page: 1, Pages: 1}}
	evaluated := Evaluate{
		Form: Form{Values: map[string]string{"questions": hostile}}, Measured: 1, MRR: "0.50",
		Shares: []Share{{"1", "0 %"}, {"3", "100 %"}},
		Results: []Result{
			{Question: hostile, Expected: "Returns", Rank: "2", Passages: []Hit{
				{Title: hostile, Path: "A › B", Place: "Page 3", Text: hostile, Score: "2.10"}, {Title: "Returns", Text: "Send it back.", Score: "1.00", Expected: true},
			}},
			{Question: "And?", Expected: "Returns"},
		},
	}
	members := Members{
		Members: []Member{
			{"usr_1", "ada@example.com", "owner", false, false, day},
			{"usr_2", "ben@example.com", "member", true, true, day},
		},
		Invitations: []Invitation{{"inv_1", "cy@example.com", "admin", "ada@example.com", day}, {"inv_2", "di@example.com", "member", "", day}},
		MayManage:   true, Roles: []string{"member", "admin"},
	}
	invited, only := members, Members{Members: members.Members, Leave: Leave{OnlyOwner: true}}
	invited.Link = "https://parley.example.com/join#code"
	mailed := members
	mailed.MailedTo = hostile
	providers := []Provider{
		{ID: "mp_1", Name: hostile, Kind: "openai", Address: "https://models.example.com/" + hostile, KeyHint: "…wxyz", Tools: true, UsedBy: []Chatbot{{ID: "cb_1", Name: hostile}}},
		{ID: "mp_2", Name: "Theirs", Kind: "anthropic", KeyHint: "…"},
		{ID: "mp_3", Name: "Ours", Kind: "openai"},
	}
	plans, sold, byHand := plansPages()
	suspended := ofChatbot(SettingsSection, "Settings")
	sell := Upgrade{From: "Basic", Plan: "standard", Title: "Standard", Prices: []Choice{{"monthly", "Monthly, 79.00 USD a month"}}, Next: "/chatbots/cb_1/tokens"}
	tell := Upgrade{From: "Basic", Plan: "standard", Title: "Standard", Why: "An owner of the workspace can change the plan."}
	suspended.Suspended, suspended.LooksOnly, suspended.Chatbot.OverLimit = true, true, true
	settings := map[string]string{
		"name": hostile, "instructions": "Be brief.\n</textarea>", "no_answer": "", "image_hosts": "img.example.com", "passage_aim": "200", "answer_without_knowledge": "on",
		"provider_id": "mp_1", "model": hostile, "fallback_provider_id": "own", "fallback_model": "gpt-4o-mini", "temperature": "0.7", "max_answer_tokens": "400",
		"grounding": "strict", "cache_answers": "on",
	}
	by := Answering{Providers: []Choice{{"mp_1", hostile}, {"mp_2", "Ours"}}, Own: []string{"gpt-4o-mini", "extractive"}}
	misled := maps.Clone(settings)
	misled["grounding"], misled["provider_id"] = "", "mp_9"
	noticed := acme(ChatbotsSection, "Chatbots")
	noticed.Notice = "The chatbot has been deleted."

	return map[string]templ.Component{
		"sign-up":         SignUpPage(Form{}, false),
		"sign-up-checked": SignUpPage(Form{}, true),
		"sign-up-mailed":  CheckMailPage(),
		"sign-up-finish":  FinishSignUpPage(Form{}),
		"email-confirm":   ConfirmEmailPage(Form{}),
		"sign-up-refused": SignUpPage(refused("email", "Give an e-mail address such as name@example.com.",
			map[string]string{"email": "ada@example.com", "password": "", "workspace": hostile}), false),
		"sign-in": SignInPage(SignIn{SignUp: true}),
		"sign-in-refused": SignInPage(SignIn{Form: refused("", "The e-mail address or the password is wrong.",
			map[string]string{"email": "ada@example.com", "password": "", "next": "/chatbots/cb_1"})}),
		"join":               JoinPage(Form{}),
		"no-workspace":       NoWorkspacePage(Layout{Title: "Welcome", Email: "ada@example.com"}),
		"failure":            FailurePage(Failure{Title: "Not found", Message: "Chatbot not found.", RequestID: "req_1"}),
		"failure-sign-in":    FailurePage(Failure{Title: "Sign in first", Message: "Sign in to go on.", RequestID: "req_1", SignIn: true}),
		"chatbots":           ChatbotsPage(noticed, Chatbots{Chatbots: []Chatbot{{"cb_1", hostile, false, day}, {"cb_2", "Old", true, day}}, MayCreate: true}),
		"chatbots-none":      ChatbotsPage(acme(ChatbotsSection, "Chatbots"), Chatbots{}),
		"settings":           SettingsPage(ofChatbot(SettingsSection, "Settings"), Settings{Form: Form{Values: settings}, MayChange: true, MayDelete: true, Answering: by}),
		"settings-provider":  SettingsPage(ofChatbot(SettingsSection, "Settings"), Settings{Form: refused("provider_id", "This provider is not there any more.", misled), MayChange: true, Answering: by}),
		"settings-grounding": SettingsPage(ofChatbot(SettingsSection, "Settings"), Settings{Form: refused("grounding", "Choose open or strict.", misled), MayChange: true}),
		"settings-suspended": SettingsPage(suspended, Settings{Form: Form{Values: settings}, MayDelete: true}),
		"settings-read":      SettingsPage(ofChatbot(SettingsSection, "Settings"), Settings{Form: Form{Values: settings}}),
		"knowledge":          KnowledgePage(ofChatbot(KnowledgeSection, "Knowledge"), known),
		"knowledge-read":     KnowledgePage(ofChatbot(KnowledgeSection, "Knowledge"), reading),
		"knowledge-none":     KnowledgePage(ofChatbot(KnowledgeSection, "Knowledge"), forms),
		"knowledge-address":  KnowledgePage(ofChatbot(KnowledgeSection, "Knowledge"), badAddress),
		"knowledge-file":     KnowledgePage(ofChatbot(KnowledgeSection, "Knowledge"), badFile),
		"removed":            RemovedPage(ofChatbot(KnowledgeSection, "Removed documents"), receipts),
		"removed-none":       RemovedPage(ofChatbot(KnowledgeSection, "Removed documents"), Removed{}),
		"evaluate":           EvaluatePage(ofChatbot(EvaluateSection, "Evaluate"), evaluated),
		"evaluate-none":      EvaluatePage(ofChatbot(EvaluateSection, "Evaluate"), Evaluate{}),
		"models": ModelsPage(acme(ModelsSection, "Models"), Models{
			Providers: providers, Own: by.Own, MayManage: true, Form: Form{Values: map[string]string{"kind": "openai", "name": "", "base_url": "", "key": ""}},
		}),
		"models-read": ModelsPage(acme(ModelsSection, "Models"), Models{Providers: providers}),
		"models-none": ModelsPage(acme(ModelsSection, "Models"), Models{MayManage: true, Form: refused("key", "This server cannot keep keys yet.",
			map[string]string{"kind": "anthropic", "name": hostile, "base_url": hostile, "key": "", "tools": "on"})}),
		"models-in-use": ModelsPage(acme(ModelsSection, "Models"), Models{Providers: providers, Form: refused("", "This provider is used by Guide.", nil)}),
		"provider": ProviderPage(acme(ModelsSection, hostile), providers[0], refused("base_url", "Give an address.",
			map[string]string{"name": hostile, "base_url": hostile, "key": "", "tools": "on"})),
		"provider-without-key": ProviderPage(acme(ModelsSection, "Ours"), providers[2], Form{Values: map[string]string{"name": "Ours", "base_url": "", "key": ""}}),
		"usage":                UsagePage(acme(UsageSection, "Usage"), spentMonth()),
		"usage-none":           UsagePage(acme(UsageSection, "Usage"), Month{Name: "November 2026"}),
		"members":              MembersPage(acme(MembersSection, "Members"), members),
		"members-invited":      MembersPage(acme(MembersSection, "Members"), invited),
		"members-mailed":       MembersPage(acme(MembersSection, "Members"), mailed),
		"members-read":         MembersPage(acme(MembersSection, "Members"), only),
		"plans":                PlansPage(acme(PlanSection, "Plan"), plans),
		"plans-by-hand":        PlansPage(acme(PlanSection, "Plan"), byHand),
		"plans-sold":           PlansPage(acme(PlanSection, "Plan"), sold),
		"pay":                  PayPage(acme(PlanSection, "Payment"), "https://pay.example.com/c/1"),
		"limits":               LimitsPage(acme(PlanSection, "Over the limit"), overLimits(true)),
		"limits-read":          LimitsPage(acme(PlanSection, "Over the limit"), overLimits(false)),
		"limits-none":          LimitsPage(acme(PlanSection, "Over the limit"), OverLimits{}),
		"profile": ProfilePage(acme("", "Your account"), Profile{
			EmailForm:    refused("email_password", "This is not your password.", map[string]string{"email": hostile, "email_password": ""}),
			PasswordForm: refused("", "Too many attempts.", map[string]string{"old_password": "", "new_password": ""}),
		}),
		"workspace": WorkspacePage(acme(WorkspaceSection, "Workspace"), WorkspaceSettings{
			Delete: refused("confirm_name", "This is not the name.", map[string]string{"confirm_name": hostile}), MayDelete: true, Paid: true,
		}),
		"workspace-read":    WorkspacePage(acme(WorkspaceSection, "Workspace"), WorkspaceSettings{}),
		"tokens":            TokensPage(ofChatbot(TokensSection, "API tokens"), Tokens{MayManage: true, MayCreate: true, APIURL: "https://parley.example.com/api/v1"}),
		"tokens-suspended":  TokensPage(suspended, Tokens{MayManage: true, APIURL: "https://parley.example.com/api/v1"}),
		"tokens-upgrade":    TokensPage(ofChatbot(TokensSection, "API tokens"), Tokens{MayManage: true, MayCreate: true, Upgrade: &sell}),
		"tokens-no-upgrade": TokensPage(ofChatbot(TokensSection, "API tokens"), Tokens{Upgrade: &tell}),
		"tokens-read":       TokensPage(ofChatbot(TokensSection, "API tokens"), Tokens{APIURL: "https://parley.example.com/api/v1"}),
		"settings-undelete": SettingsPage(ofChatbot(SettingsSection, "Settings"), Settings{Form: Form{Values: settings}, Delete: refused("confirm_name", "That is not the name of the chatbot. Type the name exactly as it is shown.", map[string]string{"confirm_name": "Acme"}), MayChange: true, MayDelete: true}),
	}
}

func spentMonth() Month {
	return Month{
		Name: "November 2026", Previous: "2026-10", Next: "2026-12",
		Rows: []Spent{
			{Chatbot: Chatbot{ID: "cb_1", Name: hostile}, Model: hostile, Status: "complete", Answers: "1,200", PromptTokens: "12,000", CompletionTokens: "300", Counted: "2", FirstToken: "0.30 s", Total: "2.50 s", Refuted: "1"},
			{Chatbot: Chatbot{ID: "cb_2"}, Deleted: true, Status: "failed", Answers: "1", PromptTokens: "0", CompletionTokens: "0", Counted: "0", Refuted: "0"},
		},
		Sum: Spent{Answers: "1,201", PromptTokens: "12,000", CompletionTokens: "300", Counted: "2", Refuted: "1"},
	}
}

func rendered(t *testing.T, page templ.Component) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := page.Render(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPages(t *testing.T) {
	for name, page := range pages() {
		t.Run(name+" is as it was", func(t *testing.T) {
			got := append(rendered(t, page), '\n')
			path := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the page has changed; look at it and run go test ./views -update\n got: %s\nwant: %s", got, want)
			}
		})
	}
}

func TestForm(t *testing.T) {
	t.Run("a message about an input is beside it and not in the banner", func(t *testing.T) {
		f := Form{Values: map[string]string{"email": "a@"}, Field: "email", Message: "Wrong."}
		if f.Error("email") != "Wrong." || f.Banner() != "" {
			t.Errorf("beside the input %q, in the banner %q", f.Error("email"), f.Banner())
		}
	})
	t.Run("a message about an input that the form does not have is in the banner", func(t *testing.T) {
		f := Form{Values: map[string]string{"email": ""}, Field: "scopes", Message: "Wrong."}
		if f.Banner() != "Wrong." {
			t.Errorf("in the banner %q", f.Banner())
		}
	})
}
