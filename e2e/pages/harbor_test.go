//go:build screenshots

package pages

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"parley/billing/stripetest"
	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/insight/testrun"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// customersAsk are questions of the shop's customers, how often they ask them beside
// the others, and what the model says from which document. Without one it has no
// answer.
var customersAsk = []struct {
	question       string
	often          int
	title, answers string
}{
	{"How do I return something?", 9, "Returns and refunds", "You can return anything within **30 days** of receiving it, unused and in its original packaging; for bikes it is 14 days. [#]\n\n1. Write to orders@harborbikes.example with your order number.\n2. Print the return label that we send you.\n3. Hand the parcel to the carrier within 14 days. [#]\n\nWe refund you within five working days. [#]"},
	{"When are you open on Saturday?", 9, "Opening hours and how to find us", "On Saturday the shop is open from **9 am to 5 pm**, and the workshop from 9 am to 1 pm. [#]"},
	{"How long is the warranty on an e-bike battery?", 8, "Warranty", "Batteries have a warranty of **two years or 500 full charges**, whichever comes first. They keep at least 70% of their capacity in that time. [#]"},
	{"How much does it cost to rent an e-bike for a day?", 8, "Bike rental: prices", "An e-bike costs **$45** for one day and $38 for each further day. [#]"},
	{"Do I need an appointment for an inspection?", 6, "Frequently asked questions", "For an inspection, yes. For a puncture, brakes, lights or a warranty claim you don't need one. [#]"},
	{"How far does the e-bike battery last?", 6, "E-bikes: battery, charging and range", "A battery of 500 Wh lasts for **35 to 70 miles**. Headwind, hills and cold shorten the range. [#]"},
	{"Can I bring my dog to the shop?", 5, "Frequently asked questions", "Yes, dogs on a leash are welcome in the shop and at the rental desk, but not in the workshop. [#]"},
	{"What do I need to rent a bike?", 5, "Bike rental: how it works", "Bring a **photo ID** and a **credit card**. You have to be 18 to rent a bike, and 21 to rent a cargo bike. [#]\n\nChildren ride with an adult who signs for them. [#]"},
	{"Can I cancel the rental when it rains?", 4, "Bike rental: how it works", "Yes. If it rains more than 5 mm on the day, you may cancel until the rental begins and pay nothing. Otherwise you can cancel free of charge up to **24 hours** before it begins. [#]"},
	{"Can I pay in installments?", 4, "Payment and financing", "Yes, for bikes from $500, in 12 or 24 monthly installments. Twelve are free of interest. [#]"},
	{"Do you repair bikes I did not buy from you?", 4, "Frequently asked questions", "Yes. We repair every make of bike, and e-bikes with Bosch, Shimano and Bafang motors. [#]"},
	{"How do I get to the shop by tram?", 3, "Opening hours and how to find us", "Trams 3 and 7 stop at Quay Street, two minutes on foot from the shop. [#]"},
	{"What happens when I bring a rented bike back late?", 3, "Bike rental: how it works", "The first 30 minutes are free. After that we charge $5 for each hour. [#]"},
	{"Is a gift card valid forever?", 2, "Gift cards", "No, for three years from the day it was bought. [#]"},
	{"Do you sell kayaks?", 3, "Do you sell kayaks?", "No. The canoe club next door, at 18 Quay Street, sells and rents kayaks. [#]"},
	{"do you have kayaks for sale", 2, "", ""},
	{"Do you offer sailing lessons?", 2, "", ""},
	{"Is there a discount for students?", 2, "", ""},
	{"Can my company get an invoice in Swedish?", 1, "", ""},
}

// numbered finds the number of a passage of a document in what a model is asked.
func numbered(asked, title string) string {
	for _, match := range regexp.MustCompile(`<passage id="(\d+)" source="([^"›]*)`).FindAllStringSubmatch(asked, -1) {
		if strings.TrimSpace(match[2]) == title {
			return match[1]
		}
	}
	return ""
}

// answers is the model: it says what the table has, and takes its time.
func (h *harbor) answers(body []byte) llmtest.Reply {
	var request struct {
		Messages []struct{ Content string }
	}
	h.Must(json.Unmarshal(body, &request, json.MatchCaseInsensitiveNames(true)))
	const goesOn, meant = "And if it rains?", "Can I cancel the rental when it rains?"
	asked := strings.ReplaceAll(request.Messages[len(request.Messages)-1].Content, goesOn, meant)
	h.passes(time.Duration(400+h.random.IntN(900)) * time.Millisecond)
	if !strings.Contains(asked, "<passage") && strings.Contains(asked, meant) { // to be made one that stands by itself
		return llmtest.Reply{Pieces: []string{meant}}
	}
	for _, a := range customersAsk {
		if number := numbered(asked, a.title); number != "" && strings.Contains(asked[strings.LastIndex(asked, "</passage>"):], a.question) {
			h.passes(time.Duration(3*len(a.answers)) * time.Millisecond)
			usage := &llmtest.Usage{PromptTokens: len(body) / 4, CompletionTokens: len(a.answers) / 4}
			return llmtest.Reply{Pieces: []string{strings.ReplaceAll(a.answers, "#", number)}, Usage: usage}
		}
	}
	return llmtest.Reply{Pieces: []string{"I found nothing about that in the documents I have."}}
}

// remarks are what customers say of an answer that did not help.
var remarks = []string{"I asked about Sundays in winter.", "Too long – I only need the price.", "That is about bikes, not about clothing.", ""}

// business is the name of the shop, which has the demo's help pages.
const business = "Harbor Bikes"

// harbor is the demo's shop after two weeks.
type harbor struct {
	*harness.Instance
	harness.Tenant
	stripe *stripetest.Server
	// behind is how far the clock of the program is behind.
	behind *atomic.Int64
	random *rand.Rand
	bot    chatbot.Chatbot
	owner  account.User
	ids    harness.IDs
}

// asOwner is for what the owner does.
func (h *harbor) asOwner() context.Context {
	return audit.AsPerson(h.Context(), h.owner.ID, h.owner.Email)
}

// opens makes the workspace, which buys a plan and gets its people and knowledge.
func (h *harbor) opens() {
	h.Helper()
	ctx, p := h.Context(), h.Server.Program
	h.Email, h.Password = "maren@harborbikes.example", harness.StaffPassword
	owner, workspace, err := p.Tenants.SignUps.Create(ctx, account.Account{Email: h.Email, Password: h.Password, Workspace: business})
	h.Must(err)
	h.owner, h.Workspace = owner, workspace
	ctx = h.asOwner()
	h.Must(p.Tenants.Profiles.Change(ctx, owner.ID, account.Profile{Name: "Maren Okafor", Appearance: account.System}))
	h.bot, err = p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: business + " Help", Instructions: "You help the customers of a bicycle shop. Be short and friendly."})
	h.Must(err)
	h.Chatbot = h.bot.ID
	h.SignedIn(h.Email, h.Password).Buys(h.stripe, h.Tenant, plan.Standard)
	_, err = p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: "Workshop handbook"})
	h.Must(err)
	for _, colleague := range []struct {
		name string
		role tenant.Role
	}{{"tomas", tenant.RoleOwner}, {"ines", tenant.RoleAdmin}, {"ruben", tenant.RoleMember}} {
		user, err := p.Tenants.SignUps.CreateUser(ctx, colleague.name+"@harborbikes.example", harness.StaffPassword)
		h.Must(err)
		h.Must(p.Tenants.Members.Add(ctx, workspace, user, colleague.role))
		h.ids["user"] = user.ID
	}
	_, err = p.Tenants.Invitations.Invite(ctx, workspace, owner.ID, "apprentice@harborbikes.example", tenant.RoleMember)
	h.Must(err)
	provider, err := p.Chatbots.Providers.Create(ctx, workspace, chatbot.ProviderSettings{Name: "OpenAI, our account", Kind: chatbot.OpenAI, Key: "sk-for-the-shop"})
	h.Must(err)
	h.ids["workspace"], h.ids["chatbot"], h.ids["provider"] = workspace, h.Chatbot, provider.ID
	h.learns()
}

// learns adds the shop's help pages, two files of which one cannot be read, and a web
// page.
func (h *harbor) learns() {
	h.Helper()
	ctx, documents := h.asOwner(), h.Server.Knowledge.Documents
	names, err := filepath.Glob(filepath.Join("..", "..", "internal", "demo", "pages", "*.md"))
	h.Must(err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		h.Must(err)
		made, err := documents.Add(ctx, h.Workspace, h.Chatbot, knowledge.NewDocument{Title: knowledge.TitleOf(name, string(text)), Kind: knowledge.Markdown, Content: string(text)})
		h.Must(err)
		if filepath.Base(name) == "returns.md" {
			h.ids["document"] = made.ID
		}
		h.passes(time.Hour)
	}
	_, err = documents.Add(ctx, h.Workspace, h.Chatbot, knowledge.NewDocument{File: &knowledge.Upload{Name: "winter-sale.html", Body: []byte(
		"<title>Winter sale</title><h1>Winter sale</h1><p>From January 7 to 31, all rental bikes of last season are for sale, at half their price.</p>",
	)}})
	h.Must(err)
	old, err := documents.Add(ctx, h.Workspace, h.Chatbot, knowledge.NewDocument{Title: "Summer hours 2025", Content: "In August the shop is open until 8 pm."})
	h.Must(err)
	_, err = documents.Add(ctx, h.Workspace, h.Chatbot, knowledge.NewDocument{File: &knowledge.Upload{Name: "price-list-2019.pdf", Body: []byte("%PDF-1.4\nnothing that can be read")}})
	h.Must(err)
	h.Settled(h.Tenant)
	h.Must(documents.Remove(ctx, h.Workspace, h.Chatbot, old.ID))
}

// issues makes the tokens of the shop's programs.
func (h *harbor) issues() {
	h.Helper()
	ctx, tokens := h.asOwner(), h.Server.Chatbots.Tokens
	issue := func(request chatbot.NewToken) (chatbot.Token, string) {
		request.CreatedBy = h.Email
		token, secret, err := tokens.Issue(ctx, h.Workspace, h.Chatbot, request)
		h.Must(err)
		h.passes(20 * time.Hour)
		return token, secret
	}
	trial, _ := issue(chatbot.NewToken{Name: "Trial of the agency"})
	soon := harness.Now().Add(16 * 24 * time.Hour)
	issue(chatbot.NewToken{Name: "Ferry terminal kiosk", Scopes: []chatbot.Scope{chatbot.ScopeChat}, ExpiresAt: &soon})
	desk, _ := issue(chatbot.NewToken{Name: "Help desk"})
	_, h.Token = issue(chatbot.NewToken{Name: "Website", Scopes: []chatbot.Scope{chatbot.ScopeChat}})
	h.Must(tokens.Revoke(ctx, h.Workspace, h.Chatbot, trial.ID))
	_, _, err := tokens.Roll(ctx, h.Workspace, h.Chatbot, desk.ID, 7, h.Email)
	h.Must(err)
	h.ids["webhook"], _ = h.NewWebhook(h.Workspace, "Orders desk")
	h.ids["entry"] = h.NewEntry(h.Workspace, audit.TokenRolled)
}

// lives answers customers for so many days, more of them every day, and fewer on
// Sundays and Mondays.
func (h *harbor) lives(days int, upTo func(day int) time.Duration) {
	h.Helper()
	var questions []string
	for _, a := range customersAsk {
		for range a.often {
			questions = append(questions, a.question)
		}
	}
	for day := range days {
		many := 9 + day/2 + h.random.IntN(5)
		if weekday := time.Now().Add(-upTo(day)).Weekday(); weekday == time.Sunday || weekday == time.Monday {
			many /= 2
		}
		for i := range many {
			h.at(upTo(day) - time.Duration(i)*11*time.Hour/time.Duration(many))
			h.asksOne(questions[h.random.IntN(len(questions))], fmt.Sprintf("customer-%d", 1040+h.random.IntN(90)))
		}
	}
}

// at sets the clock to so long ago, and passes lets time pass.
func (h *harbor) at(ago time.Duration)      { h.behind.Store(int64(max(ago, 0))) }
func (h *harbor) passes(some time.Duration) { h.behind.Add(-int64(some)) }

// asksOne asks a question, and rates some of the answers.
func (h *harbor) asksOne(question, customer string) {
	h.Helper()
	message, conversation := h.AskedFor(h.Token, customer, question)
	h.ids["message"], h.ids["conversation"] = message, conversation
	if question == "Is there a discount for students?" {
		h.ids["unanswered"] = message
	}
	rate := func(rating, comment string) {
		h.Expect(h.Call("POST", "/api/v1/messages/"+message+"/feedback", fmt.Sprintf(`{"rating":%q,"comment":%q,"external_user_id":%q}`, rating, comment, customer), harness.Bearer(h.Token)), 200)
	}
	switch n := h.random.IntN(24); {
	case n < 5:
		rate("up", "")
	case n == 5:
		rate("down", remarks[h.random.IntN(len(remarks))])
	}
}

// improves writes test questions, and answers one that had no answer, between two runs.
func (h *harbor) improves() {
	h.Helper()
	ctx, insight := h.asOwner(), h.Server.Insight
	for _, q := range []testrun.Wanted{
		{Question: "How do I return something?", Expects: testrun.AnAnswer, Document: "Returns and refunds"},
		{Question: "Do you sell kayaks?", Expects: testrun.AText, Expected: "canoe club", Reference: "No. The canoe club next door sells and rents kayaks."},
		{Question: "How long is the warranty on an e-bike battery?", Expects: testrun.AText, Expected: "two years"},
		{Question: "Who won the cup final?", Expects: testrun.NoAnswer},
	} {
		made, err := insight.Tests.Add(ctx, h.Workspace, h.Chatbot, q, h.Email)
		h.Must(err)
		h.ids["question"] = made.ID
	}
	run := func() {
		started, err := insight.Tests.Start(ctx, h.Workspace, h.Chatbot, h.Email)
		h.Must(err)
		h.Must(insight.Tests.Work(ctx))
		h.ids["run"] = started.ID
	}
	run()
	pair, err := insight.Gaps.Answer(ctx, h.Workspace, h.Chatbot, "Do you sell kayaks?", "No. The canoe club next door, at 18 Quay Street, sells and rents kayaks.")
	h.Must(err)
	h.ids["pair"] = pair.ID
	h.Settled(h.Tenant)
	groups, err := insight.Gaps.Groups(ctx, h.Workspace, h.Chatbot)
	h.Must(err)
	_, err = insight.Gaps.Settle(ctx, h.Workspace, h.Chatbot, groups[0].Gaps[0].MessageID, pair.ID) // the kayaks
	h.Must(err)
	run()
	h.Must(insight.Roller.Roll(ctx))
}
