// Package useragent owns what people call a browser, by what it says of itself.
//
// It does not own decisions: what a browser says of itself proves nothing.
package useragent

import "strings"

// Names of browsers and systems by what their user agents contain. Those that
// claim to be others, too, come first.
var (
	browsers = [][2]string{
		{"Edg/", "Edge"},
		{"EdgA/", "Edge"},
		{"EdgiOS/", "Edge"},
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

// Name is what people call a browser, such as Firefox on Windows.
func Name(agent string) string {
	switch browser, system := find(browsers, agent), find(systems, agent); {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser != "":
		return browser
	case system != "":
		return "A browser on " + system
	}
	return "Unknown browser"
}

func find(names [][2]string, agent string) string {
	for _, name := range names {
		if strings.Contains(agent, name[0]) {
			return name[1]
		}
	}
	return ""
}
