package gallery

import (
	"github.com/a-h/templ"

	"parley/views/person"
	"parley/views/shell"
	"parley/views/ui"
)

// personPages are those of a person, and of nobody yet.
func personPages() map[string]templ.Component {
	return map[string]templ.Component{
		"workspace-new":            person.NewWorkspacePage(acme("", "New workspace"), refused("name", "Give a name.", map[string]string{"name": hostile})),
		"failure-in-the-shell":     shell.FailurePage(shell.Failure{Title: "Not found", Message: "There is no page at this address.", RequestID: "req_1", Layout: ofChatbot(shell.KnowledgeSection, "Knowledge")}),
		"failure-session-ended":    shell.FailurePage(shell.Failure{Title: "Your session has ended", Message: "Sign in to go on.", RequestID: "req_1", SignIn: true, Back: "/chatbots/cb_1/settings"}),
		"sign-up":                  person.SignUpPage(plain("Create an account"), ui.Form{}, false),
		"sign-up-checked":          person.SignUpPage(plain("Create an account"), ui.Form{}, true),
		"sign-up-mailed":           person.CheckMailPage(plain("Check your e-mail")),
		"sign-up-finish":           person.FinishSignUpPage(plain("Create your account"), ui.Form{}),
		"email-confirm":            person.ConfirmEmailPage(plain("Confirm your e-mail address"), ui.Form{}),
		"forgot-password":          person.ForgotPage(plain("Forgot your password?"), refused("email", "Give an e-mail address such as name@example.com.", map[string]string{"email": hostile}), true),
		"forgot-password-no-mails": person.ForgotPage(plain("Forgot your password?"), ui.Form{}, false),
		"forgot-password-mailed":   person.ResetMailedPage(plain("Check your e-mail")),
		"reset-password":           person.ResetPage(plain("Choose another password"), refused("password", "Many people use this password, so attackers try it first. Choose another.", map[string]string{"code": "code", "password": ""})),
		"unconfirmed":              person.AppearancePage(unconfirmed(true), ui.Form{}, nil),
		"unconfirmed-no-mails":     person.AppearancePage(unconfirmed(false), ui.Form{}, nil),
		"sign-up-refused": person.SignUpPage(plain("Create an account"), refused("email", "Give an e-mail address such as name@example.com.",
			map[string]string{"email": "ada@example.com", "password": "", "workspace": hostile}), false),
		"sign-in": person.SignInPage(plain("Sign in"), person.SignIn{SignUp: true}),
		"sign-in-refused": person.SignInPage(plain("Sign in"), person.SignIn{Form: refused("", "The e-mail address or the password is wrong.",
			map[string]string{"email": "ada@example.com", "password": "", "next": "/chatbots/cb_1"})}),
		"sign-in-provider": person.SignInPage(plain("Sign in"), person.SignIn{SignUp: true, Provider: "Example Inc."}),
		"sign-in-sso": person.SSOPage(plain("Sign in with SSO"), refused("email", "No workspace uses single sign-on for addresses at example.com. Sign in with your password.",
			map[string]string{"email": "ada@example.com", "next": "/"})),
		"sign-in-depart": person.DepartPage(plain("Sign in at login.example.com"), "login.example.com", "https://login.example.com/authorize?state=1"),
		"join":           person.JoinPage(plain("Join a workspace"), ui.Form{}),
		"no-workspace":   person.NoWorkspacePage(shell.Layout{Title: "Welcome", Email: "ada@example.com"}),
		"profile": person.ProfilePage(acme("", "Your account"), person.Profile{
			NameForm:  ui.Form{Values: map[string]string{"name": hostile}},
			EmailForm: refused("email_password", "This is not your password.", map[string]string{"email": hostile, "email_password": ""}),
		}),
		"account-security": person.SecurityPage(acme("", "Your account"), refused("", "Too many attempts.", map[string]string{"old_password": "", "new_password": ""})),
		"account-sessions": person.SessionsPage(acme("", "Your account"), []person.Session{
			{ID: "1", Device: "Firefox on Linux", Network: "192.0.2.7", LastSeenAt: day, Since: day, Here: true},
			{ID: "2", Device: "Safari on iPhone", Network: "2001:db8:1:2::/64", LastSeenAt: day, Since: day},
		}),
		"account-appearance": person.AppearancePage(acme("", "Your account"), ui.Form{Values: map[string]string{"appearance": "system", "time_zone": "Europe/Berlin"}},
			[]ui.Option{{Value: "", Text: "That of this browser"}, {Value: "Europe/Berlin", Text: "Europe/Berlin"}}),
		"account-privacy": person.PrivacyPage(acme("", "Your account"), person.Privacy{
			Alone: []string{hostile, "Second shop"}, Delete: refused("password", "That is not your password. Try again.", map[string]string{"password": ""}),
		}),
		"account-privacy-needed": person.PrivacyPage(acme("", "Your account"), person.Privacy{Needed: []string{hostile}}),
		"failure":                shell.FailurePage(shell.Failure{Title: "Not found", Message: "Chatbot not found.", RequestID: "req_1"}),
		"failure-sign-in":        shell.FailurePage(shell.Failure{Title: "Sign in first", Message: "Sign in to continue.", RequestID: "req_1", SignIn: true}),
	}
}
