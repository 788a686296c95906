package views

import (
	"bytes"
	"context"
	"flag"
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
	l.Chatbot = Chatbot{"cb_1", hostile, day}
	return l
}

// pages are all pages, in the states that look different.
func pages() map[string]templ.Component {
	refused := func(field, message string, values map[string]string) Form {
		return Form{Values: values, Field: field, Message: message}
	}
	documents := []Document{
		{"doc_1", "Returns", "markdown", "ready", "", "1,200", "4", day},
		{"doc_2", hostile, "text", "failed", "The text could not be read. Add it again.", "12", "0", day},
		{"doc_3", "Shipping", "markdown", "pending", "", "300", "1", day},
		{"doc_4", "Old prices", "markdown", "removing", "", "300", "1", day},
	}
	members := Members{
		Members: []Member{
			{"usr_1", "ada@example.com", "owner", false, day},
			{"usr_2", "ben@example.com", "member", true, day},
		},
		Invitations: []Invitation{{"inv_1", "cy@example.com", "admin", day}},
		MayManage:   true, Roles: []string{"member", "admin"},
	}
	invited, reading := members, Members{Members: members.Members}
	invited.Link = "https://parley.example.com/join#code"
	plans := Plans{
		Plans:  []Plan{{"starter", "Starter", true}, {"standard", "Standard", false}},
		Limits: []Limit{{"Chatbots", []string{"1", "10"}}, {"API tokens of a chatbot", []string{"No API access", "10"}}},
	}
	changeable := plans
	changeable.MayChange = true
	plans.Why = "An owner of the workspace can change the plan."
	settings := map[string]string{"name": hostile, "instructions": "Be brief.\n</textarea>", "no_answer": "", "image_hosts": "img.example.com"}
	noticed := acme(ChatbotsSection, "Chatbots")
	noticed.Notice = "The chatbot has been deleted."

	return map[string]templ.Component{
		"sign-up": SignUpPage(Form{}),
		"sign-up-refused": SignUpPage(refused("email", "There is an account with this e-mail address already. Sign in instead.",
			map[string]string{"email": "ada@example.com", "password": "", "workspace": hostile})),
		"sign-in": SignInPage(SignIn{SignUp: true}),
		"sign-in-refused": SignInPage(SignIn{Form: refused("", "The e-mail address or the password is wrong.",
			map[string]string{"email": "ada@example.com", "password": "", "next": "/chatbots/cb_1"})}),
		"join":              JoinPage(Form{}),
		"no-workspace":      NoWorkspacePage(Layout{Title: "Welcome", Email: "ada@example.com"}),
		"failure":           FailurePage(Failure{Title: "Not found", Message: "Chatbot not found.", RequestID: "req_1"}),
		"failure-sign-in":   FailurePage(Failure{Title: "Sign in first", Message: "Sign in to go on.", RequestID: "req_1", SignIn: true}),
		"chatbots":          ChatbotsPage(noticed, Chatbots{Chatbots: []Chatbot{{"cb_1", hostile, day}}, MayCreate: true}),
		"chatbots-none":     ChatbotsPage(acme(ChatbotsSection, "Chatbots"), Chatbots{}),
		"settings":          SettingsPage(ofChatbot(SettingsSection, "Settings"), Settings{Form: Form{Values: settings}, MayChange: true}),
		"settings-read":     SettingsPage(ofChatbot(SettingsSection, "Settings"), Settings{Form: Form{Values: settings}}),
		"knowledge":         KnowledgePage(ofChatbot(KnowledgeSection, "Knowledge"), Knowledge{Documents: documents, MayEdit: true}),
		"knowledge-none":    KnowledgePage(ofChatbot(KnowledgeSection, "Knowledge"), Knowledge{MayEdit: true}),
		"members":           MembersPage(acme(MembersSection, "Members"), members),
		"members-invited":   MembersPage(acme(MembersSection, "Members"), invited),
		"members-read":      MembersPage(acme(MembersSection, "Members"), reading),
		"plans":             PlansPage(acme(PlanSection, "Plan"), plans),
		"plans-changeable":  PlansPage(acme(PlanSection, "Plan"), changeable),
		"tokens":            TokensPage(ofChatbot(TokensSection, "API tokens"), Tokens{MayManage: true, APIURL: "https://parley.example.com/api/v1"}),
		"tokens-read":       TokensPage(ofChatbot(TokensSection, "API tokens"), Tokens{APIURL: "https://parley.example.com/api/v1"}),
		"settings-undelete": SettingsPage(ofChatbot(SettingsSection, "Settings"), Settings{Form: Form{Values: settings}, Delete: refused("confirm_name", "This is not the name of the chatbot. Type it exactly.", map[string]string{"confirm_name": "Acme"}), MayChange: true}),
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
