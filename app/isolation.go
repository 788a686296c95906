package app

import (
	"context"
	"crypto/rand"
	"strings"

	"parley/app/isolating"
	"parley/core/answer/extractive"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/isolation"
	isolationstore "parley/store/isolation"
	"parley/store/servers"
)

// IsolationChecker returns what checks that an installation keeps workspaces apart, by means
// of the server at an address. It tells of each step.
func (p *Program) IsolationChecker(ctx context.Context, address string, progress func(step string)) (*isolation.Checker, error) {
	check := announcement{servers.NewChores(p.Store), rand.Text(), p.now}
	server, err := isolating.NewServer(address, check.secret, progress)
	if err != nil {
		return nil, err
	}
	plans, err := p.Tenants.Plans.All(ctx)
	if err != nil {
		return nil, err
	}
	p.Searcher.LookUpVersion(ctx)
	ports := isolation.Ports{
		Store: isolationstore.NewThrowAways(p.Store), System: accesses.isolation, Server: server, Numbers: p.IDs, Progress: progress,
		Index: isolating.Index{Index: p.Index, Searcher: p.Searcher, Indexer: p.Knowledge.Indexer, Documents: p.KnowledgeStores.Documents},
		Recorded: func(ctx context.Context, workspaceIDs []string) error {
			return audit.Record(ctx, p.Store, "", p.now(), audit.Entry{
				Action: audit.IsolationChecked, Object: audit.Object{Kind: "installation"}, Detail: "With the throw-away workspaces " + strings.Join(workspaceIDs, " and ") + ".",
			})
		},
		Announced: check.begin,
	}
	off := "SQLite has no such thing, so only the queries keep workspaces apart"
	if !p.Store.IsSQLite() {
		off = "ROW_LEVEL_SECURITY=optional allows that, so only the queries keep workspaces apart"
	}
	return isolation.New(ports, isolation.Settings{
		WallOff: off,
		Model:   extractive.New().Name(), Plan: plans[len(plans)-1].Name,
		Mint: func(kind chatbot.TokenKind) (string, string, string) { return chatbot.MintThrowAway(rand.Reader, kind) },
	}, p.now, rand.Reader), nil
}
