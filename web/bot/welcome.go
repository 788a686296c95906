package bot

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/tenant"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// welcomePages are the handlers of a chatbot's first knowledge.
type welcomePages struct{ *page.Base }

func (s welcomePages) welcomePage(c *fiber.Ctx, v page.Visit) error {
	return s.show(c, v, fiber.StatusOK, page.Form{"files": ""}.View(), page.Form{"url": ""}.View())
}

func (s welcomePages) show(c *fiber.Ctx, v page.Visit, status int, files, address ui.Form) error {
	counts, err := s.Browser.Counts(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, browse.Filter{})
	if err != nil {
		return err
	}
	latest, _, err := s.Browser.Documents(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, browse.Filter{}, browse.Slice{Limit: 5})
	if err != nil {
		return err
	}
	sources, _, err := s.Browser.Sources(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, browse.Slice{Limit: 5})
	if err != nil {
		return err
	}
	m := views.Welcome{Files: files, Address: address, MayEdit: v.MayChange(tenant.EditKnowledge), Ready: counts[knowledge.Ready]}
	for state, n := range counts {
		if state != knowledge.Ready && state != knowledge.Failed && state != knowledge.Removing {
			m.Working += n
		}
	}
	for _, d := range latest {
		m.Documents = append(m.Documents, views.WelcomeDocument{Title: d.Title, State: string(d.State), Reason: d.Reason})
	}
	for _, source := range sources {
		m = withSource(m, source, len(latest))
	}
	l := v.Layout(c, shell.OverviewSection, "Welcome")
	l.Heading, l.About = "Let's get "+v.Chatbot.Name+" answering", "Your first cited answer is a minute away."
	return page.Render(c, status, views.WelcomePage(l, m))
}

// withSource adds an address that has no document yet, or that could not be read.
func withSource(m views.Welcome, source browse.Source, documents int) views.Welcome {
	switch {
	case source.State == knowledge.SourceFailed && source.Pages == 0:
		m.Documents = append(m.Documents, views.WelcomeDocument{Title: source.URL, State: "failed", Reason: source.Reason})
	case source.State != knowledge.SourceReady && source.State != knowledge.SourceFailed:
		m.Working++
		if documents == 0 {
			m.Documents = append(m.Documents, views.WelcomeDocument{Title: source.URL, State: "fetching"})
		}
	}
	return m
}

// add takes files or an address, whichever was sent.
func (s welcomePages) add(c *fiber.Ctx, v page.Visit) error {
	typed, files, err := page.ReadUploads(c, "files", "url")
	if err = ofBody(err, "files", tooLarge); err != nil {
		return s.showFileError(c, v, err)
	}
	if strings.TrimSpace(typed["url"]) != "" || len(files) == 0 {
		address, err := typedAddress(typed["url"])
		if err == nil {
			_, err = s.Knowledge.Sources.Add(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, knowledge.NewSource{
				URL: address, Kind: knowledge.Page, Schedule: knowledge.Never, Rules: knowledge.DefaultRules(),
			})
		}
		if err != nil {
			return page.Form{"url": typed["url"]}.Again(c, err, func(status int, f ui.Form) error {
				return s.show(c, v, status, page.Form{"files": ""}.View(), f)
			})
		}
		return page.SeeOther(c, shell.WelcomeURL(v.Chatbot.ID))
	}
	if err := addEach(c, s.Base, v, files); err != nil {
		return s.showFileError(c, v, err)
	}
	return page.SeeOther(c, shell.WelcomeURL(v.Chatbot.ID))
}

// showFileError shows the page again with the error beside the file input.
func (s welcomePages) showFileError(c *fiber.Ctx, v page.Visit, err error) error {
	return page.Form{"files": ""}.Again(c, err, func(status int, f ui.Form) error {
		return s.show(c, v, status, f, page.Form{"url": ""}.View())
	})
}
