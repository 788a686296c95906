package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"parley/api/wire"
	"parley/app"
	"parley/core/chatbot"
	"parley/core/retrieval"
)

type knowledgeEvaluateCmd struct {
	Chatbot string `arg:"" help:"Id of the chatbot."`
	File    string `arg:"" help:"File with one question per line, optionally followed by => and the title of the document that should answer it; - reads standard input."`
	K       int    `name:"k" default:"5" help:"Passages to show for each question."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// maxQuestions limits the file, in bytes.
const maxQuestions = 1 << 20

// Run searches for the questions of a file.
func (cmd *knowledgeEvaluateCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	text, err := readText(io.in, cmd.File)
	if err != nil {
		return err
	}
	return withChatbot(ctx, config, cmd.Chatbot, func(p *app.Program, bot chatbot.Chatbot) error {
		result, err := p.Evaluator.Evaluate(ctx, bot.WorkspaceID, bot.ID, retrieval.ReadProbes(text), cmd.K)
		if err != nil {
			return err
		}
		if cmd.JSON {
			return showJSON(io.out, wire.EvaluationToWire(result))
		}
		return showEvaluation(io.out, result)
	})
}

func readText(in io.Reader, name string) (string, error) {
	source, err := openInput(in, name)
	if err != nil {
		return "", err
	}
	defer source.Close()
	text, err := io.ReadAll(io.LimitReader(source, maxQuestions))
	return string(text), err
}

func showEvaluation(out io.Writer, e retrieval.Evaluation) error {
	for _, p := range e.Probes {
		fmt.Fprintln(out, p.Question)
		if p.Rank > 0 {
			fmt.Fprintf(out, "  %q is at place %d\n", p.Title, p.Rank)
		} else if len(p.Expected) > 0 {
			fmt.Fprintf(out, "  %q is not among the first %d passages\n", p.Title, retrieval.EvaluateDepth)
		}
		for i, f := range p.Found {
			fmt.Fprintf(out, "  %d. %s (score %.2f)\n", i+1, strings.Join(append([]string{f.Title}, f.HeadingPath...), " › "), f.Score)
		}
		fmt.Fprintln(out)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "questions measured\t%d\n", e.Measured)
	for _, depth := range retrieval.EvaluateDepths {
		fmt.Fprintf(w, "found among the first %s\t%.0f%%\n", strconv.Itoa(depth), 100*e.Within[depth])
	}
	fmt.Fprintf(w, "mean reciprocal rank\t%.2f\n", e.MRR)
	return w.Flush()
}
