package isolation

import "fmt"

// Crossing is what one workspace reached of the other.
type Crossing struct {
	// Route is the method and the route, or what else was used.
	Route      string
	Credential string
	// Object is what of the other workspace was asked for.
	Object string
	// Reached says what happened.
	Reached string
}

// NotTried is a route that was not called, and why.
type NotTried struct {
	Route  string
	Reason string
}

// Wall says what PostgreSQL did behind the queries.
type Wall struct {
	// Off says why there is none.
	Off    string
	Tables []Probe
}

// Report is what a check has tried and found.
type Report struct {
	Workspaces []string
	// Earlier are the throw-away workspaces that an earlier check had left behind.
	Earlier []string
	// Planted and Seen are how many canaries there were, and how many of them their own
	// workspace was shown: a canary that nobody sees proves nothing.
	Planted int
	Seen    int

	Routes   int
	NotTried []NotTried
	Requests map[string]int
	Objects  int

	// AtServer and AtIndex are how many searches for words of the other workspace went to the
	// server, and how many to the installation's own index; Hits how often the workspace's own
	// words were found in the same way.
	AtServer int
	AtIndex  int

	Wall      Wall
	Crossings []Crossing
	// Unproven are attempts that say nothing, because the server failed or the workspace could
	// not even do in its own what it was to try in the other.
	Unproven []string
	// Left is what the check could not take away.
	Left []string
}

// Total is how many requests were sent.
func (r *Report) Total() (n int) {
	for _, count := range r.Requests {
		n += count
	}
	return n
}

// OK reports whether all was tried, nothing crossed, and nothing is left.
func (r *Report) OK() bool {
	return len(r.Crossings) == 0 && len(r.Unproven) == 0 && len(r.Left) == 0
}

// mostNamed bounds how many crossings are named: a server that keeps nothing apart has
// thousands.
const mostNamed = 200

func (r *Report) cross(c Crossing) {
	for _, known := range r.Crossings {
		if known.Route == c.Route && known.Credential == c.Credential && known.Object == c.Object {
			return
		}
	}
	if len(r.Crossings) < mostNamed {
		r.Crossings = append(r.Crossings, c)
	}
}

func (r *Report) unproven(format string, args ...any) {
	if len(r.Unproven) < mostNamed {
		r.Unproven = append(r.Unproven, fmt.Sprintf(format, args...))
	}
}
