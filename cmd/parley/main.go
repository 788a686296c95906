// Command parley is the server and the operator's tools. Each command parses its
// arguments, calls the program (package app) and prints.
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

// The build sets version.
var version = "dev"

// cli is the command line.
type cli struct {
	app.Config `embed:"" group:"Configuration"`

	Serve     serveCmd        `cmd:"" help:"Run the server."`
	Migrate   migrateCmd      `cmd:"" help:"Update the database to this version's schema. The server does so when it starts."`
	Demo      demoCmd         `cmd:"" help:"Prepare the demo if it does not exist, and issue a new token for it."`
	Workspace workspaceCmd    `cmd:"" help:"Create, list, export, delete and restore workspaces."`
	User      userCmd         `cmd:"" help:"Create, list, export and delete users, confirm their addresses, and reset their passwords."`
	Enduser   endUserCmd      `cmd:"" help:"Export or erase what is stored of an end user."`
	Chatbot   chatbotCmd      `cmd:"" help:"Create, list and delete chatbots."`
	Knowledge knowledgeCmd    `cmd:"" help:"Add, list, remove and re-index a chatbot's documents."`
	Token     tokenCmd        `cmd:"" help:"Create, list and revoke API tokens."`
	Plan      planCmd         `cmd:"" help:"List plans, change a workspace's plan, or change what plans include and cost."`
	Provider  providerCmd     `cmd:"" help:"Encrypt the keys of workspaces' model providers again."`
	SSO       ssoCmd          `cmd:"" name:"sso" help:"List workspaces' single sign-on, confirm its domains, and unlink accounts."`
	Billing   billingCmd      `cmd:"" help:"Set up Stripe, and compare its data with this server's."`
	Audit     auditCmd        `cmd:"" help:"Print who did what, and from where."`
	Stats     statsCmd        `cmd:"" help:"Make the statistics of chatbots again."`
	Ask       askCmd          `cmd:"" help:"Ask a chatbot one question."`
	Settings  configCmd       `cmd:"" name:"config" help:"Print the current configuration with secrets masked."`
	Reindex   reindexCmd      `cmd:"" help:"Rebuild the whole index from the database. Searches use the old index meanwhile."`
	Extract   extractChildCmd `cmd:"" name:"extract-child" hidden:""`
	Backup    backupCmd       `cmd:"" help:"Write a backup of the database to a file, while the server runs or not."`
	Restore   restoreCmd      `cmd:"" help:"Restore a backup into an empty database and an empty data folder."`
	Verify    verifyCmd       `cmd:"" help:"Read a backup to its end, and say whether it is complete."`
	Upgrade   upgradeCmd      `cmd:"" help:"Rehearse the upgrade of a backup to this version."`
	Doctor    doctorCmd       `cmd:"" help:"Check the database, index, models, keys, Stripe and the mail server, and say what to do."`
	Version   versionCmd      `cmd:"" help:"Print the version."`
}

// streams are the input and outputs of a command.
type streams struct {
	in  io.Reader
	out io.Writer
	// err is for messages that are not part of the result.
	err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(app.Background(ctx), os.Args[1:], streams{in: os.Stdin, out: os.Stdout}, os.Stderr)
	stop()
	os.Exit(code)
}

// run parses and runs a command line, and returns the exit code.
func run(ctx context.Context, args []string, io streams, complaints io.Writer) int {
	io.err = complaints
	var line cli
	exit := -1
	var wrong *config.WrongSetting
	parser, err := kong.New(&line, append(config.ReadOptions(&wrong), kong.Name("parley"),
		kong.Description("Parley gives a business's documents a voice: chatbots that answer from them, over a public HTTP API."),
		kong.UsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(io.out, complaints), kong.Exit(func(code int) { exit = code }))...)
	if err != nil {
		fmt.Fprintln(complaints, "parley:", err)
		return 1
	}
	parsed, err := parser.Parse(args)
	if exit >= 0 { // --help
		return exit
	}
	if wrong != nil || errors.As(err, &wrong) {
		fmt.Fprintln(complaints, "parley:", wrong)
		return 1
	}
	if err != nil {
		fmt.Fprintln(complaints, "parley:", err)
		return 2
	}
	parsed.BindTo(audit.As(ctx, audit.Operator), (*context.Context)(nil))
	if err := parsed.Run(&line.Config, io); err != nil {
		fmt.Fprintln(complaints, "parley:", strings.Join(strings.Fields(app.Sentence(err)), " "))
		return 1
	}
	return 0
}
