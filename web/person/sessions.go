package person

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/tenant"
	views "parley/views/person"
	"parley/web/site"
)

// sessionPages are the handlers of the browsers in which a person is signed in.
type sessionPages struct{ *site.Site }

func (s sessionPages) sessionsPage(c *fiber.Ctx, person tenant.Person) error {
	sessions, err := s.Accounts.Sessions.Of(c.UserContext(), person.User.ID)
	if err != nil {
		return err
	}
	shown := make([]views.Session, len(sessions))
	for i, session := range sessions {
		shown[i] = views.Session{
			ID: session.ID, Device: device(session.Agent), Network: strings.TrimSuffix(session.Network, "/32"),
			LastSeenAt: session.LastSeenAt, Since: session.CreatedAt, Here: session.IsOf(s.Sessions.Secret(c)),
		}
	}
	return site.Render(c, fiber.StatusOK, views.SessionsPage(s.PersonLayout(c, person, "Your account"), shown))
}

func (s sessionPages) end(c *fiber.Ctx, person tenant.Person) error {
	typed, err := site.ReadForm(c, "session")
	if err != nil {
		return err
	}
	if err := s.Accounts.Sessions.End(c.UserContext(), person.User, typed["session"]); err != nil {
		return err
	}
	return s.Flash(c, "/account/sessions", site.Message{Text: "That browser is signed out."})
}

func (s sessionPages) endOthers(c *fiber.Ctx, person tenant.Person) error {
	if err := s.Accounts.Sessions.EndOthers(c.UserContext(), person.User, s.Sessions.Secret(c)); err != nil {
		return err
	}
	return s.Flash(c, "/account/sessions", site.Message{Text: "All other browsers are signed out."})
}

// Names of browsers and systems by what their user agents contain. Those that
// claim to be others, too, come first.
var (
	browsers = [][2]string{
		{"Edg/", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser/", "Samsung Internet"},
		{"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"},
		{"Firefox/", "Firefox"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"curl/", "curl"},
	}
	systems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "Mac"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

// device is what people call a browser, such as Firefox on Windows.
func device(agent string) string {
	find := func(names [][2]string) string {
		for _, name := range names {
			if strings.Contains(agent, name[0]) {
				return name[1]
			}
		}
		return ""
	}
	switch browser, system := find(browsers), find(systems); {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser != "":
		return browser
	case system != "":
		return "A browser on " + system
	}
	return "Unknown browser"
}
