package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// encodeWithin bounds how long the handbook is being encoded.
const encodeWithin = 5 * time.Minute

// encodePassages runs the server of c until it has encoded its passages, so that what is
// measured afterwards is not beside that. A program that encodes none is not started.
func encodePassages(ctx context.Context, c command) (err error) {
	ctx, cancel := context.WithTimeout(ctx, encodeWithin)
	defer cancel()
	if done, err := c.hasEncoded(ctx); done || err != nil {
		return err
	}
	p, err := startParley(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if done, err := c.hasEncoded(ctx); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the passages were not encoded within %v", encodeWithin)
		case <-tick.C:
		}
	}
}

// hasEncoded asks the doctor whether no passage is left to be encoded.
func (c command) hasEncoded(ctx context.Context) (bool, error) {
	cmd := exec.CommandContext(ctx, c.path, "doctor", "--json")
	cmd.Dir, cmd.Env = c.dir, c.environment
	printed, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) { // it fails where any part needs attention
		return false, err
	}
	var parts []struct{ Part, Detail string }
	if err := json.Unmarshal(printed, &parts); err != nil {
		return false, fmt.Errorf("parley doctor --json printed no JSON: %w", err)
	}
	for _, p := range parts {
		if p.Part == "encoding" && strings.Contains(p.Detail, "still to be encoded") {
			return false, nil
		}
	}
	return true, nil
}
