//go:build linux

// Package smalldisk lets tests fill a disk of their own, without the rights of an
// administrator: in a process with a view of its own of what is mounted.
package smalldisk

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
)

// folder names, in the environment of that process, where the disk is.
const folder = "PARLEY_TEST_SMALL_DISK"

// Disk is a disk in memory.
type Disk struct {
	*testing.T
	Dir     string
	options string
}

// Run runs a test in a process of its own, with an empty disk. The options are those of
// tmpfs, such as size=8m. The test has no parent, and calls Run first.
func Run(t *testing.T, options string, test func(d *Disk)) {
	t.Helper()
	if dir := os.Getenv(folder); dir != "" {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
			t.Fatal(err)
		}
		test(&Disk{t, dir, options})
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	again := exec.CommandContext(t.Context(), program, "-test.run=^"+regexp.QuoteMeta(t.Name())+"$", "-test.v")
	again.Env = append(os.Environ(), folder+"="+t.TempDir())
	again.SysProcAttr = &syscall.SysProcAttr{
		// What the test leaves behind ends with it, before its folder is removed.
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// Fill fills the disk up to its last byte, also once more, and returns what makes room
// again.
func (d *Disk) Fill() (free func()) {
	d.Helper()
	path := filepath.Join(d.Dir, "filling")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		d.Fatal(err)
	}
	defer file.Close()
	for size := 1 << 16; size > 0; {
		if _, err := file.Write(make([]byte, size)); err != nil {
			if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, io.ErrShortWrite) {
				d.Fatal(err)
			}
			size /= 2
		}
	}
	return func() { d.must(os.Remove(path)) }
}

// TakeInodes leaves no file to be made, and returns what makes room again.
func (d *Disk) TakeInodes() (free func()) {
	d.Helper()
	dir := filepath.Join(d.Dir, "inodes")
	d.must(os.MkdirAll(dir, 0o700))
	for {
		file, err := os.CreateTemp(dir, "")
		if errors.Is(err, syscall.ENOSPC) {
			return func() { d.must(os.RemoveAll(dir)) }
		}
		d.must(err)
		d.must(file.Close())
	}
}

// ReadOnly lets nobody write to the disk, as after an error of the device, and returns what
// lets them again. No file may be open.
func (d *Disk) ReadOnly() (free func()) {
	d.Helper()
	d.must(syscall.Mount("tmpfs", d.Dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, d.options))
	return func() { d.must(syscall.Mount("tmpfs", d.Dir, "tmpfs", syscall.MS_REMOUNT, d.options)) }
}

func (d *Disk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}
