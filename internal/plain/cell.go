package plain

import "strings"

// Cell keeps a spreadsheet from taking a text for a formula: what begins as one gets an
// apostrophe before it (OWASP, CSV Injection).
func Cell(text string) string {
	if text == "" {
		return text
	}
	if strings.ContainsRune("=+-@\t\r\n|%", rune(text[0])) {
		return "'" + text
	}
	for _, wide := range []string{"＝", "＋", "－", "＠"} {
		if strings.HasPrefix(text, wide) {
			return "'" + text
		}
	}
	return text
}
