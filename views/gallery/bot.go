package gallery

import (
	"maps"

	"github.com/a-h/templ"

	"parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
)

// botPages returns the pages of a chatbot.
func botPages() map[string]templ.Component {
	documents := []bot.Document{
		{ID: "doc_1", Title: "Returns", Kind: "markdown", State: "ready", Unread: "3 charts and 1 form field were not read.", Passages: "4", CreatedAt: day},
		{ID: "doc_2", Title: hostile, Kind: "pdf", State: "failed", Reason: hostile, Passages: "0", MayRetry: true, CreatedAt: day},
		{ID: "doc_3", Title: "Shipping", Kind: "html", URL: hostile, State: "indexing", Progress: "120 of 800 passages", Before: true, MayCancel: true, Passages: "800", CreatedAt: day},
		{ID: "doc_4", Title: "Old prices", Kind: "text", State: "removing", Passages: "1", CreatedAt: day},
		{ID: "doc_5", Title: "News", Kind: "html", State: "pending", Reason: "The server did not answer.", NextAt: &day, MayRetry: true, MayCancel: true, Passages: "0", CreatedAt: day},
	}
	sources := []bot.Source{
		{ID: "src_1", URL: "https://www.example.com/", Kind: "site", Schedule: "daily", State: "ready", Pages: "1,200", Failed: "3 pages failed", SyncedAt: &day, NextAt: &day},
		{ID: "src_2", URL: "https://www.example.com/" + hostile, Kind: "page", Schedule: "never", State: "failed", Reason: hostile, Pages: "1"},
	}
	add := bot.Add{Way: bot.WayFiles, Address: ui.Form{Values: map[string]string{"url": "", "max_depth": "3", "max_pages": "200"}}}
	tabs := bot.KnowledgeTabs{Documents: "205", Addresses: "2"}
	none := bot.Knowledge{Tabs: bot.KnowledgeTabs{Documents: "0", Addresses: "0"}, MayEdit: true, Add: add}
	known := bot.Knowledge{
		Tabs: tabs, Documents: documents, Working: 3, Unencoded: "Ready to use. Search quality keeps improving for a while. " + hostile, Any: true, MayEdit: true, Add: add, Search: hostile, State: "failed", Kind: "pdf",
		States: []ui.Option{{Text: "All states (205)"}, {Value: "failed", Text: "Failed (5)"}},
		Pager:  ui.Pager{Text: "5 of 205 documents", Previous: "/chatbots/cb_1/knowledge", First: true, Next: "/chatbots/cb_1/knowledge?after=x"},
	}
	lookedUp := none
	lookedUp.Reading = 1
	reading := known
	reading.MayEdit, reading.Source = false, sources[1]
	nothing := known
	nothing.Documents, nothing.Pager = nil, ui.Pager{}
	addresses := bot.Addresses{Tabs: tabs, Sources: sources, MayEdit: true, Add: add}
	badAddress, badFile := add, add
	badAddress.Way = bot.WayWebsite
	badAddress.Address = refused("url", "This address is private.", map[string]string{"url": hostile, "reach": "site", "include": "/docs/", "max_depth": "3"})
	badFile.Files = refused("files", hostile+": The file is empty.", map[string]string{"files": ""})
	text := bot.DocumentDetails{Document: documents[1], Tab: bot.TabText, Text: hostile, Parts: ui.Pager{Text: "Part 1 of 2", Next: "/chatbots/cb_1/knowledge/doc_2?part=2"}, MayEdit: true}
	passages := bot.DocumentDetails{Document: documents[0], Tab: bot.TabPassages, MayEdit: true, Found: []bot.DocumentPassage{
		{Number: "1", Tokens: "210", Path: "Returns › " + hostile, Place: "Page 3", Text: hostile}, {Number: "2", Tokens: "12", Text: "Send it back within 30 days.", Encoded: true},
	}}
	answers := bot.DocumentDetails{Document: documents[0], Tab: bot.TabAnswers, Among: "1,000", Answers: []bot.DocumentAnswer{
		{Question: hostile, Text: hostile, Cited: true, URL: "/chatbots/cb_1/conversations/4", At: day}, {Question: "And?", Text: "No.", URL: "/chatbots/cb_1/conversations/5", At: day},
	}}
	versions := bot.DocumentDetails{Document: documents[2], Tab: bot.TabVersions, Facts: []ui.Fact{{Name: "Live version", Value: "2"}, {Name: "Latest version", Value: "3"}}}
	receipts := bot.Removed{Receipts: []bot.Receipt{
		{ID: "rm_1", Title: hostile, URL: "https://www.example.com/x", Passages: "12", Answers: "1,022", RequestedAt: day, ConfirmedAt: &day, Messages: []bot.Link{{Text: "4", URL: "#"}, {Text: "8", URL: "#"}}, More: "1,020"},
		{ID: "rm_2", Title: "Prices", Passages: "1", Answers: "0", RequestedAt: day},
	}, Tabs: tabs}
	evaluated := bot.Evaluate{
		Form: ui.Form{Values: map[string]string{"questions": hostile}}, Measured: 1, MRR: "0.50",
		Shares: []bot.Share{{Depth: "1", Percent: "0%"}, {Depth: "3", Percent: "100%"}},
		Results: []bot.Result{
			{Question: hostile, Expected: "Returns", Rank: "2", Passages: []bot.Hit{
				{Title: hostile, Path: "A › B", Place: "Page 3", Text: hostile, Score: "2.10"}, {Title: "Returns", Text: "Send it back.", Score: "1.00", Expected: true},
			}},
			{Question: "And?", Expected: "Returns"},
		},
	}
	suspended := ofChatbot(shell.SettingsSection, "Settings")
	sell := bot.Upgrade{From: "Basic", Plan: "standard", Title: "Standard", Price: "79.00 USD a month", Change: shell.PlanChangeURL("ws_1", "standard", "/chatbots/cb_1/tokens")}
	tell := bot.Upgrade{From: "Basic", Plan: "standard", Title: "Standard", Why: "An owner of the workspace can change the plan."}
	suspended.Suspended, suspended.LooksOnly, suspended.Chatbot.OverLimit = true, true, true
	settings := map[string]string{
		"name": hostile, "instructions": "Be brief.\n</textarea>", "no_answer": "", "image_hosts": "img.example.com", "passage_aim": "200", "answer_without_knowledge": "on",
		"provider_id": "mp_1", "model": hostile, "fallback_provider_id": "own", "fallback_model": "gpt-4o-mini", "temperature": "0.7", "max_answer_tokens": "400",
		"grounding": "strict", "cache_answers": "on", "rerank": "auto",
	}
	settings["welcome"], settings["suggested_questions"] = hostile, hostile+"\nWhen do you open?"
	proposal := bot.Proposal{Welcome: "Ask " + hostile + " a question, for example about opening hours or returns.", Questions: []string{hostile, "When are you open?", "How do returns work?"}}
	by := bot.Answering{Providers: []ui.Option{{Value: "mp_1", Text: hostile}, {Value: "mp_2", Text: "Ours"}}, Own: []string{"gpt-4o-mini", "extractive"}}
	samples := bot.Samples("https://parley.example.com/api/v1", `"`+hostile+`"`, `"markdown"`)
	tried := bot.Playground{
		Documents: 3, Ready: 2, MayTry: true, MayAdd: true, MayDraft: true, Draft: ui.Form{Values: settings}, Answering: by, MaxChars: 16_000, Code: samples, HasAPI: true,
	}
	misdrafted := tried
	misdrafted.Draft, misdrafted.Refused = refused("model", "Name the provider's model, such as gpt-4o-mini.", settings), true
	misled := maps.Clone(settings)
	misled["grounding"], misled["provider_id"] = "", "mp_9"

	steps := []bot.Step{
		{Title: "Add knowledge", Text: "Drop files.", Button: "Add knowledge", Icon: "book-open", URL: "/chatbots/cb_1/welcome", Done: true},
		{Title: "Ask it something", Text: "Try it in the playground.", Button: "Open the playground", Icon: "message-circle", URL: "/chatbots/cb_1/playground"},
		{Title: "Deploy it", Text: "Connect your program.", Button: "Deploy", Icon: "rocket", URL: "/chatbots/cb_1/deploy"},
	}
	later := append(steps[:2:2], bot.Step{Title: "Deploy it", Text: "Optional: API access starts with Standard.", Button: "See API access", Icon: "rocket", URL: "/chatbots/cb_1/deploy", Later: true})
	offered := bot.Overview{Steps: []bot.Step{steps[0], {Title: "Ask it something", Done: true}, later[2]}, Offer: &bot.Offer{Title: "Standard", URL: "/chatbots/cb_1/deploy"}}
	summed := bot.Overview{
		Improve: shell.ImproveURL("cb_1"), Open: "See all 1,204 open questions in Improve", MayEdit: true,
		Week: &bot.Week{
			About: "Today included, compared with the 7 days before. Days begin at midnight UTC; the playground is left out.", Any: true, Analytics: "/chatbots/cb_1/analytics?days=7",
			Tiles: []ui.Stat{{Name: "Conversations", Value: "1,234", Change: "+12%", Tone: ui.Good}, {Name: "Answered", Value: "81%", Change: "−3 points", Tone: ui.Bad}, {Name: "Satisfaction", Value: "–"}, {Name: "Time to first token, median", Value: "640 ms", Change: "±0%"}},
			Chart: ui.Chart{ID: "questions", Title: "Questions a day", Stacked: true, Labels: []string{"Nov 16", "Nov 17", "Nov 18"}, Series: []ui.Series{{Name: "Answered", Values: []float64{ui.NoValue(), 120, 90}}, {Name: "Not answered", Values: []float64{ui.NoValue(), 12, 30}}}},
		},
		Gaps: []bot.GapGroup{
			{ID: "12", Question: hostile, Count: 5, At: day, Answer: "/chatbots/cb_1/improve/answer?message=12", Conversation: "/chatbots/cb_1/conversations/1"},
			{ID: "13", Question: "Do you sell rolls?", Count: 1, At: day, Answer: "/chatbots/cb_1/improve/answer?message=13", Conversation: "/chatbots/cb_1/conversations/2"},
		},
	}
	silent := bot.Overview{Week: &bot.Week{About: summed.Week.About, Analytics: summed.Week.Analytics}}
	arriving := bot.Welcome{Working: 1, MayEdit: true, Documents: []bot.WelcomeDocument{{Title: hostile, State: "extracting"}, {Title: "Prices", State: "ready"}}}
	unread := bot.Welcome{MayEdit: true, Documents: []bot.WelcomeDocument{{Title: "Prices", State: "failed", Reason: hostile}}, Files: refused("files", "Prices: the file is empty.", map[string]string{"files": ""})}
	return map[string]templ.Component{
		"overview":           bot.OverviewPage(ofChatbot(shell.OverviewSection, "Overview"), bot.Overview{Steps: steps}),
		"overview-later":     bot.OverviewPage(ofChatbot(shell.OverviewSection, "Overview"), bot.Overview{Steps: later}),
		"overview-offer":     bot.OverviewPage(ofChatbot(shell.OverviewSection, "Overview"), offered),
		"overview-week":      bot.OverviewPage(ofChatbot(shell.OverviewSection, "Overview"), summed),
		"overview-silent":    bot.OverviewPage(ofChatbot(shell.OverviewSection, "Overview"), silent),
		"welcome":            bot.WelcomePage(ofChatbot(shell.OverviewSection, "Welcome"), bot.Welcome{MayEdit: true}),
		"welcome-reading":    bot.WelcomePage(ofChatbot(shell.OverviewSection, "Welcome"), arriving),
		"welcome-ready":      bot.WelcomePage(ofChatbot(shell.OverviewSection, "Welcome"), bot.Welcome{Ready: 1, Documents: arriving.Documents[1:]}),
		"welcome-unread":     bot.WelcomePage(ofChatbot(shell.OverviewSection, "Welcome"), unread),
		"welcome-looks":      bot.WelcomePage(ofChatbot(shell.OverviewSection, "Welcome"), bot.Welcome{}),
		"settings":           bot.SettingsPage(ofChatbot(shell.SettingsSection, "Settings"), bot.Settings{Form: ui.Form{Values: settings}, MayChange: true, MayDelete: true, Answering: by, Proposal: proposal}),
		"settings-provider":  bot.SettingsPage(ofChatbot(shell.SettingsSection, "Settings"), bot.Settings{Form: refused("provider_id", "This provider is not there any more.", misled), MayChange: true, Answering: by}),
		"settings-grounding": bot.SettingsPage(ofChatbot(shell.SettingsSection, "Settings"), bot.Settings{Form: refused("grounding", "Choose open or strict.", misled), MayChange: true}),
		"settings-suspended": bot.SettingsPage(suspended, bot.Settings{Form: ui.Form{Values: settings}, MayDelete: true}),
		"settings-read":      bot.SettingsPage(ofChatbot(shell.SettingsSection, "Settings"), bot.Settings{Form: ui.Form{Values: settings}, Proposal: proposal}),
		"settings-proposed":  bot.SettingsPage(ofChatbot(shell.SettingsSection, "Settings"), bot.Settings{Form: ui.Form{Values: settings}, MayChange: true, Proposal: proposal, Proposed: true}),
		"settings-questions": bot.SettingsPage(ofChatbot(shell.SettingsSection, "Settings"), bot.Settings{Form: refused("suggested_questions", "Write at most 6 questions, one per line. These are 7.", settings), MayChange: true, Proposal: bot.Proposal{Welcome: "Ask Acme a question."}}),
		"knowledge":          bot.KnowledgePage(ofChatbot(shell.KnowledgeSection, "Knowledge"), known),
		"knowledge-nothing":  bot.KnowledgePage(ofChatbot(shell.KnowledgeSection, "Knowledge"), nothing),
		"addresses":          bot.AddressesPage(ofChatbot(shell.KnowledgeSection, "Web addresses"), addresses),
		"addresses-none":     bot.AddressesPage(ofChatbot(shell.KnowledgeSection, "Web addresses"), bot.Addresses{Tabs: tabs, MayEdit: true, Add: add}),
		"document":           bot.DocumentPage(ofChatbot(shell.KnowledgeSection, hostile), text),
		"document-passages":  bot.DocumentPage(ofChatbot(shell.KnowledgeSection, "Returns"), passages),
		"document-answers":   bot.DocumentPage(ofChatbot(shell.KnowledgeSection, "Returns"), answers),
		"document-versions":  bot.DocumentPage(ofChatbot(shell.KnowledgeSection, "Shipping"), versions),
		"knowledge-read":     bot.KnowledgePage(ofChatbot(shell.KnowledgeSection, "Knowledge"), reading),
		"knowledge-none":     bot.KnowledgePage(ofChatbot(shell.KnowledgeSection, "Knowledge"), none),
		"knowledge-looked":   bot.KnowledgePage(ofChatbot(shell.KnowledgeSection, "Knowledge"), lookedUp),
		"knowledge-address":  bot.AddKnowledgePage(ofChatbot(shell.KnowledgeSection, "Knowledge"), badAddress),
		"knowledge-file":     bot.AddKnowledgePage(ofChatbot(shell.KnowledgeSection, "Knowledge"), badFile),
		"removed":            bot.RemovedPage(ofChatbot(shell.KnowledgeSection, "Removed documents"), receipts),
		"removed-none":       bot.RemovedPage(ofChatbot(shell.KnowledgeSection, "Removed documents"), bot.Removed{}),
		"evaluate":           bot.EvaluatePage(ofChatbot(shell.EvaluateSection, "Evaluate"), evaluated),
		"evaluate-none":      bot.EvaluatePage(ofChatbot(shell.EvaluateSection, "Evaluate"), bot.Evaluate{}),
		"playground":         bot.PlaygroundPage(ofChatbot(shell.PlaygroundSection, "Playground"), tried),
		"playground-none":    bot.PlaygroundPage(ofChatbot(shell.PlaygroundSection, "Playground"), bot.Playground{MayTry: true, MayAdd: true, MaxChars: 4_000, Code: samples}),
		"playground-soon":    bot.PlaygroundPage(ofChatbot(shell.PlaygroundSection, "Playground"), bot.Playground{Documents: 1, MaxChars: 4_000, Code: samples}),
		"playground-refused": bot.PlaygroundPage(ofChatbot(shell.PlaygroundSection, "Playground"), misdrafted),
		"deploy":             bot.DeployPage(ofChatbot(shell.DeploySection, "Deploy"), bot.Deploy{Tokens: "2 active tokens", LastUsed: &day, MayCreate: true, APIURL: "https://parley.example.com/api/v1", Question: hostile, Code: samples}),
		"deploy-read":        bot.DeployPage(ofChatbot(shell.DeploySection, "Deploy"), bot.Deploy{Tokens: "No token yet.", APIURL: "https://parley.example.com/api/v1", Question: "When do you open?", Code: samples}),
		"deploy-upgrade":     bot.DeployPage(ofChatbot(shell.DeploySection, "Deploy"), bot.Deploy{Upgrade: &sell, APIURL: "https://parley.example.com/api/v1", Question: "When do you open?", Code: samples}),
		"tokens":             bot.TokensPage(ofChatbot(shell.TokensSection, "API tokens"), bot.Tokens{MayManage: true, MayCreate: true, APIURL: "https://parley.example.com/api/v1"}),
		"tokens-suspended":   bot.TokensPage(suspended, bot.Tokens{MayManage: true, APIURL: "https://parley.example.com/api/v1"}),
		"tokens-upgrade":     bot.TokensPage(ofChatbot(shell.TokensSection, "API tokens"), bot.Tokens{MayManage: true, MayCreate: true, Upgrade: &sell}),
		"tokens-no-upgrade":  bot.TokensPage(ofChatbot(shell.TokensSection, "API tokens"), bot.Tokens{Upgrade: &tell}),
		"tokens-read":        bot.TokensPage(ofChatbot(shell.TokensSection, "API tokens"), bot.Tokens{APIURL: "https://parley.example.com/api/v1"}),
		"settings-undelete":  bot.SettingsPage(ofChatbot(shell.SettingsSection, "Settings"), bot.Settings{Form: ui.Form{Values: settings}, Delete: refused("confirm_name", "That is not the name of the chatbot. Type the name exactly as it is shown.", map[string]string{"confirm_name": "Acme"}), MayChange: true, MayDelete: true}),
	}
}
