package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// buildParley builds the program and returns its path.
func buildParley(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "parley")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", path, "./cmd/parley")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build Parley: %w\n%s", err, said)
	}
	return path, nil
}

// parleySystem prepares Parley with a workspace, a chatbot and the handbook.
// The database is a PostgreSQL URL, or empty for SQLite.
func parleySystem(ctx context.Context, dir, name, program, model, database string) (*system, error) {
	data, err := os.MkdirTemp(dir, "parley")
	if err != nil {
		return nil, err
	}
	environment := parleyEnvironment(data, model, database)
	c := command{name: name, dir: data, path: program, environment: environment}
	token, err := prepareParley(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := encodePassages(ctx, c); err != nil {
		return nil, err
	}
	s := &system{name: name, token: token}
	s.launch = func(ctx context.Context) (*process, error) {
		return startParley(ctx, c)
	}
	return s, nil
}

// parleyEnvironment returns the environment of a program with its data in a folder. The
// database is a PostgreSQL URL, or empty for SQLite.
func parleyEnvironment(data, model, database string) []string {
	environment := []string{
		"MAX_CONNECTIONS_PER_CLIENT=10000", // all clients have one address
		"PATH=" + os.Getenv("PATH"), "HOME=" + data, "TMPDIR=" + data,
		"DATA_DIR=" + data, "LLM_BASE_URL=http://" + model + "/v1", "LLM_API_KEY=x", "LLM_MODEL=bench",
	}
	if database != "" {
		environment = append(environment, "DATABASE_URL="+database)
	}
	return environment
}

// prepareParley gives the demo's workspace, whose plan has no limits, a chatbot
// that knows the handbook, and returns a token for it.
func prepareParley(ctx context.Context, c command) (token string, err error) {
	documents, err := writeHandbook(c.dir)
	if err != nil {
		return "", err
	}
	var workspace struct {
		ID string `json:"workspace_id"`
	}
	if err := c.ask(ctx, &workspace, "demo"); err != nil {
		return "", err
	}
	var chatbot struct {
		ID string `json:"id"`
	}
	if err := c.ask(ctx, &chatbot, "chatbot", "create", workspace.ID, "Handbook"); err != nil {
		return "", err
	}
	if err := c.ask(ctx, nil, append([]string{"knowledge", "add", chatbot.ID}, documents...)...); err != nil {
		return "", err
	}
	var issued struct {
		Token string `json:"token"`
	}
	if err := c.ask(ctx, &issued, "token", "create", chatbot.ID); err != nil {
		return "", err
	}
	if issued.Token == "" {
		return "", errors.New("parley token create --json printed no token")
	}
	return issued.Token, nil
}

// ask runs a command of Parley's and reads the JSON that it prints.
func (c command) ask(ctx context.Context, into any, arguments ...string) error {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, c.path, append(arguments, "--json")...)
	cmd.Dir, cmd.Env, cmd.Stderr = c.dir, c.environment, &said
	printed, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("parley %s: %w\n%s", arguments[0], err, said.Bytes())
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(printed, into); err != nil {
		return fmt.Errorf("parley %s --json printed no JSON: %w", arguments[0], err)
	}
	return nil
}

// startParley starts the server and waits until it is ready.
func startParley(ctx context.Context, c command) (*process, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	c.arguments = []string{"serve", "--listen", address}
	p, stdout, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	p.address = address
	if err := waitReady(ctx, "http://"+address+"/readyz"); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w. It said:\n%s", c.name, err, p.said()), p.stop())
	}
	return p, nil
}

// freeAddress returns an address that nothing listens on just now.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// waitReady asks until the answer is 200.
func waitReady(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		err := get(ctx, address)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("not ready within %v: %w", startWithin, err)
		}
	}
}

// get asks for an address and wants the status 200.
func get(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", address, strings.ToLower(response.Status))
	}
	return nil
}
