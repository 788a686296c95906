package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"parley/bench/proc"
)

const (
	// startWithin bounds the start of a server.
	startWithin = 60 * time.Second
	// stopWithin bounds its orderly end; then it is killed.
	stopWithin = 15 * time.Second
)

// process is a server that runs beside the benchmark.
type process struct {
	address string // host:port
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	log     string // The file that has what it said.
}

// command is a program to start as a process.
type command struct {
	name        string // For errors and the log file.
	dir         string // Where the log goes.
	path        string
	arguments   []string
	environment []string
}

// start starts a program, which ends with ctx at the latest.
func (c command) start(ctx context.Context) (*process, io.Reader, error) {
	log, err := os.OpenFile(filepath.Join(c.dir, c.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, c.path, c.arguments...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopWithin
	cmd.Dir, cmd.Env, cmd.Stderr = c.dir, c.environment, log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	return &process{cmd: cmd, stdin: stdin, log: log.Name()}, stdout, nil
}

// startSelf starts a part of the benchmark, and waits until it says where it
// listens.
func startSelf(ctx context.Context, dir, name string, arguments ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p, stdout, err := command{name: name, dir: dir, path: self, arguments: arguments, environment: os.Environ()}.start(ctx)
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s did not start. It said:\n%s", name, p.said()), p.stop())
	}
	p.address = strings.TrimSpace(line)
	return p, nil
}

// stop ends a process in order, and kills it when that takes too long.
func (p *process) stop() error {
	kill := time.AfterFunc(stopWithin, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	_ = p.stdin.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGTERM {
		return nil
	}
	return err
}

// cpu returns the CPU time that the process has used.
func (p *process) cpu() (time.Duration, error) { return proc.CPU(p.cmd.Process.Pid) }

// resident returns the bytes of memory that the process holds.
func (p *process) resident() (int64, error) { return proc.Resident(p.cmd.Process.Pid) }

// said returns the end of what the process said.
func (p *process) said() string {
	const most = 4 << 10
	log, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-most):])
}
