package bot

import (
	"regexp"
	"strings"

	"parley/core/fault"
	"parley/internal/separated"
)

// bareAddress matches an address whose beginning was left out, such as
// example.com/help and www.example.com:8443.
var bareAddress = regexp.MustCompile(`^[^\s/?#:@]+\.[^\s/?#:@]+(:[0-9]+)?([/?#]|$)`)

// typedAddress completes a web address the way browsers do: people seldom type
// https://.
func typedAddress(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", fault.InField("url", "Enter an address, such as www.example.com/help.")
	}
	if bareAddress.MatchString(text) {
		return "https://" + text, nil
	}
	return text, nil
}

// typedPairs checks lines of questions and answers, and puts the names of the
// columns above them. What names its columns, or is JSON, is read as a file is.
func typedPairs(text string) (string, error) {
	text = strings.TrimSpace(text)
	first, _, _ := strings.Cut(text, "\n")
	header := strings.ToLower(first)
	if text == "" || strings.HasPrefix(first, "[") || strings.HasPrefix(first, "{") ||
		strings.Contains(header, "question") && strings.Contains(header, "answer") {
		return text, nil
	}
	// Two columns of a spreadsheet are pasted with tabs.
	between, name := ",", "comma"
	if strings.Contains(first, "\t") {
		between, name = "\t", "tab"
	}
	if err := checkPairs(text, between, name); err != nil {
		return "", err
	}
	return "question" + between + "answer\n" + text, nil
}

func checkPairs(text, between, name string) error {
	rows := separated.New(text, rune(between[0]), 3)
	for {
		cells, line, ok := rows.Next()
		switch {
		case !ok:
			return nil
		case rows.Unclosed():
			return fault.InField("pairs", "Parley cannot read these lines. Check the quotes in them.")
		case len(cells) > 2:
			// The rest of the answer would be lost.
			return fault.InField("pairs", "Line %d has more than one %s. Put quotes around text that contains one.", line, name)
		case len(cells) < 2 || strings.TrimSpace(cells[0]) == "" || strings.TrimSpace(cells[1]) == "":
			return fault.InField("pairs", "Line %d is not a question and its answer with a %s between them.", line, name)
		}
	}
}
