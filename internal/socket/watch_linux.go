package socket

import (
	"errors"
	"net"
	"sync"
	"syscall"
)

// watch asks the kernel to tell when the other end closes. All watched connections
// share one goroutine: one for each would cost every open stream a stack.
func watch(_ net.Conn, rc syscall.RawConn, gone func()) (stop func()) {
	all, err := sharedWatcher()
	if err != nil {
		return func() {}
	}
	one := &watchedConn{gone: gone}
	key := all.add(one)
	var failed error
	err = rc.Control(func(fd uintptr) { failed = all.register(fd, key) })
	if errors.Join(err, failed) != nil {
		all.remove(key)
		return func() {}
	}
	return func() {
		one.stop()
		if all.remove(key) {
			_ = rc.Control(all.unregister) // a closed connection is registered no more
		}
	}
}

// watchedConn is one watched connection.
type watchedConn struct {
	mu   sync.Mutex
	gone func() // nil once it was called, or must not be
}

// end calls gone, unless the watch has ended.
func (w *watchedConn) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if gone := w.gone; gone != nil {
		w.gone = nil
		gone()
	}
}

// stop returns when gone neither runs nor will run.
func (w *watchedConn) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone = nil
}

// watcher waits for the ends of all watched connections.
type watcher struct {
	epoll int

	mu  sync.Mutex
	key uint64 // the last one given out: file descriptors are reused, keys are not
	all map[uint64]*watchedConn
}

// sharedWatcher starts the process's watcher when it is first needed.
var sharedWatcher = sync.OnceValues(func() (*watcher, error) {
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	w := &watcher{epoll: epoll, all: map[uint64]*watchedConn{}}
	go w.run()
	return w, nil
})

func (w *watcher) add(one *watchedConn) (key uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.key++
	w.all[w.key] = one
	return w.key
}

// remove reports whether the key was there.
func (w *watcher) remove(key uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.all[key]
	delete(w.all, key)
	return ok
}

// register asks for one event: EPOLLRDHUP when the other end closes. A reset, which is
// EPOLLERR and EPOLLHUP, always comes. Unread bytes do not wake the watcher.
func (w *watcher) register(fd uintptr, key uint64) error {
	event := syscall.EpollEvent{Events: syscall.EPOLLRDHUP | syscall.EPOLLONESHOT, Fd: int32(key), Pad: int32(key >> 32)}
	return syscall.EpollCtl(w.epoll, syscall.EPOLL_CTL_ADD, int(fd), &event)
}

func (w *watcher) unregister(fd uintptr) {
	_ = syscall.EpollCtl(w.epoll, syscall.EPOLL_CTL_DEL, int(fd), nil)
}

// run lasts as long as the process.
func (w *watcher) run() {
	events := make([]syscall.EpollEvent, 128)
	for {
		n, err := syscall.EpollWait(w.epoll, events, -1)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return // the descriptor is bad: failing writes show who has gone
		}
		for i := range max(n, 0) {
			key := uint64(uint32(events[i].Fd)) | uint64(uint32(events[i].Pad))<<32
			if one := w.find(key); one != nil {
				go one.end() // what it cancels must not hold up the others
			}
		}
	}
}

func (w *watcher) find(key uint64) *watchedConn {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all[key]
}
