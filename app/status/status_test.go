//go:build unix

package status_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/app/status"
	"parley/internal/health"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// private returns a folder that only this user may write to.
func private(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "status-") // the path of t.TempDir may be too long
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func current() status.Status {
	return status.Of("1.2.3", time.Now(), []health.State{
		{Name: "model", Reason: "It is away.", Err: &health.Reason{Sentence: "It is away.", Cause: errors.New("dial")}},
	})
}

func listen(t *testing.T, dir string) *status.Listener {
	t.Helper()
	l, err := status.Listen(t.Context(), dir, current)
	must(t, err)
	t.Cleanup(l.Close)
	return l
}

func asked(t *testing.T, dir string) {
	t.Helper()
	s, err := status.Ask(t.Context(), dir)
	if err != nil || s.PID != os.Getpid() || s.Version != "1.2.3" || s.Status != health.Degraded || len(s.Parts) != 1 || s.Parts[0].Cause != "dial" {
		t.Errorf("it says %+v, %v", s, err)
	}
}

func TestAsk(t *testing.T) {
	t.Run("a server answers whoever may read its folder, again and again", func(t *testing.T) {
		dir := private(t)
		l := listen(t, dir)
		asked(t, dir)
		asked(t, dir)
		info, err := os.Lstat(filepath.Join(dir, status.Name))
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("the socket's mode is %v", info.Mode())
		}
		l.Close()
		if _, err := os.Lstat(filepath.Join(dir, status.Name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after the stop the socket is there: %v", err)
		}
		if _, err := status.Ask(t.Context(), dir); !errors.Is(err, status.ErrNone) {
			t.Errorf("then it says %v", err)
		}
	})
	t.Run("without a folder no server runs", func(t *testing.T) {
		if _, err := status.Ask(t.Context(), filepath.Join(private(t), "none")); !errors.Is(err, status.ErrNone) {
			t.Errorf("it says %v", err)
		}
	})
	t.Run("the socket of a server that was killed is nobody's, and the next server replaces it", func(t *testing.T) {
		dir := private(t)
		dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, status.Name), Net: "unix"})
		must(t, err)
		dead.SetUnlinkOnClose(false)
		must(t, dead.Close())
		must(t, os.Chmod(filepath.Join(dir, status.Name), 0o600))
		if _, err := status.Ask(t.Context(), dir); !errors.Is(err, status.ErrNone) {
			t.Errorf("it says %v", err)
		}
		listen(t, dir)
		asked(t, dir)
	})
	t.Run("the socket of a server that runs is not replaced", func(t *testing.T) {
		dir := private(t)
		listen(t, dir)
		if _, err := status.Listen(t.Context(), dir, current); err == nil || !strings.Contains(err.Error(), "another server") {
			t.Errorf("the second one gets %v", err)
		}
		asked(t, dir)
	})
	t.Run("a long path is no hindrance, or is named as one", func(t *testing.T) {
		dir := filepath.Join(private(t), strings.Repeat("long", 40))
		must(t, os.Mkdir(dir, 0o700))
		l, err := status.Listen(t.Context(), dir, current)
		if err != nil {
			if !strings.Contains(err.Error(), "too long") {
				t.Errorf("it says %v", err)
			}
			return
		}
		defer l.Close()
		asked(t, dir)
		l.Close()
		if _, err := os.Lstat(filepath.Join(dir, status.Name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after the stop the socket is there: %v", err)
		}
	})
}

func TestRefusals(t *testing.T) {
	refused := func(t *testing.T, dir, because string) {
		t.Helper()
		if s, err := status.Ask(t.Context(), dir); err == nil || errors.Is(err, status.ErrNone) || !strings.Contains(err.Error(), because) {
			t.Errorf("it is told %+v, %v", s, err)
		}
	}
	t.Run("a folder that others may write to is not believed, and gets no socket", func(t *testing.T) {
		for _, mode := range []fs.FileMode{0o720, 0o702, 0o1777} {
			dir := private(t)
			listen(t, dir)
			must(t, os.Chmod(dir, mode))
			refused(t, dir, "other users may write to the folder")
			if _, err := status.Listen(t.Context(), dir, current); err == nil || !strings.Contains(err.Error(), "chmod go-w") {
				t.Errorf("a server there gets %v", err)
			}
		}
	})
	t.Run("a socket that others may write to is not believed", func(t *testing.T) {
		dir := private(t)
		listen(t, dir)
		must(t, os.Chmod(filepath.Join(dir, status.Name), 0o666))
		refused(t, dir, "other users may write to the socket")
	})
	t.Run("a folder or socket of another user is not believed", func(t *testing.T) {
		if err := status.CheckUser(uint32(os.Geteuid()) + 1); err == nil {
			t.Error("another user is believed")
		}
		if os.Geteuid() != 0 { // only root gives files away
			return
		}
		dir := private(t)
		listen(t, dir)
		must(t, os.Chown(filepath.Join(dir, status.Name), 65534, -1))
		refused(t, dir, "belongs to user 65534")
		must(t, os.Chown(filepath.Join(dir, status.Name), 0, -1))
		must(t, os.Chown(dir, 65534, -1))
		refused(t, dir, "belongs to user 65534")
	})
	t.Run("what is no socket is not believed, and not replaced", func(t *testing.T) {
		for name, plant := range map[string]func(path string) error{
			"a file":   func(path string) error { return os.WriteFile(path, []byte(`{"version":"forged"}`), 0o600) },
			"a link":   func(path string) error { return os.Symlink("/dev/null", path) },
			"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		} {
			dir := private(t)
			must(t, plant(filepath.Join(dir, status.Name)))
			refused(t, dir, "no socket")
			if _, err := status.Listen(t.Context(), dir, current); err == nil || !strings.Contains(err.Error(), "no socket") {
				t.Errorf("%s: a server there gets %v", name, err)
			}
		}
	})
	t.Run("a server that says nothing of use is one that does not answer", func(t *testing.T) {
		for said, text := range map[string]string{"nothing": "", "half": `{"version":"1`, "something else": "SSH-2.0\r\n"} {
			dir := private(t)
			socket, err := net.Listen("unix", filepath.Join(dir, status.Name))
			must(t, err)
			must(t, os.Chmod(filepath.Join(dir, status.Name), 0o600))
			go func() {
				for {
					c, err := socket.Accept()
					if err != nil {
						return
					}
					_, _ = c.Write([]byte(text))
					_ = c.Close()
				}
			}()
			if _, err := status.Ask(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "does not answer") {
				t.Errorf("of one that says %s: %v", said, err)
			}
			_ = socket.Close()
		}
	})
	t.Run("one who connects and does not read keeps nobody out", func(t *testing.T) {
		dir := private(t)
		listen(t, dir)
		c, err := net.Dial("unix", filepath.Join(dir, status.Name))
		must(t, err)
		defer c.Close()
		asked(t, dir)
	})
}
