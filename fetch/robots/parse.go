package robots

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"

	"parley/fetch/target"
)

// Parse reads the part of a file that applies to the robot with a product token,
// such as "Parley". It skips invalid lines, as section 2.2.4 requires, so every
// text is a valid file.
func Parse(file []byte, token string) *Rules {
	file = file[:min(len(file), MaxBytes)]
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	p := parser{token: token, all: &Rules{}, own: &Rules{}}
	for line := range strings.FieldsFuncSeq(string(file), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, ":")
		if ok {
			p.line(strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value))
		}
	}
	return p.rules()
}

// parser sorts lines into the rules for every robot and those for this one.
type parser struct {
	token    string
	all, own *Rules
	named    bool // there is a group for this robot
	sitemaps []string

	inAll, inOwn bool // whom the current group is for
	begun        bool // the current group has a rule
}

// rules returns all groups of this robot together or, if there are none, those for
// every robot (section 2.2.1).
func (p *parser) rules() *Rules {
	rules := p.all
	if p.named {
		rules = p.own
	}
	rules.Sitemaps = p.sitemaps
	return rules
}

func (p *parser) line(key, value string) {
	switch key {
	case "user-agent", "useragent":
		p.agent(value)
	case "allow":
		p.add(value, true)
	case "disallow":
		p.add(value, false)
	case "crawl-delay", "crawldelay":
		p.delay(value)
	case "sitemap":
		if value != "" && len(p.sitemaps) < maxSitemaps {
			p.sitemaps = append(p.sitemaps, value)
		}
	}
}

// agent starts a group or, before its first rule, adds a robot to it.
func (p *parser) agent(value string) {
	if p.begun {
		p.inAll, p.inOwn, p.begun = false, false, false
	}
	switch name := Token(value); {
	case strings.HasPrefix(value, "*"):
		p.inAll = true
	case name != "" && strings.EqualFold(name, p.token):
		p.inOwn, p.named = true, true
	}
}

// Token returns the product token at the start of a User-Agent: letters,
// underscores and hyphens (section 2.2.1).
func Token(agent string) string {
	end := strings.IndexFunc(agent, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' && r != '-'
	})
	if end < 0 {
		return agent
	}
	return agent[:end]
}

// add adds a rule to the current group. A rule without a path has no effect, but
// counts as a rule of its group. A path without its slash gets one.
func (p *parser) add(path string, allow bool) {
	p.begun = true
	if path == "" {
		return
	}
	if path[0] != '/' && path[0] != '*' {
		path = "/" + path
	}
	if !p.inAll && !p.inOwn {
		return
	}
	rule := rule{pattern: target.Compile(path), allow: allow}
	for _, rules := range p.groups() {
		rules.rules = append(rules.rules, rule)
	}
}

// delay does not end the list of robots that a group is for: it is not a rule of
// the RFC, and must not change what the group's rules mean.
func (p *parser) delay(value string) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(seconds) || seconds < 0 {
		return
	}
	const day = 24 * 60 * 60
	for _, rules := range p.groups() {
		rules.Delay = time.Duration(min(seconds, day) * float64(time.Second))
	}
}

func (p *parser) groups() []*Rules {
	var groups []*Rules
	if p.inAll {
		groups = append(groups, p.all)
	}
	if p.inOwn {
		groups = append(groups, p.own)
	}
	return groups
}
