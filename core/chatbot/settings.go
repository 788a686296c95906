package chatbot

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/core/fault"
	"parley/internal/plain"
)

// The sizes of passages, in tokens.
const (
	DefaultPassageAim   = 300
	DefaultPassageLimit = 500
	MinPassageAim       = 50
	MaxPassageAim       = 1_000
	MaxPassageLimit     = 2_000
)

const (
	maxName         = 100
	maxInstructions = 8_000
	maxNoAnswer     = 1_000
	maxImageHosts   = 20
)

var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// check returns settings as they are stored, or refuses them.
func (s *Chatbots) check(settings Settings) (Settings, error) {
	var err error
	if settings.Name, err = checkName(settings.Name); err != nil {
		return settings, err
	}
	if settings.Name == "" {
		return settings, fault.InField("name", "Enter a name.")
	}
	if settings.Instructions, err = checkText("instructions", settings.Instructions, maxInstructions); err != nil {
		return settings, err
	}
	if settings.NoAnswer, err = checkText("no_answer", settings.NoAnswer, maxNoAnswer); err != nil {
		return settings, err
	}
	if len(settings.ImageHosts) > maxImageHosts {
		return settings, fault.InField("image_hosts", "Give at most %d hosts.", maxImageHosts)
	}
	hosts := make([]string, 0, len(settings.ImageHosts))
	for _, host := range settings.ImageHosts {
		host = strings.ToLower(strings.TrimSpace(host))
		if !hostName.MatchString(host) || len(host) > 253 {
			return settings, fault.InField("image_hosts", "%q is not a host name such as images.example.com.", host)
		}
		hosts = append(hosts, host)
	}
	settings.ImageHosts = hosts
	if settings.Greeting, err = settings.Greeting.check(); err != nil {
		return settings, err
	}
	if err := checkSizes(settings.PassageAim, settings.PassageLimit); err != nil {
		return settings, err
	}
	settings.Answering, err = s.checkAnswering(settings.Answering)
	return settings, err
}

// checkSizes refuses sizes of passages that no splitter should be given.
func checkSizes(aim, limit int) error {
	if aim != 0 && (aim < MinPassageAim || aim > MaxPassageAim) {
		return fault.InField("passage_aim", "Give a number of tokens from %d to %d, or none for the default.", MinPassageAim, MaxPassageAim)
	}
	least := max(aim, MinPassageAim)
	if limit != 0 && (limit < least || limit > MaxPassageLimit) {
		return fault.InField("passage_limit", "Give a number of tokens from %d to %d, or none for the default.", least, MaxPassageLimit)
	}
	return nil
}

// checkName returns a name as it is shown everywhere, see [plain.Title], and refuses
// one that cannot be stored or is too long.
func checkName(name string) (string, error) {
	if plain.Storable(name) { // else it is refused below
		name = plain.Title(name)
	}
	return checkText("name", name, maxName)
}

// checkText trims a text and refuses one that cannot be stored or is too long.
func checkText(field, text string, limit int) (string, error) {
	text = strings.TrimSpace(text)
	if !plain.Storable(text) {
		return "", fault.InField(field, "This has characters that cannot be stored. Use plain text.")
	}
	if n := utf8.RuneCountInString(text); n > limit {
		return "", fault.InField(field, "This is %d characters long; at most %d are allowed.", n, limit)
	}
	return text, nil
}
