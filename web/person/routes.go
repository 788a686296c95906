// Package person owns the handlers of a person's own pages and of those that
// nobody has to be signed in for. What a page shows is in views/person, in a file
// of the same name.
package person

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/web/page"
)

func Register(s *page.Base, app *fiber.App, table *route.Table) {
	sessions, resets := sessionPages{s}, resetPages{s}
	workspaces, privacies := workspacePages{s}, privacyPages{s}
	factors, setUp, confirm := factorPages{s}, setUpPages{s}, confirmPages{s}
	signIn, signUp, profile, security := signInPages{s}, signUpPages{s}, profilePages{s}, securityPages{s}
	route.Add(table, app, "", s.Anyone,
		route.Get("/", signIn.home, route.Open),
		route.Get(securityTxtPath, security.securityTxt, route.Open),
		route.Get(securityPolicyPath, security.securityPolicy, route.Open),
		route.Get("/sign-up", signUp.signUpPage, route.Open),
		route.Post("/sign-up", signUp.signUp, route.Open, route.Body(page.MaxCredentials)),
		route.Get("/sign-up/finish", signUp.finishSignUpPage, route.Open),
		route.Post("/sign-up/finish", signUp.finishSignUp, route.Open, route.Body(page.MaxCredentials)),
		route.Get("/sign-in", signIn.signInPage, route.Open),
		route.Post("/sign-in", signIn.signIn, route.Open, route.Body(page.MaxCredentials)),
		route.Get("/sign-in/second-factor", factors.factorPage, route.Open),
		route.Post("/sign-in/second-factor", factors.enterCode, route.Open, route.Body(page.MaxCredentials)),
		route.Post("/sign-in/second-factor/options", factors.askFactor, route.Open, route.Body(page.MaxCredentials), route.On("/sign-in/second-factor")),
		route.Post("/sign-in/second-factor/passkey", factors.enterPasskey, route.Open, route.Body(page.MaxCredentials), route.On("/sign-in/second-factor")),
		route.Post("/sign-in/passkey/options", factors.askPasskey, route.Open, route.Body(page.MaxCredentials), route.On("/sign-in")),
		route.Post("/sign-in/passkey", factors.signInWithPasskey, route.Open, route.Body(page.MaxCredentials), route.On("/sign-in")),
		route.Post("/sign-out", signIn.signOut, route.Open, route.Body(page.MaxCredentials), route.On("/"), route.Frees),
		route.Get("/forgot-password", resets.requestPage, route.Open),
		route.Post("/forgot-password", resets.request, route.Open, route.Body(page.MaxCredentials)),
		route.Get("/reset-password", resets.finishPage, route.Open),
		route.Post("/reset-password", resets.finish, route.Open, route.Body(page.MaxCredentials)),
		route.Get("/join", signIn.joinPage, route.Open),
		route.Post("/join", signIn.join, route.Open, route.Body(page.MaxCredentials)),
		route.Get("/account/email", profile.confirmEmailPage, route.Open),
		route.Post("/account/email", profile.confirmEmail, route.Open, route.Body(page.MaxCredentials)),
	)
	route.Add(table, app, "", s.WithPerson,
		route.Get("/workspaces/new", workspaces.newWorkspacePage, route.SignedIn),
		route.Post("/workspaces", workspaces.createWorkspace, route.SignedIn, route.Body(page.MaxForm), route.On("/workspaces/new")),
		route.Get("/account", profile.profilePage, route.SignedIn),
		route.Post("/account", profile.changeEmail, route.SignedIn, route.Body(page.MaxForm), route.AsksPassword),
		route.Post("/account/email/send", profile.sendAgain, route.SignedIn, route.Body(page.MaxForm), route.On("/account")),
		route.Post("/account/name", profile.changeName, route.SignedIn, route.Body(page.MaxForm), route.On("/account")),
		route.Get("/account/security", profile.securityPage, route.SignedIn),
		route.Post("/account/security/app", setUp.beginApp, route.SignedIn, route.Body(page.MaxForm), route.Sensitive),
		route.Get("/account/security/app", setUp.appPage, route.SignedIn),
		route.Post("/account/security/app/confirm", setUp.confirmApp, route.SignedIn, route.Body(page.MaxForm), route.On("/account/security/app"), route.Sensitive),
		route.Post("/account/security/app/remove", setUp.removeApp, route.SignedIn, route.Body(page.MaxForm), route.On("/account/security"), route.Sensitive, route.Frees),
		route.Post("/account/security/recovery-codes", setUp.renewCodes, route.SignedIn, route.Body(page.MaxForm), route.On("/account/security"), route.Sensitive),
		route.Post("/account/security/passkeys/options", setUp.askPasskey, route.SignedIn, route.Body(page.MaxForm), route.On("/account/security"), route.Sensitive),
		route.Post("/account/security/passkeys", setUp.addPasskey, route.SignedIn, route.Body(page.MaxForm), route.On("/account/security"), route.Sensitive),
		route.Post("/account/security/passkeys/:passkey/rename", setUp.renamePasskey, route.SignedIn, route.Body(page.MaxForm), route.On("/account/security")),
		route.Post("/account/security/passkeys/:passkey/remove", setUp.removePasskey, route.SignedIn, route.Body(page.MaxForm), route.On("/account/security"), route.Sensitive, route.Frees),
		route.Get("/confirm", confirm.page, route.SignedIn),
		route.Post("/confirm", confirm.confirm, route.SignedIn, route.Body(page.MaxForm), route.Frees),
		route.Post("/confirm/options", confirm.askPasskey, route.SignedIn, route.Body(page.MaxForm), route.On("/confirm"), route.Frees),
		route.Get("/account/sessions", sessions.sessionsPage, route.SignedIn),
		route.Post("/account/sessions/end", sessions.end, route.SignedIn, route.Body(page.MaxForm), route.On("/account/sessions"), route.Frees),
		route.Post("/account/sessions/end-others", sessions.endOthers, route.SignedIn, route.Body(page.MaxForm), route.On("/account/sessions"), route.Frees),
		route.Get("/account/appearance", profile.appearancePage, route.SignedIn),
		route.Post("/account/appearance", profile.changeAppearance, route.SignedIn, route.Body(page.MaxForm)),
		route.Get("/account/privacy", privacies.privacyPage, route.SignedIn),
		route.Post("/account/privacy/export", privacies.export, route.SignedIn, route.Body(page.MaxForm), route.Costly, route.On("/account/privacy"), route.Sensitive, route.Download, route.Frees),
		route.Post("/account/privacy/delete", privacies.deleteAccount, route.SignedIn, route.Body(page.MaxForm), route.On("/account/privacy"), route.AsksPassword, route.Frees),
		route.Post("/account/password", profile.changePassword, route.SignedIn, route.Body(page.MaxForm), route.On("/account/security"), route.AsksPassword),
	)
}
