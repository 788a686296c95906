// Command eval measures what the product's retrieval, strict grounding and answers are
// worth: it parses its arguments, has package measure do the work, and prints.
//
// It does not own how anything is measured. It reads the product's configuration, from the
// same environment variables and flags as the product.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"parley/app"
	"parley/app/config"
	"parley/core/audit"
)

// cli is the command line.
type cli struct {
	app.Config `embed:"" group:"Configuration"`

	Retrieval retrievalCmd `cmd:"" help:"Measure retrieval on questions with judgments, in BEIR's file format."`
	Grounding groundingCmd `cmd:"" help:"Measure strict grounding on questions with judgments and reference answers."`
	Constants constantsCmd `cmd:"" help:"Measure the constants of the ranking on sets of questions that they were not chosen on."`
	Answers   answersCmd   `cmd:"" help:"Measure answers: those without a language model on files, or those of a chatbot with its model."`
}

// streams are the input and the output of a command.
type streams struct {
	in  io.Reader
	out io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(app.Background(ctx), os.Args[1:], streams{in: os.Stdin, out: os.Stdout}, os.Stderr)
	stop()
	os.Exit(code)
}

// run parses and runs a command line, and returns the exit code.
func run(ctx context.Context, args []string, io streams, complaints io.Writer) int {
	var line cli
	exit := -1
	var wrong *config.WrongSetting
	parser, err := kong.New(&line, append(config.ReadOptions(&wrong), kong.Name("eval"),
		kong.Description("Measures retrieval, grounding and answers."),
		kong.UsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(io.out, complaints), kong.Exit(func(code int) { exit = code }))...)
	if err != nil {
		fmt.Fprintln(complaints, "eval:", err)
		return 1
	}
	parsed, err := parser.Parse(args)
	if exit >= 0 { // --help
		return exit
	}
	if wrong != nil || errors.As(err, &wrong) {
		fmt.Fprintln(complaints, "eval:", wrong)
		return 1
	}
	if err != nil {
		fmt.Fprintln(complaints, "eval:", err)
		return 2
	}
	parsed.BindTo(audit.As(ctx, audit.Operator), (*context.Context)(nil))
	if err := parsed.Run(&line.Config, io); err != nil {
		fmt.Fprintln(complaints, "eval:", strings.Join(strings.Fields(app.Sentence(err)), " "))
		return 1
	}
	return 0
}
