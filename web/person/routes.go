// Package person owns the handlers of a person's own pages and of those that
// nobody has to be signed in for. What a page shows is in views/person, in a file
// of the same name.
package person

import (
	"github.com/gofiber/fiber/v2"

	"parley/internal/route"
	"parley/web/site"
)

func Register(s *site.Site, app *fiber.App, table *route.Table) {
	sessions, resets := sessionPages{s}, resetPages{s}
	workspaces, privacies := workspacePages{s}, privacyPages{s}
	signIn, signUp, profile, security := signInPages{s}, signUpPages{s}, profilePages{s}, securityPages{s}
	route.Add(table, app, "", s.Anyone,
		route.Get("/", signIn.home, route.Open),
		route.Get(securityTxtPath, security.securityTxt, route.Open),
		route.Get(securityPolicyPath, security.securityPolicy, route.Open),
		route.Get("/sign-up", signUp.signUpPage, route.Open),
		route.Post("/sign-up", signUp.signUp, route.Open, route.Body(site.MaxCredentials)),
		route.Get("/sign-up/finish", signUp.finishSignUpPage, route.Open),
		route.Post("/sign-up/finish", signUp.finishSignUp, route.Open, route.Body(site.MaxCredentials)),
		route.Get("/sign-in", signIn.signInPage, route.Open),
		route.Post("/sign-in", signIn.signIn, route.Open, route.Body(site.MaxCredentials)),
		route.Post("/sign-out", signIn.signOut, route.Open, route.Body(site.MaxCredentials), route.On("/")),
		route.Get("/forgot-password", resets.requestPage, route.Open),
		route.Post("/forgot-password", resets.request, route.Open, route.Body(site.MaxCredentials)),
		route.Get("/reset-password", resets.finishPage, route.Open),
		route.Post("/reset-password", resets.finish, route.Open, route.Body(site.MaxCredentials)),
		route.Get("/join", signIn.joinPage, route.Open),
		route.Post("/join", signIn.join, route.Open, route.Body(site.MaxCredentials)),
		route.Get("/account/email", profile.confirmEmailPage, route.Open),
		route.Post("/account/email", profile.confirmEmail, route.Open, route.Body(site.MaxCredentials)),
	)
	route.Add(table, app, "", s.WithPerson,
		route.Get("/workspaces/new", workspaces.newWorkspacePage, route.SignedIn),
		route.Post("/workspaces", workspaces.createWorkspace, route.SignedIn, route.Body(site.MaxForm), route.On("/workspaces/new")),
		route.Get("/account", profile.profilePage, route.SignedIn),
		route.Post("/account", profile.changeEmail, route.SignedIn, route.Body(site.MaxForm)),
		route.Post("/account/email/send", profile.sendAgain, route.SignedIn, route.Body(site.MaxForm), route.On("/account")),
		route.Post("/account/name", profile.changeName, route.SignedIn, route.Body(site.MaxForm), route.On("/account")),
		route.Get("/account/security", profile.securityPage, route.SignedIn),
		route.Get("/account/sessions", sessions.sessionsPage, route.SignedIn),
		route.Post("/account/sessions/end", sessions.end, route.SignedIn, route.Body(site.MaxForm), route.On("/account/sessions")),
		route.Post("/account/sessions/end-others", sessions.endOthers, route.SignedIn, route.Body(site.MaxForm), route.On("/account/sessions")),
		route.Get("/account/appearance", profile.appearancePage, route.SignedIn),
		route.Post("/account/appearance", profile.changeAppearance, route.SignedIn, route.Body(site.MaxForm)),
		route.Get("/account/privacy", privacies.privacyPage, route.SignedIn),
		route.Post("/account/privacy/export", privacies.export, route.SignedIn, route.Body(site.MaxForm), route.Costly, route.On("/account/privacy")),
		route.Post("/account/privacy/delete", privacies.deleteAccount, route.SignedIn, route.Body(site.MaxForm), route.On("/account/privacy")),
		route.Post("/account/password", profile.changePassword, route.SignedIn, route.Body(site.MaxForm), route.On("/account/security")),
	)
}
