package pages

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/bench/load"
)

// Cell is one page on one database.
type Cell struct {
	System string `json:"system"`
	Page   string `json:"page"`
	// Yardstick says that the page reads nothing of the workspace.
	Yardstick bool `json:"yardstick,omitempty"`
	// Median and Slow are the times that 50 and 95 of 100 requests did not exceed.
	Median time.Duration `json:"median_ns"`
	Slow   time.Duration `json:"p95_ns"`
	// Bytes is the page's HTML, compressed as it is sent.
	Bytes int `json:"bytes"`
	// Requests and FirstBytes are all that a browser that has nothing yet asks for, and
	// gets, to show the page.
	Requests   int `json:"first_requests"`
	FirstBytes int `json:"first_bytes"`
}

// page is a page that is measured.
type page struct {
	name, path string
	// link finds the address in the page at path, if that is not the address.
	link string
	// calls are what the page's script asks for when it is shown.
	calls     []string
	yardstick bool
}

// Health is the yardstick that does nothing: it tells what a request costs.
const Health = "/healthz"

// pagesOf are the pages of a workspace, in the order of the sidebar.
func pagesOf(w Workspace) []page {
	workspace, chatbot, api := "/workspaces/"+w.ID, "/chatbots/"+w.Chatbot, "/api/chatbots/"+w.Chatbot
	return []page{
		{name: "`" + Health + "`, which reads nothing", path: Health, yardstick: true},
		{name: "Add a workspace, a form", path: "/workspaces/new", yardstick: true},
		{name: "Chatbots", path: workspace},
		{name: "Overview", path: chatbot},
		{name: "Playground", path: chatbot + "/playground", calls: []string{api + "/suggestions"}},
		{name: "Knowledge", path: chatbot + "/knowledge"},
		{name: "Knowledge, searched", path: chatbot + "/knowledge?q=note+77"},
		{name: "Knowledge, a document", path: chatbot + "/knowledge", link: chatbot + `/knowledge/doc_\w+`},
		{name: "Conversations", path: chatbot + "/conversations"},
		{name: "Conversations, searched", path: chatbot + "/conversations?q=order+77"},
		{name: "Conversations, one of them", path: chatbot + "/conversations", link: chatbot + `/conversations/\d+`},
		{name: "Improve", path: chatbot + "/improve"},
		{name: "Analytics, 30 days", path: chatbot + "/analytics"},
		{name: "Analytics, 12 months", path: chatbot + "/analytics?days=365"},
		{name: "Deploy", path: chatbot + "/deploy"},
		{name: "API tokens", path: chatbot + "/tokens", calls: []string{api + "/api-tokens"}},
		{name: "Settings of the chatbot", path: chatbot + "/settings"},
		{name: "Members", path: workspace + "/members"},
		{name: "Models", path: workspace + "/models"},
		{name: "Usage & billing", path: workspace + "/billing"},
		{name: "Audit log", path: workspace + "/audit"},
		{name: "Settings of the workspace", path: workspace + "/settings"},
		{name: "Account", path: "/account"},
	}
}

// System is a running program over a workspace that [Fill] filled.
type System struct {
	Name      string
	Address   string
	Workspace Workspace

	browser *browser
	pages   []page
}

// Measure asks every system for every page, alternately, so that what slows the
// machine for a while slows all alike.
func Measure(ctx context.Context, systems []*System, requests int) ([]Cell, error) {
	for _, s := range systems {
		if err := s.open(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	var cells []Cell
	for i := range pagesOf(Workspace{}) {
		measured := make([]Cell, len(systems))
		times := make([][]time.Duration, len(systems))
		for j, s := range systems {
			var err error
			if measured[j], err = s.look(ctx, s.pages[i]); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.Name, s.pages[i].name, err)
			}
		}
		for range requests {
			for j, s := range systems {
				_, took, err := s.browser.get(ctx, s.pages[i].path, true)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", s.Name, err)
				}
				times[j] = append(times[j], took)
			}
		}
		for j := range systems {
			slices.Sort(times[j])
			measured[j].Median, measured[j].Slow = load.Quantile(times[j], 0.5), load.Quantile(times[j], 0.95)
		}
		cells = append(cells, measured...)
	}
	return cells, nil
}

// open signs in, and finds the addresses of pages that only links tell.
func (s *System) open(ctx context.Context) (err error) {
	if s.browser, err = newBrowser(s.Address); err != nil {
		return err
	}
	if err = s.browser.signIn(ctx, s.Workspace); err != nil {
		return err
	}
	s.pages = pagesOf(s.Workspace)
	for i := range s.pages {
		p := &s.pages[i]
		if p.link == "" {
			continue
		}
		list, _, err := s.browser.get(ctx, p.path, false)
		if err != nil {
			return err
		}
		found := regexp.MustCompile(`href="(` + p.link + `)["?#]`).FindSubmatch(list)
		if found == nil {
			return fmt.Errorf("%s has no link to %s", p.path, strings.ToLower(p.name))
		}
		p.path = string(found[1])
	}
	return nil
}

// warmUp is how often a page is asked for before it is measured.
const warmUp = 3

// look asks for a page for the first times, and weighs it.
func (s *System) look(ctx context.Context, p page) (Cell, error) {
	cell := Cell{System: s.Name, Page: p.name, Yardstick: p.yardstick}
	for range warmUp {
		body, _, err := s.browser.get(ctx, p.path, true)
		if err != nil {
			return cell, err
		}
		cell.Bytes = len(body)
	}
	if p.path == Health {
		return cell, nil
	}
	var err error
	cell.Requests, cell.FirstBytes, err = s.browser.visit(ctx, p.path, p.calls)
	return cell, err
}
