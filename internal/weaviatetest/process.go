package weaviatetest

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"parley/internal/testinputs"
)

// shown limits how much of a server's log a failed test shows, in bytes.
const shown = 8 << 10

// Process is a test's own server, or a node of its own cluster.
type Process struct {
	Server
	// args are the script's arguments, keys is the folder with the API key, and dir the
	// server's own folder, which has its address.
	args      []string
	keys, dir string
	output    *bytes.Buffer
	cmd       *exec.Cmd
	ended     chan struct{}
}

// Start starts a server that is killed, and whose data is deleted, when the
// test ends.
func Start(t testing.TB) *Process {
	t.Helper()
	dir := folder(t)
	p := &Process{args: []string{"serve", dir}, keys: dir, dir: dir}
	t.Cleanup(func() { p.end(t) })
	// Another process may take a port between the check and the start.
	for attempt := 1; !p.start(t); attempt++ {
		if attempt == 3 || !bytes.Contains(p.output.Bytes(), []byte("address already in use")) {
			t.Fatalf("The Weaviate server did not start. It said:\n%s", p.output)
		}
		if err := os.RemoveAll(filepath.Join(dir, "address")); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// folder makes a folder that is deleted when the test ends.
func folder(t testing.TB) string {
	t.Helper()
	testinputs.Use()
	dir, err := os.MkdirTemp("", "parley-weaviate.")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// end kills the server, and shows what it said if the test has failed.
func (p *Process) end(t testing.TB) {
	p.Kill()
	if t.Failed() && p.output != nil {
		said := p.output.Bytes()
		t.Logf("After its last start the Weaviate server %s said:\n%s", p.URL, said[max(0, len(said)-shown):])
	}
}

// Kill kills the server as kill -9 does, and returns when it is gone.
func (p *Process) Kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.ended
	p.cmd = nil
}

// Restart starts the server again on its data, its ports and its key, after a
// [Process.Kill].
func (p *Process) Restart(t testing.TB) {
	t.Helper()
	if !p.start(t) {
		t.Fatalf("The Weaviate server did not start again. It said:\n%s", p.output)
	}
}

// start reports whether the server became ready.
func (p *Process) start(t testing.TB) bool {
	t.Helper()
	p.launch(t)
	return p.started()
}

// launch starts the server, and does not wait for it.
func (p *Process) launch(t testing.TB) {
	t.Helper()
	script, err := script()
	if err != nil {
		t.Fatal(err)
	}
	p.output = &bytes.Buffer{}
	p.cmd, p.ended = exec.Command(script, p.args...), make(chan struct{})
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	endWithParent(p.cmd)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func(cmd *exec.Cmd, ended chan struct{}) {
		defer close(ended)
		_ = cmd.Wait()
	}(p.cmd, p.ended)
}

// started waits until the server is ready, and kills it if that takes too long.
func (p *Process) started() bool {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for !p.ready() {
		select {
		case <-look.C:
			continue
		case <-p.ended:
		case <-timeout.C:
		}
		p.Kill()
		return false
	}
	return true
}

// ready reports whether the server has printed its address, and answers there.
func (p *Process) ready() bool {
	address, err := os.ReadFile(filepath.Join(p.dir, "address"))
	if err != nil {
		return false
	}
	key, err := os.ReadFile(filepath.Join(p.keys, "key"))
	if err != nil {
		return false
	}
	if p.Server, err = parse(string(address), string(key)); err != nil {
		return false
	}
	status, _, err := p.call(http.MethodGet, "/v1/.well-known/ready", nil)
	return err == nil && status == http.StatusOK
}

// script finds scripts/weaviate.sh from any folder of this tree.
func script() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		script := filepath.Join(dir, "scripts", "weaviate.sh")
		if _, err := os.Stat(script); err == nil {
			return script, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", os.ErrNotExist
		}
		dir = parent
	}
}
