// Package terminal shows people at a terminal how far a command is, and asks them for passphrases.
//
// It does not own what a command does, nor the form of its results (package main).
package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"parley/core/fault"
)

// passphraseVariable is where a passphrase may be given. It is no setting of the server, and
// no flag: other users of the machine see arguments.
const passphraseVariable = "BACKUP_PASSPHRASE"

// maxPassphraseFile bounds how many bytes of a file are read.
const maxPassphraseFile = 4 << 10

// Passphrase is where a command gets a passphrase from.
type Passphrase struct {
	PassphraseFile string `name:"passphrase-file" env:"BACKUP_PASSPHRASE_FILE" placeholder:"PATH" help:"File with the passphrase. Default: the variable BACKUP_PASSPHRASE, or ask on the terminal."`
}

// Read returns the configured passphrase, or asks for it, twice for a new one.
func (f Passphrase) Read(in io.Reader, out io.Writer, isNew bool) (string, error) {
	passphrase, err := f.Configured()
	if err != nil || passphrase != "" {
		return passphrase, err
	}
	terminal, isFile := in.(*os.File)
	if !isFile || !term.IsTerminal(int(terminal.Fd())) {
		return "", fault.New(fault.Invalid, "Give the passphrase of the backup: set %s, or name a file with --passphrase-file.", passphraseVariable)
	}
	passphrase, err = ask(terminal, out, "Passphrase: ")
	if err != nil || !isNew {
		return passphrase, err
	}
	again, err := ask(terminal, out, "Once more: ")
	if err == nil && again != passphrase {
		return "", fault.New(fault.Invalid, "The two passphrases differ.")
	}
	return passphrase, err
}

// Configured returns the passphrase of the file or the variable, or an empty one.
func (f Passphrase) Configured() (string, error) {
	if f.PassphraseFile == "" {
		return os.Getenv(passphraseVariable), nil
	}
	file, err := os.Open(f.PassphraseFile)
	if err != nil {
		return "", fmt.Errorf("cannot read the passphrase: %w", err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxPassphraseFile))
	if err != nil {
		return "", fmt.Errorf("cannot read the passphrase: %w", err)
	}
	line, _, _ := strings.Cut(string(content), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", fault.New(fault.Invalid, "The file %s has no passphrase in its first line.", f.PassphraseFile)
	}
	return line, nil
}

func ask(terminal *os.File, to io.Writer, question string) (string, error) {
	fmt.Fprint(to, question)
	answer, err := term.ReadPassword(int(terminal.Fd()))
	fmt.Fprintln(to)
	return string(answer), err
}

// Is reports whether an output is one.
func Is(out io.Writer) bool {
	file, isFile := out.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}
