package sitemap

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// readText reads a sitemap with one URL on each line. A text whose first line is
// not a URL is not a sitemap; other lines that are not URLs are skipped.
func readText(body io.Reader) (File, error) {
	var file File
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 2*maxAddress)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case isWeb(line):
			if len(file.Pages) == MaxAddresses {
				return file, ErrTooLarge
			}
			file.Pages = append(file.Pages, line)
		case line != "" && len(file.Pages) == 0:
			return File{}, ErrNone
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return file, ErrNone
	}
	return file, lines.Err()
}

func isWeb(line string) bool {
	scheme, _, _ := strings.Cut(line, "://")
	return len(line) <= maxAddress && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
