package bot

import (
	"cmp"
	"math"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/insight/stats"
	"parley/core/plan"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// analyticsPages are the handlers of a chatbot's figures.
type analyticsPages struct{ *page.Base }

// ranges are the lengths in days that the page offers.
var ranges = []struct {
	Days int
	Text string
}{{7, "7 days"}, {30, "30 days"}, {90, "90 days"}, {365, "12 months"}}

const defaultRange = 30

// byWeek is from how many days on a chart has weeks.
const byWeek = 93

// show shows the figures of a range beside the figures of as many days before it.
func (s analyticsPages) show(c *fiber.Ctx, v page.Visit) error {
	m := views.Analytics{Base: shell.AnalyticsURL(v.Chatbot.ID), Form: ui.Form{Values: map[string]string{"from": c.Query("from"), "to": c.Query("to")}}}
	days, err := strconv.Atoi(c.Query("days"))
	if err != nil || days < 1 || days > stats.MaxDays {
		days = defaultRange
	}
	r, own := s.Insight.Reports.Last(days), c.Query("from") != "" || c.Query("to") != ""
	status := fiber.StatusOK
	if own {
		typed, err := stats.ParseRange(c.Query("from"), c.Query("to"))
		if err != nil {
			m.Form.Field, m.Form.Message = fault.As(err).Field, fault.As(err).Message
			status = fiber.StatusUnprocessableEntity
		} else {
			r = typed
		}
	}
	if !own || status != fiber.StatusOK {
		m.Form.Values["from"], m.Form.Values["to"] = cmp.Or(m.Form.Values["from"], ui.Date(r.From)), cmp.Or(m.Form.Values["to"], ui.Date(r.To))
	}
	for _, choice := range ranges {
		m.Ranges = append(m.Ranges, ui.Tab{Text: choice.Text, URL: m.Base + "?days=" + strconv.Itoa(choice.Days), Current: !own && choice.Days == days})
	}
	report, err := s.Insight.Reports.Read(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, r)
	if err != nil {
		return err
	}
	s.fill(&m, v, report)
	return page.Render(c, status, views.AnalyticsPage(v.Layout(c, shell.AnalyticsSection, "Analytics"), m))
}

func (s analyticsPages) fill(m *views.Analytics, v page.Visit, report stats.Report) {
	now, before := report.Total, report.Before
	m.Any = now.Questions > 0
	m.About = report.Range.From.Format("January 2, 2006") + " to " + report.Range.To.Format("January 2, 2006") + ", compared with the " + counted(report.Range.Days(), "day", "days") + " before. Days begin at midnight UTC."
	m.Tiles = []ui.Stat{
		amount("Conversations", now.Conversations, before.Conversations),
		amount("Questions", now.Questions, before.Questions),
		amount("Users", now.Users(), before.Users()),
		share("Answered", now.AnsweredShare, before.AnsweredShare),
		share("Satisfaction", now.Satisfaction, before.Satisfaction),
		duration("First token, median", now.P50, before.P50),
		duration("First token, slowest 5%", now.P95, before.P95),
		amount("Tokens", now.PromptTokens+now.CompletionTokens, before.PromptTokens+before.CompletionTokens),
	}
	// More tokens are neither good nor bad.
	m.Tiles[7].Tone = ui.Neutral
	labels, chunks := bucketed(report.Days)
	median, slow := make([]float64, len(chunks)), make([]float64, len(chunks))
	for i := range chunks {
		median[i], slow[i] = timeOf(&chunks[i], 0.5), timeOf(&chunks[i], 0.95)
	}
	per := "a day"
	if len(chunks) < len(report.Days) {
		per = "a week"
	}
	hours, names := make([]float64, 24), make([]string, 24)
	place := v.Person.User.Location()
	for hour, n := range report.HoursIn(place) {
		hours[hour], names[hour] = float64(n), strconv.Itoa(hour)
	}
	m.Charts = []ui.Chart{
		{ID: "questions", Title: "Questions " + per, Labels: labels, Stacked: true, Series: questionsOf(v, report.Range, s.Insight.Reports.Last(1).To, chunks)},
		{ID: "times", Title: "Time to first token", Labels: labels, Lines: true, Format: seconds, Series: []ui.Series{{Name: "Median", Values: median}, {Name: "Slowest 5%", Values: slow}}},
		{ID: "hours", Title: "Busiest hours", About: aboutHours(v.Person.User.TimeZone), Labels: names, Series: []ui.Series{{Name: "Questions", Values: hours}}},
	}
	for _, top := range report.Topics {
		m.Topics = append(m.Topics, views.Top{Name: top.Name, Answers: plan.Thousands(top.Answers)})
	}
	for _, top := range report.Documents {
		shown := views.Top{Name: cmp.Or(top.Title, "A document that was removed"), Answers: plan.Thousands(top.Answers)}
		if top.Title != "" {
			shown.URL = shell.KnowledgeURL(v.Chatbot.ID) + "/" + top.Name
		}
		m.Documents = append(m.Documents, shown)
	}
}

// aboutHours says whose hours they are.
func aboutHours(zone string) string {
	if zone == "" {
		return "Questions by the hour of the day, UTC. Choose your time zone in your account, under Appearance."
	}
	return "Questions by the hour of the day in " + zone + "."
}

// timeOf is the time within which a share of answers had their first text.
func timeOf(day *stats.Day, share float64) float64 {
	if took := day.FirstText.Quantile(share); took > 0 {
		return took.Seconds()
	}
	return ui.NoValue()
}

// questionsOf are the answered and the other ones of days or weeks. Before there was
// the chatbot, and in days to come, there is nothing, not even zero.
func questionsOf(v page.Visit, r stats.Range, today time.Time, chunks []stats.Day) []ui.Series {
	answered, rest := make([]float64, len(chunks)), make([]float64, len(chunks))
	made := ui.Date(v.Chatbot.CreatedAt)
	for i := range chunks {
		d := &chunks[i]
		answered[i], rest[i] = float64(d.Answered), float64(max(0, d.Questions-d.Answered))
		next := ui.Date(r.To.AddDate(0, 0, 1))
		if i+1 < len(chunks) {
			next = chunks[i+1].Date
		}
		if d.Questions == 0 && (d.Date > ui.Date(today) || next <= made) {
			answered[i], rest[i] = ui.NoValue(), ui.NoValue()
		}
	}
	return []ui.Series{{Name: "Answered", Values: answered}, {Name: "Not answered", Values: rest}}
}

// bucketed is the days of a chart, or its weeks.
func bucketed(days []stats.Day) (labels []string, chunks []stats.Day) {
	size := 1
	if len(days) >= byWeek {
		size = 7
	}
	for start := 0; start < len(days); start += size {
		sum := stats.Day{Date: days[start].Date}
		for i := range days[start:min(start+size, len(days))] {
			sum.Add(&days[start+i])
		}
		day, _ := time.Parse(time.DateOnly, sum.Date)
		labels, chunks = append(labels, day.Format("Jan 2")), append(chunks, sum)
	}
	return labels, chunks
}

func seconds(value float64) string {
	if value > 0 && value < 1 {
		return strconv.FormatFloat(1000*value, 'f', 0, 64) + " ms"
	}
	if value > 0 && value < 10 {
		return strconv.FormatFloat(value, 'f', 1, 64) + " s"
	}
	return strconv.FormatFloat(value, 'f', 0, 64) + " s"
}

// amount is a tile of a number.
func amount(name string, now, before int) ui.Stat {
	tile := ui.Stat{Name: name, Value: plan.Thousands(now)}
	switch {
	case before == 0:
		tile.Change = "No earlier data"
		if now == 0 {
			tile.Change = ""
		}
	default:
		change := int(math.Round(100 * float64(now-before) / float64(before)))
		tile.Change, tile.Tone = signed(change)+"%", toneOf(change)
	}
	return tile
}

// share is a tile of a share, whose change is in points.
func share(name string, now, before func() (float64, bool)) ui.Stat {
	value, known := now()
	if !known {
		return ui.Stat{Name: name, Value: "–"}
	}
	tile := ui.Stat{Name: name, Value: strconv.Itoa(int(math.Round(100*value))) + "%"}
	if was, known := before(); known {
		change := int(math.Round(100*value)) - int(math.Round(100*was))
		tile.Change, tile.Tone = signed(change)+" points", toneOf(change)
	}
	return tile
}

// duration is a tile of a time, where less is better.
func duration(name string, now, before time.Duration) ui.Stat {
	tile := ui.Stat{Name: name, Value: durationText(now)}
	if now > 0 && before > 0 {
		change := int(math.Round(100 * float64(now-before) / float64(before)))
		tile.Change, tile.Tone = signed(change)+"%", toneOf(-change)
	}
	return tile
}

func signed(change int) string {
	switch {
	case change > 0:
		return "+" + plan.Thousands(change)
	case change < 0:
		return "−" + plan.Thousands(-change)
	}
	return "±0"
}

func toneOf(change int) ui.Tone {
	switch {
	case change > 0:
		return ui.Good
	case change < 0:
		return ui.Bad
	}
	return ui.Neutral
}
