package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Cgroup starts processes that may have a certain memory together, beyond which the kernel
// ends one. Root makes the control group itself; anybody else needs the systemd of a
// session that may limit memory.
type Cgroup struct {
	*testing.T
	bytes int64
	// dir is the control group of root, and empty for systemd.
	dir string
}

// The hierarchies of version 2 and 1 of control groups.
const (
	unified  = "/sys/fs/cgroup"
	memoryV1 = "/sys/fs/cgroup/memory"
)

// NewCgroup returns a control group, or fails the test where none can be made.
func NewCgroup(t *testing.T, bytes int64) *Cgroup {
	t.Helper()
	g := &Cgroup{T: t, bytes: bytes}
	root, limit := memoryV1, "memory.limit_in_bytes"
	if controllers, err := os.ReadFile(filepath.Join(unified, "cgroup.controllers")); err == nil && strings.Contains(string(controllers), "memory") {
		root, limit = unified, "memory.max"
	}
	dir := filepath.Join(root, fmt.Sprintf("parley-test-%d", os.Getpid()))
	if os.Geteuid() != 0 || os.Mkdir(dir, 0o700) != nil {
		if _, err := exec.LookPath("systemd-run"); err != nil {
			t.Fatal("this test needs a control group: run it as root, or where systemd-run --user works")
		}
		return g
	}
	g.dir = dir
	t.Cleanup(func() { _ = os.Remove(dir) }) // its processes have ended
	if err := os.WriteFile(filepath.Join(dir, limit), []byte(strconv.FormatInt(bytes, 10)), 0); err != nil {
		t.Fatalf("the memory cannot be limited: %v", err)
	}
	_ = os.WriteFile(filepath.Join(dir, "memory.swap.max"), []byte("0"), 0) // version 1 has another
	return g
}

// command is a command line in the group.
func (g *Cgroup) command(program string, arguments []string) *exec.Cmd {
	if g.dir == "" {
		return exec.Command("systemd-run", append([]string{
			"--user", "--scope", "--quiet", "-p", fmt.Sprintf("MemoryMax=%d", g.bytes), "-p", "MemorySwapMax=0", program,
		}, arguments...)...)
	}
	return exec.Command("sh", append([]string{"-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, g.dir, program}, arguments...)...)
}

// of is the folder of a process's group.
func (g *Cgroup) of(p *Process) string {
	g.Helper()
	if g.dir != "" {
		return g.dir
	}
	groups, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", p.Command.Process.Pid))
	if err != nil {
		g.Fatal(err)
	}
	for line := range strings.Lines(string(groups)) {
		if path, is := strings.CutPrefix(strings.TrimSpace(line), "0::"); is {
			return unified + path
		}
	}
	g.Fatalf("the process is in no control group: %s", groups)
	return ""
}

// Kills is how many processes of the group the kernel has ended for want of memory.
func (g *Cgroup) Kills(p *Process) int64 {
	return g.number(p, []string{"memory.events", "memory.oom_control"}, "oom_kill")
}

// Peak is the most memory, in bytes, that the group has had.
func (g *Cgroup) Peak(p *Process) int64 {
	return g.number(p, []string{"memory.peak", "memory.max_usage_in_bytes"}, "")
}

// number reads the number behind a name in the first of the files that is there, or the
// number that is all of it.
func (g *Cgroup) number(p *Process, files []string, name string) int64 {
	g.Helper()
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(g.of(p), file))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(content)) {
			fields := strings.Fields(line)
			if len(fields) == 2 && fields[0] != name || len(fields) == 1 && name != "" {
				continue
			}
			n, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
			if err != nil {
				g.Fatal(err)
			}
			return n
		}
	}
	g.Fatalf("none of %v says %q", files, name)
	return 0
}
