// Package diskspace finds out whether folders still take files. Only writing tells: free
// blocks say nothing of quotas, of inodes, or of a file system that was made read-only.
package diskspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

// Prefix begins the names of the files that a probe writes and removes.
const Prefix = "server.probe"

const (
	// reserve is what must fit. It is left for what still works in a full folder: to
	// end answers and to delete.
	reserve = 1 << 20
	// knownFor is how long the outcome of a probe holds.
	knownFor = time.Second
)

// Probe writes a file to a folder and removes it. It fails if the folder takes none.
func Probe(dir string) error {
	file, err := os.CreateTemp(dir, Prefix+"-*")
	if err != nil {
		return fmt.Errorf("the folder %s takes no files: %w", dir, err)
	}
	_ = os.Remove(file.Name()) // a crash then leaves nothing
	_, err = file.Write(make([]byte, reserve))
	err = errors.Join(err, file.Close())
	_ = os.Remove(file.Name()) // on systems that keep files that are open
	if err != nil {
		return fmt.Errorf("the folder %s is full: %w", dir, err)
	}
	return nil
}

// Says reports whether an error of the system says that a disk takes nothing.
func Says(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
}

// Folders are those that a server stores in. Several goroutines may use them.
type Folders struct {
	dirs []string

	mu     sync.Mutex
	probed time.Time
	err    error
}

// In returns the folders of some paths.
func In(dirs ...string) *Folders { return &Folders{dirs: dirs} }

// Check fails if one of the folders takes no files. It probes them at most once a second.
func (f *Folders) Check() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.probed.IsZero() && time.Since(f.probed) < knownFor {
		return f.err
	}
	f.err = nil
	for _, dir := range f.dirs {
		f.err = errors.Join(f.err, Probe(dir))
	}
	f.probed = time.Now()
	return f.err
}

type fullKey struct{}

// WithFull returns the context of a request that may store nothing, because storage is
// full, with the reason.
func WithFull(ctx context.Context, reason error) context.Context {
	return context.WithValue(ctx, fullKey{}, reason)
}

// Full returns the reason why a request may store nothing, or nil.
func Full(ctx context.Context) error {
	reason, _ := ctx.Value(fullKey{}).(error)
	return reason
}

// Room returns the free bytes and the size of the disk of the folders. Of several disks it
// takes the one with the least space.
func (f *Folders) Room() (free, size uint64, err error) {
	for i, dir := range f.dirs {
		here, all, err := roomOf(dir)
		if err != nil {
			return 0, 0, err
		}
		if i == 0 || here < free {
			free, size = here, all
		}
	}
	return free, size, nil
}
