package gallery

import (
	"github.com/a-h/templ"

	"parley/views/person"
	"parley/views/shell"
	"parley/views/ui"
)

// personPages returns a person's own pages, and the pages for people who are not signed in.
func personPages() map[string]templ.Component {
	return map[string]templ.Component{
		"workspace-new":            person.NewWorkspacePage(acme("", "New workspace"), refused("name", "Enter a name.", map[string]string{"name": hostile})),
		"failure-in-the-shell":     shell.FailurePage(shell.Failure{Title: "Not found", Message: "There is no page at this address.", RequestID: "req_1", Layout: ofChatbot(shell.KnowledgeSection, "Knowledge")}),
		"failure-session-ended":    shell.FailurePage(shell.Failure{Title: "Your session has ended", Message: "Sign in to go on.", RequestID: "req_1", SignIn: true, Back: "/chatbots/cb_1/settings"}),
		"sign-up":                  person.SignUpPage(plain("Create an account"), ui.Form{}, false),
		"sign-up-checked":          person.SignUpPage(plain("Create an account"), ui.Form{}, true),
		"sign-up-mailed":           person.CheckMailPage(plain("Check your e-mail")),
		"sign-up-finish":           person.FinishSignUpPage(plain("Create your account"), ui.Form{}),
		"email-confirm":            person.ConfirmEmailPage(plain("Confirm your e-mail address"), ui.Form{}),
		"forgot-password":          person.ForgotPage(plain("Forgot your password?"), refused("email", "Enter an e-mail address such as name@example.com.", map[string]string{"email": hostile}), true),
		"forgot-password-no-mails": person.ForgotPage(plain("Forgot your password?"), ui.Form{}, false),
		"forgot-password-mailed":   person.ResetMailedPage(plain("Check your e-mail")),
		"reset-password":           person.ResetPage(plain("Choose another password"), refused("password", "Many people use this password, so attackers try it first. Choose another.", map[string]string{"code": "code", "password": ""})),
		"unconfirmed":              person.AppearancePage(unconfirmed(true), ui.Form{}, nil),
		"unconfirmed-no-mails":     person.AppearancePage(unconfirmed(false), ui.Form{}, nil),
		"sign-up-refused": person.SignUpPage(plain("Create an account"), refused("email", "Enter an e-mail address such as name@example.com.",
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
			EmailForm: refused("email_password", "This is not your password.", map[string]string{"email": hostile, "email_password": ""}), Password: true,
		}),
		"account-security":       person.SecurityPage(acme("", "Your account"), refused("", "Too many attempts.", map[string]string{"old_password": "", "new_password": ""}), true, factors()),
		"account-security-empty": person.SecurityPage(acme("", "Your account"), ui.Form{}, false, person.Factors{}),
		"account-app":            person.AppPage(acme("", "Set up an authenticator app"), person.App{Form: refused("code", "This code is wrong, or was used before. Enter the one that your app shows now.", map[string]string{"code": ""}), Secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", Size: 29, Path: "M4 4h7v7h-7zM18 4h7v7h-7zM4 18h7v7h-7z"}),
		"account-recovery-codes": person.RecoveryCodesPage(acme("", "Save your recovery codes"), []string{"abcd-efgh-ijkm-npqr-stuv-wxyz", "2345-6789-abcd-efgh-ijkm-npqr"}),
		"sign-in-second-factor":  person.SecondFactorPage(plain("Confirm that it's you"), person.Proof{Form: refused("code", "This code is wrong, or was used before. Enter the one that your app shows now.", map[string]string{"code": "", "next": "/"}), App: true, Passkeys: true, Recovery: true}),
		"confirm":                person.ConfirmPage(acme("", "Confirm that it's you"), person.Confirm{Proof: person.Proof{Form: refused("confirm_password", "That is not your password. Try again.", map[string]string{"confirm_password": "", "next": "/"}), App: true, Recovery: true}, Password: true, Back: "/account/security", To: "/account/security/app", Carried: []person.Carried{{Name: "name", Value: hostile}}}),
		"confirm-provider":       person.ConfirmPage(acme("", "Confirm that it's you"), person.Confirm{Proof: person.Proof{Passkeys: true}, Places: []person.Place{{Name: "login.example.com"}, {Name: hostile, WorkspaceID: "ws_1"}}, Resend: true}),
		"confirm-stuck":          person.ConfirmPage(acme("", "Confirm that it's you"), person.Confirm{}),
		"account-sessions": person.SessionsPage(acme("", "Your account"), []person.Session{
			{ID: "1", Device: "Firefox on Linux", Network: "192.0.2.7", LastSeenAt: day, Since: day, Here: true},
			{ID: "2", Device: "Safari on iPhone", Network: "2001:db8:1:2::/64", LastSeenAt: day, Since: day},
		}),
		"account-appearance": person.AppearancePage(acme("", "Your account"), ui.Form{Values: map[string]string{"appearance": "system", "time_zone": "Europe/Berlin"}},
			[]ui.Option{{Value: "", Text: "Browser time zone"}, {Value: "Europe/Berlin", Text: "Europe/Berlin"}}),
		"account-privacy": person.PrivacyPage(acme("", "Your account"), person.Privacy{
			Alone: []string{hostile, "Second shop"}, Password: true, Delete: refused("password", "That is not your password. Try again.", map[string]string{"password": ""}),
		}),
		"account-privacy-needed": person.PrivacyPage(acme("", "Your account"), person.Privacy{Needed: []string{hostile}}),
		"failure":                shell.FailurePage(shell.Failure{Title: "Not found", Message: "Chatbot not found.", RequestID: "req_1"}),
		"failure-sign-in":        shell.FailurePage(shell.Failure{Title: "Sign in first", Message: "Sign in to continue.", RequestID: "req_1", SignIn: true}),
	}
}

// factors returns the factors of a person who has set up everything.
func factors() person.Factors {
	return person.Factors{
		App: true, Any: true, Possible: true, RecoveryCodes: 9,
		Passkeys: []person.Passkey{{ID: "pk_1", Name: hostile, CreatedAt: day, LastUsedAt: &day}, {ID: "pk_2", Name: "Phone", CreatedAt: day}},
		Form:     refused("name", "Give the passkey a name.", map[string]string{"name": ""}),
	}
}
