package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"parley/app"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/insight"
	"parley/core/insight/testrun"
	"parley/core/plan"
	"parley/lab/measure"
)

type answersCmd struct {
	Corpus  string `placeholder:"FILE" help:"Documents, as for eval retrieval. Lines with the same doc are sections of one page. Not with --chatbot."`
	Queries string `placeholder:"FILE" help:"Questions, as for eval retrieval; target is the reference answer. With --chatbot a file of test questions, CSV or JSON lines, in the place of the stored ones."`
	Qrels   string `placeholder:"FILE" help:"Judgments, as for eval retrieval. Not with --chatbot."`
	Foreign string `placeholder:"FILE" help:"Questions that the corpus does not answer, such as those of another set. Not with --chatbot."`
	Chatbot string `placeholder:"ID" help:"Chatbot of this installation that answers, with its knowledge and its model. Nothing is stored, and no quota counts it."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run measures answers and prints the figures.
func (cmd *answersCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	if cmd.Chatbot != "" {
		return cmd.ofChatbot(ctx, config, io)
	}
	if cmd.Corpus == "" || cmd.Queries == "" || cmd.Qrels == "" {
		return fault.New(fault.Invalid, "Give --corpus, --queries and --qrels, or --chatbot.")
	}
	files := measure.Files{Corpus: cmd.Corpus, Queries: cmd.Queries, Judgments: cmd.Qrels}
	report, err := measure.Answers(ctx, config, measure.AnswersFiles{Files: files, Foreign: cmd.Foreign})
	if err != nil {
		return err
	}
	return showRecord(io.out, cmd.JSON, report, [][2]string{
		{"questions answered", report.Answered.String()},
		{"F1, unanswered ones counted as 0", thousandths(report.F1)},
		{"F1 of answers", thousandths(report.AnsweredF1)},
		{"F1 of the best five quotations, chosen with the reference in view", thousandths(report.Best)},
		{"precision of answers", thousandths(report.Precision)},
		{"recall of answers", thousandths(report.Recall)},
		{"words of an answer", strconv.FormatFloat(report.Words, 'f', 0, 64)},
		{"answers that cite a relevant document", report.Citations.String()},
		{"unanswered without their documents", report.WithoutRelevant.String()},
		{"foreign questions unanswered", report.Foreign.String()},
		{"tokens of questions and passages", strconv.Itoa(report.PromptTokens)},
		{"tokens of answers", strconv.Itoa(report.CompletionTokens)},
		{"milliseconds of an answer", fmt.Sprintf("%.2f", 1000*report.Seconds)},
	})
}

func thousandths(figure float64) string { return strconv.FormatFloat(figure, 'f', 3, 64) }

// chatbotReport says how a chatbot answers test questions.
type chatbotReport struct {
	Questions int           `json:"questions"`
	Passed    measure.Share `json:"passed"`
	Answered  measure.Share `json:"answered"`
	// Right were answered, or not, as expected.
	Right            measure.Share `json:"right"`
	F1               float64       `json:"f1"`
	References       int           `json:"references"`
	Citations        measure.Share `json:"citations_right"`
	PromptTokens     int           `json:"prompt_tokens"`
	CompletionTokens int           `json:"completion_tokens"`
	Seconds          float64       `json:"seconds"`
	// Failed are the questions that did not pass, and Errors those that got no answer
	// because something failed, which the figures leave out.
	Failed []failedTest `json:"failed"`
	Errors []brokenTest `json:"errors"`
}

type failedTest struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

type brokenTest struct {
	Question string `json:"question"`
	Reason   string `json:"reason"`
}

func (cmd *answersCmd) ofChatbot(ctx context.Context, config *app.Config, io streams) error {
	if cmd.Corpus != "" || cmd.Qrels != "" || cmd.Foreign != "" {
		return fault.New(fault.Invalid, "With --chatbot only --queries can be given.")
	}
	var asked []testrun.Wanted
	if cmd.Queries != "" {
		text, err := readText(io.in, cmd.Queries)
		if err != nil {
			return err
		}
		if asked, err = testrun.Read([]byte(text)); err != nil {
			return err
		}
	}
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		if cmd.Queries == "" {
			stored, err := p.Insight.Tests.Questions(ctx, bot.WorkspaceID, bot.ID)
			if err != nil {
				return err
			}
			for _, q := range stored {
				asked = append(asked, q.Wanted)
			}
		}
		if len(asked) == 0 {
			return fault.New(fault.Invalid, "The chatbot has no test questions. Give some with --queries.")
		}
		report, err := askAll(ctx, p, bot, asked)
		if err != nil {
			return err
		}
		return report.show(io, cmd.JSON)
	})
}

// maxQuestions limits a file of test questions, in bytes.
const maxQuestions = 1 << 20

// readText reads a file of test questions, or standard input if it is called "-".
func readText(in io.Reader, name string) (string, error) {
	if name != "-" {
		file, err := os.Open(filepath.Clean(name))
		if err != nil {
			return "", err
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxQuestions))
	return string(text), err
}

// withChatbot opens the installation of the configuration, and finds one of its chatbots.
func withChatbot(ctx context.Context, config *app.Config, chatbotID string, do func(*app.Program, chatbot.Chatbot) error) error {
	p, err := app.Open(ctx, config, app.NewLog(config))
	if err != nil {
		return err
	}
	defer p.Close()
	workspaceID, err := p.Chatbots.WorkspaceOf(ctx, chatbotID)
	if err != nil {
		return err
	}
	bot, err := p.Chatbots.Get(ctx, workspaceID, chatbotID)
	if err != nil {
		return err
	}
	return do(p, bot)
}

// unlimited is the plan of what the operator asks.
var unlimited = plan.Plan{Limits: plan.Limits{MessageChars: 64_000, PlaygroundPerMonth: plan.Unlimited}}

// askAll asks the questions. It fails if none gets an answer, or five in a row get none.
func askAll(ctx context.Context, p *app.Program, bot chatbot.Chatbot, asked []testrun.Wanted) (report chatbotReport, err error) {
	report = chatbotReport{Failed: []failedTest{}, Errors: []brokenTest{}}
	figures := testrun.Figures{}
	for _, q := range asked {
		var reply insight.Reply
		var ticket *quota.Ticket
		if ticket, err = p.Quota.Take(ctx, bot.WorkspaceID, bot.ID, chat.Playground, unlimited, q.Question); err == nil {
			reply, err = insight.AnswerTo(ctx, p.Answers, bot, ticket)
		}
		result := q.Judge(reply)
		if err != nil {
			result = testrun.Unanswered(err)
		}
		figures.Add(q, result)
		if ctx.Err() != nil || figures.FailedLast >= testrun.MostFailures {
			return report, cmp.Or(err, context.Cause(ctx))
		}
		switch {
		case result.Failed():
			report.Errors = append(report.Errors, brokenTest{q.Question, result.Failure})
		case !result.Passed:
			report.Failed = append(report.Failed, failedTest{q.Question, result.Answer})
		}
	}
	if figures.Judged() == 0 {
		return report, err
	}
	report.Questions, report.References, report.F1 = figures.Asked, figures.References, figures.F1
	report.Passed, report.Answered = measure.Share{figures.Passed, figures.Judged()}, measure.Share{figures.Answered, figures.Judged()}
	report.Right, report.Citations = measure.Share{figures.Right, figures.Judged()}, measure.Share{figures.Cited, figures.Documents}
	report.PromptTokens, report.CompletionTokens = figures.Usage.PromptTokens, figures.Usage.CompletionTokens
	report.Seconds = figures.Mean().Seconds()
	return report, nil
}

func (r chatbotReport) show(io streams, asJSON bool) error {
	rows := [][2]string{
		{"passed", r.Passed.String()},
		{"questions answered", r.Answered.String()},
		{"answered or declined rightly", r.Right.String()},
		{"F1 of expected answers", thousandths(r.F1) + " (" + strconv.Itoa(r.References) + ")"},
		{"citations right", r.Citations.String()},
		{"tokens in", strconv.Itoa(r.PromptTokens)},
		{"tokens out", strconv.Itoa(r.CompletionTokens)},
		{"milliseconds of an answer", fmt.Sprintf("%.0f", 1000*r.Seconds)},
	}
	for _, f := range r.Failed {
		rows = append(rows, [2]string{"failed", f.Question})
	}
	for _, e := range r.Errors {
		rows = append(rows, [2]string{"error", e.Question + ": " + e.Reason})
	}
	return showRecord(io.out, asJSON, r, rows)
}
