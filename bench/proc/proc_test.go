package proc

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestProc(t *testing.T) {
	t.Run("the CPU time is read after a name with anything in it", func(t *testing.T) {
		got, err := parseStat([]byte("7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 50 30 20 20 0"))
		if err != nil || got != (stat{parent: 1, own: 2 * time.Second, ended: 500 * time.Millisecond}) {
			t.Fatalf("got %v, %v", got, err)
		}
	})
	t.Run("the resident size is the second field, in pages", func(t *testing.T) {
		got, err := parseResident([]byte("900 3 1 1 0 1 0\n"), 4096)
		if err != nil || got != 3*4096 {
			t.Fatalf("got %v, %v", got, err)
		}
	})
	t.Run("what is cut is an error", func(t *testing.T) {
		if _, err := parseStat([]byte("7 (a) S 1 2")); err == nil {
			t.Error("there is a CPU time")
		}
		if _, err := parseResident([]byte("900"), 4096); err == nil {
			t.Error("there is a size")
		}
	})
}

func TestFind(t *testing.T) {
	line := []byte("/opt/bin/server\x00--host\x00here\x00--port\x0080\x00")
	t.Run("a process is known by its program and its arguments", func(t *testing.T) {
		if !matches(line, "server", []string{"--port", "80"}) {
			t.Error("it is not found")
		}
	})
	t.Run("another program, or one with other arguments, is not taken for it", func(t *testing.T) {
		if matches(line, "serve", []string{"--port", "80"}) || matches(line, "server", []string{"--port", "8"}) || matches(nil, "server", nil) {
			t.Error("it is found")
		}
	})
}

func TestFamilyCPU(t *testing.T) {
	t.Run("the time of a child that has ended stays in its family", func(t *testing.T) {
		before, err := FamilyCPU(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		busy := exec.Command("sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
		if err := busy.Run(); err != nil {
			t.Fatal(err)
		}
		after, err := FamilyCPU(os.Getpid())
		if used := busy.ProcessState.UserTime(); err != nil || after-before < used-2*tick {
			t.Fatalf("the family used %v more, %v; the child alone used %v", after-before, err, used)
		}
	})
	t.Run("a process knows the one that started it", func(t *testing.T) {
		if got, err := Parent(os.Getpid()); err != nil || got != os.Getppid() {
			t.Fatalf("got %d, %v", got, err)
		}
	})
}
