package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"parley/core/fault"
	"parley/extract/document"
	"parley/internal/diskspace"
)

const (
	// maxStderr is how much of a child's standard error the parent reads.
	maxStderr = 8 << 10
	// maxExtra is how much a reply may hold besides its Markdown.
	maxExtra = 8 << 20
	// compileTime limits how long compiling the PDF reader may take.
	compileTime = 2 * time.Minute
)

// inChild reads a document in a child process.
func (e *Extractor) inChild(ctx context.Context, in Input) (Result, error) {
	if err := e.admit(); err != nil {
		return Result{}, err
	}
	if mayBePDF(in) {
		if err := e.warmUp(ctx); err != nil {
			return Result{}, err
		}
	}
	head, err := json.Marshal(request{
		Kind: in.Kind, Name: document.Clip(in.Name, 1000), ContentType: document.Clip(in.ContentType, 200), BaseURL: document.Clip(in.BaseURL, 4000),
		Limits: e.limits, CacheDir: e.CacheDir, PDF: mayBePDF(in), Size: int64(len(in.Body)),
	})
	if err != nil {
		return Result{}, fmt.Errorf("extract: %w", err)
	}
	input := io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(in.Body))
	output, err := e.run(ctx, input, e.limits.Time, e.limits.Memory)
	if died := new(dead); errors.As(err, &died) && died.outside {
		e.cool() // the compiled reader may be gone
	}
	if err != nil {
		return Result{}, err
	}
	r, err := received(output)
	if err != nil {
		return Result{}, err
	}
	return e.resultOf(in, r)
}

// errNoSandbox means that the system cannot confine a child as Linux can.
var errNoSandbox = errors.New("this system cannot confine the process that reads files; set EXTRACT_UNCONFINED if that is acceptable on this machine")

func (e *Extractor) admit() error {
	if !e.sandboxed && !e.Unconfined {
		return errCannotRead(errNoSandbox)
	}
	return nil
}

// Check reports whether children work and can be confined. The error is Unavailable if not.
func (e *Extractor) Check(ctx context.Context) error { return e.probe(ctx, false) }

// probe is Check, with the reader of PDFs or without.
func (e *Extractor) probe(ctx context.Context, pdf bool) error {
	if err := e.admit(); err != nil {
		return err
	}
	head, err := json.Marshal(request{Probe: true, PDF: pdf, CacheDir: e.CacheDir, Limits: e.limits})
	if err != nil {
		return fmt.Errorf("extract: %w", err)
	}
	output, err := e.run(ctx, bytes.NewReader(append(head, '\n')), e.limits.Time, e.limits.Memory)
	if err == nil {
		_, err = received(output)
	}
	if err == nil || ctx.Err() != nil || fault.Is(err, fault.Unavailable) {
		return err
	}
	return errCannotRead(err)
}

// confines reports whether files are read in children on this system.
func (e *Extractor) confines() bool { return e.sandboxed || e.Unconfined }

// small is the size up to which a text is read and split in this process: a child costs some
// 10 ms, splitting some 25 ms more, and of a text at most some 400 bytes are made for each byte, what
// is freed at once included: 13 MiB.
const small = 32 << 10

// here reports whether a text of a size is read and split in this process: if it is small, or where
// no child can be confined. The limits are the same in both.
func (e *Extractor) here(size int) bool { return size <= small || !e.confines() }

// warmUp has a child compile the PDF reader into CacheDir, once per process. A
// child that reads a document cannot do so: it must not write files.
func (e *Extractor) warmUp(ctx context.Context) error {
	if e.CacheDir == "" {
		return nil
	}
	e.warming.Lock()
	defer e.warming.Unlock()
	if e.warm {
		return nil
	}
	head, err := json.Marshal(request{Warm: true, CacheDir: e.CacheDir})
	if err != nil {
		return fmt.Errorf("extract: %w", err)
	}
	if _, err := e.run(ctx, bytes.NewReader(append(head, '\n')), compileTime, 4<<30); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if said := err.Error(); strings.Contains(said, syscall.ENOSPC.Error()) || strings.Contains(said, syscall.EDQUOT.Error()) {
			return fault.OutOfStorage(errors.New(said))
		}
		return errCannotRead(err)
	}
	e.warm = true
	return nil
}

// cool makes the next PDF check again that the compiled reader exists.
func (e *Extractor) cool() {
	e.warming.Lock()
	defer e.warming.Unlock()
	e.warm = false
}

// run starts a child, and returns its output once it has exited. The child and all
// processes that it started are dead when run returns.
func (e *Extractor) run(ctx context.Context, input io.Reader, limit time.Duration, memory int64) ([]byte, error) {
	if len(e.program) == 0 {
		return nil, errors.New("extract: no program for the child")
	}
	dir, err := os.MkdirTemp("", "parley-extract-")
	if diskspace.Says(err) {
		return nil, fault.OutOfStorage(err)
	}
	if err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	defer os.RemoveAll(dir)

	timed, cancel := context.WithTimeoutCause(ctx, limit, errTime(limit))
	defer cancel()
	limited, stop := context.WithCancelCause(timed)
	defer stop(nil)

	stdout := &bounded{limit: 2*e.limits.Markdown + maxExtra, full: func() { stop(document.Stopped(errors.New("the child's reply is too long"))) }}
	stderr := &bounded{limit: maxStderr}
	child := exec.CommandContext(limited, e.program[0], e.program[1:]...)
	child.Dir, child.Env = dir, environment()
	child.Stdin, child.Stdout, child.Stderr = input, stdout, stderr
	child.Cancel = func() error { return killGroup(child) }
	child.WaitDelay = 5 * time.Second
	ownGroup(child)
	if err := child.Start(); err != nil {
		e.count(endOf(nil, false))
		return nil, fmt.Errorf("extract: starting the child: %w", err)
	}
	if e.began != nil {
		e.began(child.Process.Pid)
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watchMemory(limited, child.Process.Pid, memory, func() { stop(document.OutOfMemory(nil)) })
	}()
	err = child.Wait()
	failure := context.Cause(limited)
	stop(nil)
	<-watched
	if e.ended != nil {
		e.ended(child.ProcessState)
	}
	if ctx.Err() == nil {
		e.count(endOf(child.ProcessState, failure != nil))
	}
	switch {
	case errors.Is(err, exec.ErrWaitDelay):
		_ = killGroup(child) // a process of the group may still hold the output open
		return nil, document.Stopped(err)
	case err == nil:
		return stdout.kept.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case failure != nil:
		return nil, failure
	}
	e.kills.note(err)
	return nil, ended(err, stderr.kept.String())
}

func (e *Extractor) count(end End) {
	if e.Count != nil {
		e.Count(end)
	}
}

// ended says why a child exited that the parent did not stop.
func ended(err error, complaint string) error {
	var exit *exec.ExitError
	switch {
	case !errors.As(err, &exit), endedFromOutside(exit.ProcessState), containsAny(complaint, fromOutside):
		return endedOutside(err)
	case exit.ExitCode() == exitInternal: // before it read the document
		return endedOutside(fmt.Errorf("%w: %s", err, document.Clip(document.Line(complaint), 300)))
	case exit.ExitCode() == exitMemory:
		return document.OutOfMemory(err)
	case containsAny(complaint, outOfMemory):
		return &dead{fault.As(document.OutOfMemory(err)), false}
	}
	return stopped(err)
}

func errTime(limit time.Duration) error {
	said := document.Count(int(limit.Minutes()), "minute")
	if limit%time.Minute != 0 {
		said = document.Count(int(limit.Seconds()), "second")
	}
	return fault.New(fault.TooLarge, "Reading this file took longer than %s. Split it, and add its parts.", said)
}

// environment returns the child's environment, which holds no secrets.
func environment() []string {
	env := []string{"GOMAXPROCS=2", "GOTRACEBACK=single"}
	if runtime.GOOS == "windows" {
		env = append(env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
	}
	return env
}

// bounded keeps the first bytes written to it and drops the rest. Write is its
// only method: io.Copy would call a bytes.Buffer's ReadFrom, which reads without a
// limit.
type bounded struct {
	kept  bytes.Buffer
	limit int
	full  func()
}

func (b *bounded) Write(p []byte) (int, error) {
	left := b.limit - b.kept.Len()
	b.kept.Write(p[:min(left, len(p))])
	if len(p) > left && b.full != nil {
		b.full()
	}
	return len(p), nil
}
