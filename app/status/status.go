// Package status tells the doctor what a running server sees of itself, over a socket in the
// server's data folder.
//
// Only the server's user and root can connect, and only to a socket in a folder that nobody else
// may write to: otherwise somebody else could answer in the server's place. Nothing is read from
// whoever connects. What is told has no secret and nothing of a workspace.
//
// It does not own what the parts are and when they are checked (package internal/health).
package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"parley/internal/health"
)

// Name is the name of the socket in the data folder.
const Name = "server.sock"

const (
	// answersWithin bounds an answer, and maxAnswer what is read of it.
	answersWithin = 3 * time.Second
	maxAnswer     = 1 << 20
	// maxPath is how long the path of a socket may be: sockaddr_un has 108 bytes on Linux and
	// 104 elsewhere, with a zero at the end.
	maxPath = 103
)

// Status is what a server says of itself.
type Status struct {
	Version string        `json:"version"`
	PID     int           `json:"pid"`
	Began   time.Time     `json:"began_at"`
	Status  health.Status `json:"status"`
	Parts   []Part        `json:"parts"`
}

// Part is a part of the server as its last check found it.
type Part struct {
	Name   string `json:"name"`
	Vital  bool   `json:"vital"`
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitzero"`
	Cause  string `json:"cause,omitzero"`
	// Pending says that nobody need act.
	Pending bool      `json:"pending,omitzero"`
	Since   time.Time `json:"since"`
}

// Of returns the status of this process.
func Of(version string, began time.Time, states []health.State) Status {
	s := Status{Version: version, PID: os.Getpid(), Began: began, Status: health.StatusOf(states, false)}
	for _, state := range states {
		part := Part{Name: state.Name, Vital: state.Vital, Ready: state.Ready, Reason: state.Reason, Pending: state.Pending, Since: state.Since}
		if cause := causeOf(state.Err); cause != nil {
			part.Cause = cause.Error()
		}
		s.Parts = append(s.Parts, part)
	}
	return s
}

// causeOf is what of an error its reason does not say.
func causeOf(err error) error {
	var known *health.Reason
	if errors.As(err, &known) {
		return known.Cause
	}
	return err
}

// Listener answers on the socket of a data folder.
type Listener struct {
	socket  net.Listener
	folder  *folder
	current func() Status
	done    chan struct{}
	once    sync.Once
}

// Listen opens the socket, and answers there until the listener is closed. The caller has the lock
// on the folder, so that a socket of an earlier process is stale. It fails if others may write to
// the folder.
func Listen(ctx context.Context, dir string, current func() Status) (*Listener, error) {
	in, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	socket, err := in.listen(ctx)
	if err != nil {
		return nil, errors.Join(err, in.close())
	}
	l := &Listener{socket: socket, folder: in, current: current, done: make(chan struct{})}
	go l.answer()
	return l, nil
}

// Close stops answering and removes the socket. A nil listener has none.
func (l *Listener) Close() {
	if l == nil {
		return
	}
	l.once.Do(func() {
		_ = l.socket.Close() // which removes it
		<-l.done
		_ = l.folder.close()
	})
}

// answer answers one caller after the other: they are few, and each is served within a bound.
func (l *Listener) answer() {
	defer close(l.done)
	for {
		connection, err := l.socket.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as too many open files
			time.Sleep(100 * time.Millisecond)
			continue
		}
		_ = connection.SetDeadline(time.Now().Add(answersWithin))
		_ = json.NewEncoder(connection).Encode(l.current()) // the caller sees that it is incomplete
		_ = connection.Close()
	}
}

// ErrNone is that no server runs on a data folder.
var ErrNone = errors.New("no server runs on this data folder")

// Ask returns what the server that runs on a data folder says. It is [ErrNone] if there is no
// server, and another error if a socket is there that is not to be believed or does not answer.
func Ask(ctx context.Context, dir string) (Status, error) {
	in, err := openFolder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Status{}, ErrNone
	}
	if err != nil {
		return Status{}, err
	}
	defer in.close()
	if err := in.checkSocket(); err != nil {
		return Status{}, err
	}
	path, err := in.path()
	if err != nil {
		return Status{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	connection, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) { // of a server that was killed
		return Status{}, ErrNone
	}
	if err != nil {
		return Status{}, fmt.Errorf("the server's socket %s: %w", in.socketName(), err)
	}
	defer connection.Close()
	if err := checkPeer(connection); err != nil {
		return Status{}, err
	}
	_ = connection.SetDeadline(time.Now().Add(answersWithin))
	var s Status
	if err := json.NewDecoder(io.LimitReader(connection, maxAnswer)).Decode(&s); err != nil {
		return Status{}, fmt.Errorf("the server at %s does not answer: %w", in.socketName(), err)
	}
	return s, nil
}

// folder is a data folder that nobody else may write to. It stays the same folder, whatever
// happens to its name.
type folder struct {
	dir string
	fd  *os.File
}

// openFolder opens a folder, and fails unless only its user and root may write to it.
func openFolder(dir string) (*folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = checkOwn("folder", dir, info)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &folder{dir, file}, nil
}

func (f *folder) close() error { return f.fd.Close() }

func (f *folder) socketName() string { return filepath.Join(f.dir, Name) }

// path is where the socket is, in as few bytes as an address of a socket takes.
func (f *folder) path() (string, error) {
	path := f.socketName()
	if len(path) <= maxPath {
		return path, nil
	}
	if short := viaDescriptor(f.fd); short != "" {
		return filepath.Join(short, Name), nil
	}
	return "", fmt.Errorf("the path %s is too long for a socket, which takes %d bytes: give the server a data folder with a shorter path", path, maxPath)
}

// listen opens the socket in place of one that nobody listens on any more.
func (f *folder) listen(ctx context.Context) (net.Listener, error) {
	path, err := f.path()
	if err != nil {
		return nil, err
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s is no socket: move it away", f.socketName())
	default:
		if other, err := (&net.Dialer{}).DialContext(ctx, "unix", path); err == nil {
			_ = other.Close()
			return nil, fmt.Errorf("another server answers at %s", f.socketName())
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	config := net.ListenConfig{Control: private}
	socket, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil { // where private has no effect
		return nil, errors.Join(err, socket.Close())
	}
	return socket, nil
}

// checkSocket fails unless the socket belongs to whom the server may belong to.
func (f *folder) checkSocket() error {
	path, err := f.path()
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNone
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is no socket: move it away", f.socketName())
	}
	return checkOwn("socket", f.socketName(), info)
}
