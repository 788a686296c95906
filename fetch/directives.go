package fetch

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// directives are what a response tells crawlers in its X-Robots-Tag headers.
type directives struct{ noIndex, noFollow bool }

// valued lists the directives that have a value behind a colon, as the name of a crawler
// has its directives.
var valued = []string{"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}

// directivesFor reads the headers for the crawler of a name. A header's directives are for
// all crawlers until it names one.
func directivesFor(token string, header http.Header, now time.Time) directives {
	var d directives
	for _, value := range header.Values("X-Robots-Tag") {
		ours := true
		parts := strings.Split(value, ",")
		for i, part := range parts {
			name, rest, colon := strings.Cut(strings.TrimSpace(part), ":")
			name = strings.ToLower(strings.TrimSpace(name))
			if colon && !slices.Contains(valued, name) {
				ours = name == "*" || strings.EqualFold(name, token)
				name = strings.ToLower(strings.TrimSpace(rest))
			}
			if !ours {
				continue
			}
			d.noIndex = d.noIndex || name == "noindex" || name == "none" ||
				name == "unavailable_after" && passed(rest, parts[i+1:], now)
			d.noFollow = d.noFollow || name == "nofollow" || name == "none"
		}
	}
	return d
}

// passed reports whether a date is over, which may go on behind a comma.
func passed(text string, after []string, now time.Time) bool {
	texts := []string{text}
	if len(after) > 0 {
		texts = append(texts, text+","+after[0])
	}
	for _, text := range texts {
		for _, layout := range []string{time.RFC1123, time.RFC850, "02 Jan 2006 15:04:05 MST", "02-Jan-2006 15:04:05 MST", time.RFC3339, time.DateOnly} {
			if date, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
				return date.Before(now)
			}
		}
	}
	return false
}
