package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"parley/api/wire"
	"parley/app"
	"parley/core/plan"
)

// limitFlag is a number or "unlimited".
type limitFlag int

const unlimited = "unlimited"

// UnmarshalText parses a limit.
func (l *limitFlag) UnmarshalText(text []byte) error {
	n, err := amountOf(string(text), unlimited, plan.Unlimited)
	*l = limitFlag(n)
	return err
}

// String formats a limit.
func (l limitFlag) String() string { return writtenAmount(int(l), unlimited, plan.Unlimited) }

// priceFlag is an amount of the smallest unit of a currency, or "not-sold".
type priceFlag int

const notSold = "not-sold"

// UnmarshalText parses a price.
func (p *priceFlag) UnmarshalText(text []byte) error {
	n, err := amountOf(string(text), notSold, plan.NotSold)
	*p = priceFlag(n)
	return err
}

// String formats a price.
func (p priceFlag) String() string { return writtenAmount(int(p), notSold, plan.NotSold) }

func amountOf(text, word string, meaning int) (int, error) {
	if text == word {
		return meaning, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("give a whole number of at least 0, or %s", word)
	}
	return n, nil
}

func writtenAmount(n int, word string, meaning int) string {
	if n == meaning {
		return word
	}
	return strconv.Itoa(n)
}

// planLimitsCmd has a flag for each column of a plan. Flags that are not given leave
// their columns unchanged.
type planLimitsCmd struct {
	Plan              string     `arg:"" enum:"starter,basic,standard,premium,enterprise" help:"starter, basic, standard, premium or enterprise."`
	Chatbots          *limitFlag `placeholder:"N" help:"Chatbots of a workspace, or unlimited."`
	Members           *limitFlag `placeholder:"N" help:"Members of a workspace, open invitations included, or unlimited."`
	TokensPerChatbot  *limitFlag `name:"tokens" placeholder:"N" help:"Active API tokens per chatbot, or unlimited."`
	MessageChars      *limitFlag `placeholder:"N" help:"Characters of a message."`
	MessagesPerMonth  *limitFlag `name:"messages" placeholder:"N" help:"Questions answered per month, or unlimited."`
	Playground        *limitFlag `placeholder:"N" help:"Questions that members ask in the playground per month, or unlimited."`
	KnowledgeChars    *limitFlag `name:"knowledge" placeholder:"N" help:"Characters of all documents, or unlimited."`
	StoredBytes       *limitFlag `name:"storage" placeholder:"BYTES" help:"Bytes of all files and texts (50000000 is 50 MB), or unlimited."`
	RequestsPerMinute *limitFlag `name:"requests" placeholder:"N" help:"Requests of the public API per minute, or unlimited."`
	ConcurrentAnswers *limitFlag `name:"answers" placeholder:"N" help:"Answers in progress at once, or unlimited."`
	RetentionDays     *limitFlag `placeholder:"N" help:"Days to keep a conversation after its last message, or unlimited."`
	AuditDays         *limitFlag `name:"audit-history" placeholder:"N" help:"Days back for which a workspace's members read its audit log, or unlimited. AUDIT_DAYS bounds it."`
	Features          *string    `placeholder:"NAMES" help:"Some of api, sites and schedules, separated by commas; empty for none."`
	PriceMonthly      *priceFlag `placeholder:"AMOUNT" help:"Price per month in the currency's smallest unit (1900 is 19 dollars), or not-sold."`
	PriceYearly       *priceFlag `placeholder:"AMOUNT" help:"Price per year in the currency's smallest unit, or not-sold."`
	Currency          *string    `placeholder:"CODE" help:"Currency of the prices, such as usd."`
	JSON              bool       `name:"json" help:"Print JSON."`
}

// Run changes the row of the plan.
func (cmd *planLimitsCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		changed, err := p.Tenants.Plans.Existing(ctx, plan.Name(cmd.Plan))
		if err != nil {
			return err
		}
		cmd.change(&changed)
		if err := p.Tenants.Plans.Update(ctx, changed); err != nil {
			return err
		}
		shown := wire.PlanToWire(changed)
		if err := showTable(io.out, cmd.JSON, []wire.Plan{shown}, planHead, [][]string{planCells(shown)}); err != nil {
			return err
		}
		return sayIfSyncDue(io.err, changed, p.Billing != nil)
	})
}

// sayIfSyncDue warns on standard error if the price at Stripe differs from the plan's
// row.
func sayIfSyncDue(to io.Writer, changed plan.Plan, sells bool) error {
	if !changed.SyncDue() && (!sells || changed.OnSale.Currency != "" || !changed.Price.Sold()) {
		return nil
	}
	_, err := fmt.Fprintf(to, "Stripe does not sell the %s plan at this price yet, and people still see the price at Stripe. Run: parley billing sync\n", changed.Title)
	return err
}

func (cmd *planLimitsCmd) change(p *plan.Plan) {
	for _, flag := range []struct {
		given *limitFlag
		limit *int
	}{
		{cmd.Chatbots, &p.Limits.Chatbots},
		{cmd.Members, &p.Limits.Members},
		{cmd.TokensPerChatbot, &p.Limits.TokensPerChatbot},
		{cmd.MessageChars, &p.Limits.MessageChars},
		{cmd.MessagesPerMonth, &p.Limits.MessagesPerMonth},
		{cmd.Playground, &p.Limits.PlaygroundPerMonth},
		{cmd.KnowledgeChars, &p.Limits.KnowledgeChars},
		{cmd.StoredBytes, &p.Limits.StoredBytes},
		{cmd.RequestsPerMinute, &p.Limits.RequestsPerMinute},
		{cmd.ConcurrentAnswers, &p.Limits.ConcurrentAnswers},
		{cmd.RetentionDays, &p.Limits.RetentionDays},
		{cmd.AuditDays, &p.Limits.AuditDays},
	} {
		if flag.given != nil {
			*flag.limit = int(*flag.given)
		}
	}
	if cmd.Features != nil {
		p.Limits.Features = featuresOf(*cmd.Features)
	}
	if cmd.PriceMonthly != nil {
		p.Price.Monthly = int(*cmd.PriceMonthly)
	}
	if cmd.PriceYearly != nil {
		p.Price.Yearly = int(*cmd.PriceYearly)
	}
	if cmd.Currency != nil {
		p.Price.Currency = strings.ToLower(*cmd.Currency)
	}
}

func featuresOf(text string) (features []plan.Feature) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			features = append(features, plan.Feature(name))
		}
	}
	return features
}
