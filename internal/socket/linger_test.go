package socket

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

const answer = "HTTP/1.1 413 Request Entity Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

func TestLingering(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 10<<20)

	t.Run("a client that sends 10 MiB can send all of it and read the whole response", func(t *testing.T) {
		server, client := pair(t)
		sent := make(chan error, 1)
		go func() {
			_, err := client.Write(body)
			sent <- err
		}()
		var first [1024]byte
		_, err := io.ReadFull(server, first[:])
		must(t, err)
		_, err = io.WriteString(server, answer)
		must(t, err)
		must(t, client.SetReadDeadline(time.Now().Add(patience)))
		closed := closing(server)
		must(t, <-sent)
		readsAnswer(t, client)
		must(t, client.Close())
		must(t, <-closed)
	})

	t.Run("so can one whose body has not arrived yet, if more is expected", func(t *testing.T) {
		server, client := pair(t)
		ExpectMore(server)
		_, err := io.WriteString(server, answer)
		must(t, err)
		must(t, client.SetReadDeadline(time.Now().Add(patience)))
		closed := closing(server)
		readsAnswer(t, client) // up to the end, which the server sent before the body arrives
		_, err = client.Write(body)
		must(t, err)
		must(t, client.Close())
		must(t, <-closed)
	})

	t.Run("a connection with nothing unread closes immediately, even if the client stays", func(t *testing.T) {
		server, client := pair(t)
		must(t, server.Close())
		_, err := server.Read(make([]byte, 1))
		if !errors.Is(err, net.ErrClosed) {
			t.Fatalf("the server's end is open: %v", err)
		}
		must(t, client.SetReadDeadline(time.Now().Add(patience)))
		if n, err := client.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Fatalf("the client read %d, %v", n, err)
		}
	})

	t.Run("a client that reads nothing is reset, and unsent bytes are discarded", func(t *testing.T) {
		server, client := pair(t)
		must(t, server.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
		_, err := server.Write(bytes.Repeat([]byte("x"), 64<<20))
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("all was taken: %v", err)
		}
		must(t, server.Close())
		must(t, client.SetReadDeadline(time.Now().Add(patience)))
		n, err := io.Copy(io.Discard, client)
		if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("the client read %d bytes and then %v", n, err)
		}
	})

	t.Run("connections other than TCP are accepted unchanged", func(t *testing.T) {
		here, _ := net.Pipe()
		defer here.Close()
		ExpectMore(here)
		got, err := Listen(oneConn{conn: here}, Limits{}).Accept()
		if err != nil || got != here {
			t.Fatalf("got %v, %v", got, err)
		}
	})
}

func closing(c net.Conn) <-chan error {
	closed := make(chan error, 1)
	go func() { closed <- c.Close() }()
	return closed
}

func readsAnswer(t *testing.T, client net.Conn) {
	t.Helper()
	got, err := io.ReadAll(client)
	if err != nil || string(got) != answer {
		t.Fatalf("the client read %q, %v", got, err)
	}
}

type oneConn struct {
	net.Listener
	conn net.Conn
}

func (o oneConn) Accept() (net.Conn, error) { return o.conn, nil }
