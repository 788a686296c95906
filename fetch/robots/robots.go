// Package robots reads robots.txt: the Robots Exclusion Protocol of RFC 9309, with
// the Crawl-delay that many sites add.
//
// It fetches nothing, and does not decide what an unavailable file means: package
// fetch does.
package robots

import (
	"time"

	"parley/fetch/target"
)

// MaxBytes is how much of a file is read (RFC 9309, section 2.5, requires at least
// 500 KiB). The rest is ignored.
const MaxBytes = 500 << 10

// maxSitemaps is how many sitemaps of a file are kept.
const maxSitemaps = 50

// Rules are the rules of a file for one robot. The zero value allows everything.
type Rules struct {
	rules []rule
	// Delay is the pause that the site requests between two requests. Zero
	// means that it requests none.
	Delay time.Duration
	// Sitemaps are the URLs of the file's sitemaps, as written.
	Sitemaps []string
}

type rule struct {
	pattern target.Pattern
	allow   bool
}

// Allows reports whether the robot may read a path with its query, such as
// "/search?q=a". The longest matching rule decides; of two equal ones, the one that
// allows (section 2.2.2). The file itself may always be read.
func (r *Rules) Allows(pathAndQuery string) bool {
	if len(r.rules) == 0 || pathAndQuery == "/robots.txt" {
		return true
	}
	subject := target.For(pathAndQuery)
	longest, allowed := -1, true
	for _, rule := range r.rules {
		length := rule.pattern.Len()
		if length < longest || length == longest && !rule.allow {
			continue
		}
		if rule.pattern.Matches(subject) {
			longest, allowed = length, rule.allow
		}
	}
	return allowed
}
