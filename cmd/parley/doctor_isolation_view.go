package main

import (
	"parley/api/wire"
	"parley/core/isolation"
)

// isolationView is a report as it is printed as JSON.
type isolationView struct {
	Workspaces     []string       `json:"workspaces"`
	Earlier        []string       `json:"removed_from_earlier_checks"`
	Canaries       int            `json:"canaries"`
	CanariesSeen   int            `json:"canaries_seen_by_their_own_workspace"`
	Objects        int            `json:"objects"`
	RoutesTried    int            `json:"routes_tried"`
	RoutesNotTried []notTriedView `json:"routes_not_tried"`
	Requests       map[string]int `json:"requests"`
	SearchesServer int            `json:"searches_at_the_server"`
	SearchesIndex  int            `json:"searches_in_the_index"`
	WallOff        string         `json:"row_level_security_off,omitzero"`
	Wall           []probeView    `json:"row_level_security"`
	Crossings      []crossingView `json:"crossings"`
	NotProven      []string       `json:"not_proven"`
	LeftBehind     []string       `json:"left_behind"`
}

type notTriedView struct {
	Route  string `json:"route"`
	Reason string `json:"reason"`
}

type probeView struct {
	Table   string `json:"table"`
	Rows    int64  `json:"rows"`
	Reached string `json:"reached"`
}

type crossingView struct {
	Route      string `json:"route"`
	Credential string `json:"credential"`
	Object     string `json:"object"`
	Reached    string `json:"reached"`
}

func isolationToView(r *isolation.Report) isolationView {
	some := func(texts []string) []string { return append([]string{}, texts...) } // not null
	return isolationView{
		Workspaces: some(r.Workspaces), Earlier: some(r.Earlier), Canaries: r.Planted, CanariesSeen: r.Seen, Objects: r.Objects,
		RoutesTried: r.Routes, RoutesNotTried: wire.MapSlice(r.NotTried, func(n isolation.NotTried) notTriedView { return notTriedView(n) }), Requests: r.Requests,
		SearchesServer: r.AtServer, SearchesIndex: r.AtIndex, WallOff: r.Wall.Off,
		Wall:      wire.MapSlice(r.Wall.Tables, func(p isolation.Probe) probeView { return probeView{p.Table, p.Rows, p.Crossed} }),
		Crossings: wire.MapSlice(r.Crossings, func(c isolation.Crossing) crossingView { return crossingView(c) }),
		NotProven: some(r.Unproven), LeftBehind: some(r.Left),
	}
}
