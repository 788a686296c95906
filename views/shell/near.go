package shell

// mostNear is how many chatbots the switcher lists, and the palette without a
// search. A workspace may have hundreds.
const mostNear = 20

// nearChatbots are the first of the workspace, and the present one.
func (l Layout) nearChatbots() []Chatbot {
	if len(l.Chatbots) <= mostNear {
		return l.Chatbots
	}
	near := l.Chatbots[:mostNear:mostNear]
	for _, bot := range near {
		if bot.ID == l.Chatbot.ID || l.Chatbot.ID == "" {
			return near
		}
	}
	return append([]Chatbot{l.Chatbot}, near[:mostNear-1]...)
}

// shortcut is a key and what it does.
type shortcut struct{ Keys, Does string }

// shortcuts are the keys that work on a page.
func (l Layout) shortcuts() []shortcut {
	all := []shortcut{{"⌘Enter", "Submit"}}
	if l.Workspace.ID != "" {
		all = append([]shortcut{{"⌘K", "Search everything"}, {"/", "Filter this list, or search"}}, all...)
	}
	goTo := func(links []link, settings string) {
		for _, to := range links {
			name := to.Text
			if name == "Settings" {
				name = settings
			}
			all = append(all, shortcut{"g " + to.Key, "Go to " + name})
		}
	}
	if l.Chatbot.ID != "" {
		goTo(l.chatbotLinks(), "the chatbot's settings")
	}
	if l.Workspace.ID != "" {
		goTo(l.workspaceLinks(), "the workspace's settings")
	}
	return append(all, shortcut{"?", "Show these keys"})
}
