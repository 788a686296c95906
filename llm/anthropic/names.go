package anthropic

import (
	"strconv"
	"strings"

	"parley/text/tokens"
)

// claudeContext suits every Claude since version 3: 200,000 of its own tokens,
// which are up to a third more than counted here. Newer models accept a million,
// but such a prompt would cost more than anyone expects.
const claudeContext = 150_000

// version is a Claude's version: 4.6 is {4, 6}.
type version struct{ major, minor int }

// newest stands for a Claude without a version in its name, such as an alias.
var newest = version{major: 1 << 10}

func (v version) after(other version) bool {
	return v.major > other.major || v.major == other.major && v.minor > other.minor
}

// claudeVersion reads the version in a name such as claude-haiku-4-5-20251001,
// claude-3-5-sonnet-latest or anthropic/claude-opus-4.7. It reports whether the
// name is a Claude's at all.
func claudeVersion(model string) (version, bool) {
	_, name, isClaude := strings.Cut(strings.ToLower(model), "claude")
	if !isClaude {
		return version{}, false
	}
	var numbers []int
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-.@:", r) }) {
		number, err := strconv.Atoi(part)
		isVersion := err == nil && number >= 0 && len(part) <= 2 // A longer one is a date.
		if isVersion {
			numbers = append(numbers, number)
		} else if len(numbers) > 0 {
			break
		}
	}
	switch len(numbers) {
	case 0:
		return newest, true
	case 1:
		return version{major: numbers[0]}, true
	default:
		return version{numbers[0], numbers[1]}, true
	}
}

// takesTemperature reports whether a request may set a temperature. Models after
// Claude Opus 4.6 refuse it (API reference, Messages, "temperature").
func takesTemperature(model string) bool {
	found, isClaude := claudeVersion(model)
	return !isClaude || !found.after(version{4, 6})
}

// thinksUnasked reports whether a model thinks before it answers even if the
// request does not ask for it. Models since Claude 5 do (Anthropic, "Thinking",
// on omitted fields).
func thinksUnasked(model string) bool {
	found, isClaude := claudeVersion(model)
	return isClaude && found.major >= 5
}

func contextOf(model string) int {
	if _, isClaude := claudeVersion(model); isClaude {
		return claudeContext
	}
	return tokens.Context(model)
}
