package gallery

import (
	"strings"

	"github.com/a-h/templ"

	"parley/views/auditlog"
	"parley/views/shell"
	"parley/views/ui"
	"parley/views/workspace"
)

// workspacePages returns the pages of a workspace.
func workspacePages() map[string]templ.Component {
	members := workspace.Members{
		Members: []workspace.Member{
			{ID: "usr_1", Email: "ada@example.com", Role: "owner", MayChange: false, OverLimit: false, JoinedAt: day},
			{ID: "usr_2", Email: "ben@example.com", Role: "member", MayChange: true, OverLimit: true, JoinedAt: day},
		},
		Invitations: []workspace.Invitation{{ID: "inv_1", Email: "cy@example.com", Role: "admin", InvitedBy: "ada@example.com", ExpiresAt: day}, {ID: "inv_2", Email: "di@example.com", Role: "member", InvitedBy: "", ExpiresAt: day}},
		MayManage:   true, Roles: []string{"member", "admin"},
	}
	invited, only := members, workspace.Members{Members: members.Members, Leave: workspace.Leave{OnlyOwner: true}}
	invited.Link = "https://parley.example.com/join#code"
	mailed := members
	mailed.MailedTo = hostile
	providers := []workspace.Provider{
		{ID: "mp_1", Name: hostile, Kind: "openai", Address: "https://models.example.com/" + hostile, KeyHint: "…wxyz", Tools: true, UsedBy: []shell.Chatbot{{ID: "cb_1", Name: hostile}}},
		{ID: "mp_2", Name: "Theirs", Kind: "anthropic", KeyHint: "…"},
		{ID: "mp_3", Name: "Ours", Kind: "openai"},
	}
	plans, sold, byHand := billingPages()
	invoices := workspace.Invoices{Invoices: []workspace.Invoice{
		{Number: "A-1", At: day, Amount: "79.00 USD", Status: "paid", URL: "https://invoice.stripe.com/i/1", PDF: "https://pay.stripe.com/invoice/1/pdf"},
		{Number: hostile, At: day, Amount: "1 JPY", Status: "new one", URL: "javascript:alert(1)"},
		{Number: "A-3", At: day, Amount: "0.00 USD", Status: "open", URL: "https://invoice.stripe.com/i/3"},
	}}
	noticed := acme(shell.ChatbotsSection, "Chatbots")
	noticed.Notice = "The chatbot has been deleted."

	webhooks := someWebhooks()
	refusedWebhooks := webhooks
	refusedWebhooks.Form = refused("events", "Choose at least one event.", map[string]string{"url": hostile})
	return map[string]templ.Component{
		"chatbots":      workspace.ChatbotsPage(noticed, workspace.Chatbots{Chatbots: []shell.Chatbot{{ID: "cb_1", Name: hostile, OverLimit: false, CreatedAt: day}, {ID: "cb_2", Name: "Old", OverLimit: true, CreatedAt: day}}, MayCreate: true}),
		"chatbots-none": workspace.ChatbotsPage(acme(shell.ChatbotsSection, "Chatbots"), workspace.Chatbots{}),
		"models": workspace.ModelsPage(acme(shell.ModelsSection, "Models"), workspace.Models{
			Providers: providers, Own: []string{"gpt-4o-mini", "extractive"}, MayManage: true, Form: ui.Form{Values: map[string]string{"kind": "openai", "name": "", "base_url": "", "key": ""}},
		}),
		"models-read": workspace.ModelsPage(acme(shell.ModelsSection, "Models"), workspace.Models{Providers: providers}),
		"models-none": workspace.ModelsPage(acme(shell.ModelsSection, "Models"), workspace.Models{MayManage: true, Form: refused("key", "This server cannot keep keys yet.",
			map[string]string{"kind": "anthropic", "name": hostile, "base_url": hostile, "key": "", "tools": "on"})}),
		"models-in-use": workspace.ModelsPage(acme(shell.ModelsSection, "Models"), workspace.Models{Providers: providers, Form: refused("", "This provider is used by Guide.", nil)}),
		"provider": workspace.ProviderPage(acme(shell.ModelsSection, hostile), providers[0], refused("base_url", "Give an address.",
			map[string]string{"name": hostile, "base_url": hostile, "key": "", "tools": "on"}), ""),
		"provider-without-key": workspace.ProviderPage(acme(shell.ModelsSection, "Ours"), providers[2], ui.Form{Values: map[string]string{"name": "Ours", "base_url": "", "key": ""}}, ""),
		"members":              workspace.MembersPage(acme(shell.MembersSection, "Members"), members),
		"members-invited":      workspace.MembersPage(acme(shell.MembersSection, "Members"), invited),
		"members-mailed":       workspace.MembersPage(acme(shell.MembersSection, "Members"), mailed),
		"members-read":         workspace.MembersPage(acme(shell.MembersSection, "Members"), only),
		"billing":              workspace.BillingPage(acme(shell.BillingSection, "Usage & billing"), plans),
		"billing-by-hand":      workspace.BillingPage(acme(shell.BillingSection, "Usage & billing"), byHand),
		"billing-sold":         workspace.BillingPage(acme(shell.BillingSection, "Usage & billing"), sold),
		"billing-change":       workspace.ChangePage(acme(shell.BillingSection, "Change to Standard?"), sold.Plans[1], "/chatbots/cb_1/tokens"),
		"invoices":             workspace.InvoicesPage(acme(shell.BillingSection, "Invoices"), invoices),
		"invoices-none":        workspace.InvoicesPage(acme(shell.BillingSection, "Invoices"), workspace.Invoices{}),
		"invoices-missing":     workspace.InvoicesPage(acme(shell.BillingSection, "Invoices"), workspace.Invoices{Missing: "Stripe did not answer."}),
		"pay":                  workspace.PayPage(acme(shell.BillingSection, "Payment"), "https://pay.example.com/c/1"),
		"limits":               workspace.LimitsPage(acme(shell.BillingSection, "Over the limit"), overLimits(true)),
		"limits-read":          workspace.LimitsPage(acme(shell.BillingSection, "Over the limit"), overLimits(false)),
		"limits-none":          workspace.LimitsPage(acme(shell.BillingSection, "Over the limit"), workspace.OverLimits{}),
		"workspace": workspace.SettingsPage(acme(shell.WorkspaceSection, "Workspace"), workspace.Settings{
			Delete: refused("confirm_name", "This is not the name.", map[string]string{"confirm_name": hostile}), MayDelete: true, MayManageSSO: true, Paid: true,
		}),
		"privacy":       workspace.PrivacyPage(acme(shell.WorkspaceSection, "Privacy"), privacyOf(true)),
		"privacy-read":  workspace.PrivacyPage(acme(shell.WorkspaceSection, "Privacy"), privacyOf(false)),
		"deletion":      workspace.DeletionPage(shell.Layout{Title: "“Acme” is being deleted", Email: "ada@example.com"}, "ws_1", day, true, true),
		"deletion-read": workspace.DeletionPage(shell.Layout{Title: "“Acme” is being deleted", Email: "ada@example.com"}, "ws_1", day, false, false),
		"audit": auditlog.ListPage(acme(shell.AuditSection, "Audit"), auditlog.List{
			Kinds: []ui.Option{{Value: "", Text: "Everything"}}, Actors: []ui.Option{{Value: "", Text: "Everybody"}}, Objects: []ui.Option{{Value: "", Text: "Any"}},
			CSV: "/workspaces/ws_1/audit/export?format=csv", JSONL: "/workspaces/ws_1/audit/export?format=jsonl", Pager: ui.Pager{Next: "/workspaces/ws_1/audit?before=1"},
			Entries: []auditlog.Entry{
				{URL: "/workspaces/ws_1/audit/2", At: day, Actor: "ada@example.com", What: "Renamed the token", Action: "token.renamed", Object: auditlog.Piece{Text: hostile, URL: "/chatbots/cb_1"}, Changes: [][]auditlog.Piece{{{Text: "name: Old → New"}}}, Address: "192.0.2.7"},
				{URL: "/workspaces/ws_1/audit/1", At: day, Actor: "Stripe", What: "The subscription changed", Action: "subscription.changed", Detail: []auditlog.Piece{{Text: "In the chatbot "}, {Text: hostile, URL: "/chatbots/cb_1"}, {Text: "(deleted)", Title: "cb_2"}}},
			},
		}),
		"audit-none": auditlog.ListPage(acme(shell.AuditSection, "Audit"), auditlog.List{
			Filtered: true, Deep: true, Filters: ui.Form{Values: map[string]string{"from": "2026-01-01", "id": hostile, "address": "2001:db8::1"}}, Wrong: "Choose a last day, such as 2026-01-31.",
		}),
		"audit-entry": auditlog.EntryPage(acme(shell.AuditSection, "Changed the token").At(shell.Crumb{Text: "Audit", URL: "/workspaces/ws_1/audit"}), auditlog.Record{
			Entry: auditlog.Entry{
				At: day, Actor: "ada@example.com", What: "Changed the token", Action: "token.changed", Object: auditlog.Piece{Text: hostile, URL: "/chatbots/cb_1"},
				Detail: []auditlog.Piece{{Text: "In the chatbot "}, {Text: hostile, URL: "/chatbots/cb_1"}}, Address: "2001:db8:85a3:8d3:1319:8a2e:370:7348",
			},
			UserID: "usr_0123456789abcdefghjkmnpq", ObjectKind: "token", ObjectID: "tok_0123456789abcdefghjkmnpq", RequestID: strings.Repeat("a", 128),
			Settings: []auditlog.Setting{
				{Name: "name", Old: []auditlog.Piece{{Text: hostile}}, New: []auditlog.Piece{{Text: strings.Repeat("long", 50)}}},
				{Name: "allowed origins", New: []auditlog.Piece{{Text: "https://example.com"}}},
				{Name: "instructions", Withheld: true},
			},
			Place: "1204", Hash: strings.Repeat("0123456789abcdef", 4), ByActor: "/workspaces/ws_1/audit?actor=ada%40example.com", OnObject: "/workspaces/ws_1/audit?object=token&id=tok_1",
			FromAddress: "/workspaces/ws_1/audit?address=2001%3Adb8%3A%3A1", OfRequest: "/workspaces/ws_1/audit?request=req_1",
		}),
		"audit-entry-old": auditlog.EntryPage(acme(shell.AuditSection, "Removed"), auditlog.Record{
			Entry: auditlog.Entry{At: day, Actor: "Operator of this server", What: "Removed", Action: "member.removed"}, ObjectKind: "member", Removed: true,
		}),
		"members-full": workspace.MembersPage(acme(shell.MembersSection, "Members"), workspace.Members{
			Members: members.Members, MayManage: true, Full: "The Starter plan includes 1 member. Remove a member or an invitation, or upgrade the plan.",
		}),
		"webhooks":         workspace.WebhooksPage(acme(shell.WebhooksSection, "Webhooks"), webhooks),
		"webhooks-none":    workspace.WebhooksPage(acme(shell.WebhooksSection, "Webhooks"), workspace.Webhooks{Upgrade: "The Starter plan has no webhooks. They come with API access."}),
		"webhooks-refused": workspace.WebhooksPage(acme(shell.WebhooksSection, "Webhooks"), refusedWebhooks),
		"webhook":          workspace.WebhookPage(acme(shell.WebhooksSection, "example.com"), webhookLog(webhooks, "active", "")),
		"webhook-off":      workspace.WebhookPage(acme(shell.WebhooksSection, "example.com"), webhookLog(webhooks, "disabled", "It refused every message for five days.")),
		"webhook-unused":   workspace.WebhookPage(acme(shell.WebhooksSection, "example.com"), workspace.WebhookLog{Webhook: webhooks.Endpoints[0], Events: webhooks.Events, Chatbots: webhooks.Chatbots}),
		"webhook-secret":   workspace.WebhookSecretPage(acme(shell.WebhooksSection, "example.com"), workspace.Webhook{ID: "we_1", Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Rotating: &day}),
		"sso-none":         workspace.SSOPage(acme(shell.WorkspaceSection, "Single sign-on"), workspace.SSO{Upgrade: "The Starter plan has no single sign-on for a workspace. Upgrade to the Standard plan or above."}),
		"sso-new":          workspace.SSOPage(acme(shell.WorkspaceSection, "Single sign-on"), workspace.SSO{ReturnURL: "https://parley.example.com/sign-in/sso/callback/ws_1", Form: refused("issuer", "Enter an address that begins with https://.", map[string]string{"issuer": hostile, "client_id": "", "client_secret": "", "domain": "", "role": "", "required": ""})}),
		"sso":              workspace.SSOPage(acme(shell.WorkspaceSection, "Single sign-on"), someSSO(false)),
		"sso-confirmed":    workspace.SSOPage(acme(shell.WorkspaceSection, "Single sign-on"), someSSO(true)),
		"workspace-read":   workspace.SettingsPage(acme(shell.WorkspaceSection, "Workspace"), workspace.Settings{}),
	}
}

// someSSO is a connection whose domain is confirmed or not.
func someSSO(confirmed bool) workspace.SSO {
	return workspace.SSO{
		Form:      ui.Form{Values: map[string]string{"issuer": "https://login.example.com/realms/main", "client_id": hostile, "client_secret": "", "domain": "example.com", "role": "member", "required": "on"}},
		ReturnURL: "https://parley.example.com/sign-in/sso/callback/ws_1", Saved: true, Confirmed: confirmed,
		Domain: "example.com", RecordName: "_parley.example.com", RecordText: "parley-domain=Zm9vYmFyYmF6cXV4Y29ycA",
	}
}

// privacyOf is the page of what is stored.
func privacyOf(all bool) workspace.Privacy {
	m := workspace.Privacy{Stored: []workspace.Stored{
		{Name: "conversations", Holds: "Conversations: " + hostile, Why: "To continue a conversation", Kept: "As long as the plan says", Personal: "external_user_id, title"},
		{Name: "usages", Holds: "How many questions were asked in a month", Why: "The plan limits them", Kept: "With the workspace", Personal: "No"},
	}}
	if all {
		m.MayExport, m.MayManage = true, true
		m.Erase = refused("sure", "Check the box to erase this end user.", map[string]string{"erased_user_id": hostile})
		m.Receipts = []workspace.Receipt{{ID: "er_2", Kind: "An end user", Erased: "1,200", Remaining: "3", At: day}, {ID: "er_1", Kind: "An end user", Erased: "0", Remaining: "0", At: day, Done: true}}
	}
	return m
}

func spentMonth() workspace.Month {
	return workspace.Month{
		Name: "November 2026", Previous: "2026-10", Next: "2026-12",
		Rows: []workspace.Spent{
			{Chatbot: shell.Chatbot{ID: "cb_1", Name: hostile}, Model: hostile, Status: "complete", Answers: "1,200", PromptTokens: "12,000", CompletionTokens: "300", Counted: "2", FirstToken: "0.30 s", Total: "2.50 s", Refuted: "1"},
			{Chatbot: shell.Chatbot{ID: "cb_2"}, Deleted: true, Status: "failed", Answers: "1", PromptTokens: "0", CompletionTokens: "0", Counted: "0", Refuted: "0"},
		},
		Sum: workspace.Spent{Answers: "1,201", PromptTokens: "12,000", CompletionTokens: "300", Counted: "2", Refuted: "1"},
	}
}

// billingPages are the page of usage and billing for who may change nothing, buys,
// and changes by hand.
func billingPages() (read, sold, byHand workspace.Billing) {
	read = workspace.Billing{
		Standing: workspace.Standing{Sentences: []string{"This workspace is on the Starter plan."}},
		Resets:   "Messages and playground questions start over on December 1, 2026, midnight UTC.",
		Usage: []workspace.Usage{
			{Name: "Chatbots", Text: "3 of 1", Used: 3, Limit: 1, Over: true},
			{Name: "API tokens (busiest chatbot)", Text: "0 of 0"},
			{Name: "Messages this month", Text: "7, no limit", Used: 7, Limit: -1},
			{Name: "Playground questions this month", Text: "170 of 200", Used: 170, Limit: 200},
		},
		Plans: []workspace.Plan{
			{Name: "starter", Title: "Starter", Current: true, Price: "Free", Plus: "To try it out:", Difference: "200 playground questions a month", Points: []string{"100 messages a month", "1 chatbot"}},
			{
				Name: "standard", Title: "Standard", Price: "79.00 USD", Other: "a month, or 790.00 USD a year", Plus: "Everything in Basic, plus:", Difference: "API access", Points: []string{"20,000 messages a month", "10 chatbots"},
				Changes: workspace.Changes{
					Gains: []string{"API access"}, Loses: []string{hostile}, Exceeded: []string{"There are 3 chatbots: 2 would be suspended."},
					Suspended: []string{hostile + " (chatbot)"}, Resumed: []string{"Website (API token)"},
				},
			},
		},
		Limits: []workspace.Limit{{Name: "Chatbots", Amounts: []string{"1", "10"}}, {Name: "API access", Amounts: []string{"No", "Yes"}}},
		Prices: []workspace.PriceRow{{Interval: "monthly", Name: "Monthly price", Prices: []workspace.Price{
			{Plan: "starter", Text: "Free"}, {Plan: "standard", Text: "79.00 USD", Note: "You pay 49.00 USD"},
		}}},
		Month: spentMonth(),
		Why:   "An owner of the workspace can change the plan.",
	}
	sold, byHand = read, read
	sold.Why, byHand.Why, byHand.ByHand = "", "", true
	byHand.Month = workspace.Month{Name: "November 2026"}
	sold.Standing = workspace.Standing{Sentences: []string{"This workspace is on the Standard plan.", "Payment failed on November 3; access until November 24."}, Urgent: true, Badge: "Payment due", Tone: ui.Bad}
	sold.TrialDays, sold.Manage = 14, true
	sold.Plans = append([]workspace.Plan(nil), read.Plans...)
	sold.Plans[1].Button, sold.Plans[1].Choices = "Upgrade", []workspace.Choice{{Interval: "monthly", Text: "79.00 USD a month instead of 19.00 USD a month"}, {Interval: "yearly", Text: "790.00 USD a year"}}
	sold.PayURL, sold.Disputed, sold.TaxInclusive = "https://invoice.stripe.com/i/3", "A payment of 79.00 USD is disputed at the bank.", true
	sold.Reversals = []workspace.Reversal{{At: day, What: "Dispute", Amount: "79.00 USD", State: "Under review by the bank"}, {At: day, What: "Refund", Amount: "1 JPY", State: hostile}}
	sold.History = []workspace.Entry{{At: day, Actor: "Stripe", Detail: hostile}}
	return read, sold, byHand
}

func overLimits(mayChoose bool) workspace.OverLimits {
	return workspace.OverLimits{MayChoose: mayChoose, Groups: []workspace.OverGroup{
		{Resource: "chatbots", Title: "Chatbots", Includes: "The Starter plan includes 1 chatbot.", MayChoose: true, Sets: []workspace.OverSet{
			{Items: []workspace.OverItem{{ID: "cb_1", Name: hostile, Stays: true}, {ID: "cb_2", Name: "Old"}}, Suspended: true},
		}},
		{Resource: "members", Title: "Members", Includes: "The Starter plan includes 1 member.", MayChoose: true, Sets: []workspace.OverSet{
			{Items: []workspace.OverItem{{ID: "usr_1", Name: "ada@example.com", Stays: true, Vital: true}, {ID: "usr_2", Name: "ben@example.com"}}, Suspended: true},
		}},
		{Resource: "tokens", Title: "API tokens", Includes: "The Starter plan includes no API tokens for each chatbot.", Sets: []workspace.OverSet{
			{Name: hostile, Items: []workspace.OverItem{{ID: "tok_1", Name: "Website"}}, Suspended: true},
		}},
	}}
}

func someWebhooks() workspace.Webhooks {
	return workspace.Webhooks{
		Endpoints: []workspace.Webhook{
			{ID: "we_1", URL: "https://example.com/hooks/parley", Host: "example.com", Description: hostile, Chatbot: "All chatbots", Events: []string{"message.unanswered"}, State: "active"},
			{ID: "we_2", URL: "https://example.org/in", Host: "example.org", Chatbot: "Guide", Events: []string{"message.completed", "conversation.created"}, State: "paused"},
		},
		Events:   []workspace.WebhookEvent{{Kind: "message.completed", About: "An answer has ended."}, {Kind: "message.unanswered", About: "The chatbot said that it doesn't know."}},
		Chatbots: []ui.Option{{Value: "", Text: "All chatbots"}, {Value: "cb_1", Text: hostile}},
	}
}

func webhookLog(w workspace.Webhooks, state, reason string) workspace.WebhookLog {
	shown := w.Endpoints[0]
	shown.State, shown.Reason = state, reason
	answered := workspace.Attempt{Result: "500 in 31 ms", Answer: hostile}
	return workspace.WebhookLog{
		Webhook: shown, Events: w.Events, Chatbots: w.Chatbots, Pager: ui.Pager{Next: "/workspaces/ws_1/webhooks/we_1?before=1"},
		Deliveries: []workspace.Delivery{
			{ID: 5, Event: "webhook.test", Message: "msg_5", State: "pending", At: day, Next: &day},
			{ID: 4, Event: "message.unanswered", Message: "msg_4", State: "pending", At: day, Next: &day, Attempts: []workspace.Attempt{answered}},
			{ID: 3, Event: "message.unanswered", Message: "msg_3", State: "delivered", At: day, Attempts: []workspace.Attempt{{Result: "204 in 31 ms"}}},
			{ID: 2, Event: "message.unanswered", Message: "msg_2", State: "failed", At: day, Attempts: []workspace.Attempt{answered, answered}},
			{ID: 1, Event: "message.unanswered", Message: "msg_1", State: "canceled", At: day},
		},
	}
}
