package pgtest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
)

// session is one connection through a proxy. The client's messages go on in exchanges: all
// up to the one for which the server says that it is ready for the next query.
type session struct {
	proxy          *Proxy
	client, server net.Conn
	gone           chan struct{}
	once           sync.Once

	// What the client has prepared and bound; only the client's goroutine uses these.
	statements  map[string]string
	portals     map[string]statement
	transaction strings.Builder

	mu        sync.Mutex
	exchanges []*Fault // one for each answer that is awaited, most of them nil
}

// statement is one that the client runs.
type statement struct {
	text string
	// elements is how many the first parameter has, if it is an array.
	elements int
}

// The types of messages that matter here.
const (
	parseType, bindType, describeType, executeType, closeType = 'P', 'B', 'D', 'E', 'C'

	queryType, syncType = 'Q', 'S'

	completeType, readyType, notificationType = 'C', 'Z', 'A'
)

const (
	codeOfTLS    = 80877103
	codeOfGSS    = 80877104
	codeOfCancel = 80877102
)

func (s *session) run() {
	defer s.proxy.forget(s)
	defer s.close()
	reader := bufio.NewReader(s.client)
	if !s.begin(reader) {
		return
	}
	answering := make(chan struct{})
	go func() {
		defer close(answering)
		defer s.close()
		s.answer(bufio.NewReader(s.server))
	}()
	s.ask(reader)
	s.leave()
	<-answering
}

// leave ends the connection to the server when the client has left. The server
// first gets to read what it was sent.
func (s *session) leave() {
	if half, ok := s.server.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = s.client.Close()
}

func (s *session) close() {
	s.once.Do(func() {
		close(s.gone)
		_ = s.client.Close()
		_ = s.server.Close()
	})
}

// begin forwards the messages before the first one with a type.
func (s *session) begin(client *bufio.Reader) bool {
	for {
		message, err := readFrame(client, 0)
		if err != nil || len(message) < 8 {
			return false
		}
		s.proxy.pass(s)
		switch binary.BigEndian.Uint32(message[4:]) {
		case codeOfTLS, codeOfGSS:
			if _, err := s.client.Write([]byte("N")); err != nil {
				return false
			}
		case codeOfCancel:
			_, _ = s.server.Write(message)
			_, _ = io.Copy(io.Discard, s.server)
			return false
		default:
			s.exchanges = append(s.exchanges, nil) // for its first Z
			_, err := s.server.Write(message)
			return err == nil
		}
	}
}

// ask forwards what the client says, an exchange at a time.
func (s *session) ask(client *bufio.Reader) {
	var exchange bytes.Buffer
	var statements []statement
	for {
		message, err := readFrame(client, 1)
		if err != nil {
			return
		}
		exchange.Write(message)
		if run, isRun := s.understand(message); isRun {
			statements = append(statements, run)
		}
		kind := message[0]
		if kind == notificationType && s.proxy.mute.Load() {
			continue
		}
		switch kind {
		case parseType, bindType, describeType, executeType, closeType:
			continue // more follows
		}
		if kind == syncType || kind == queryType {
			met := s.faultOf(statements)
			if met != nil && met.At == BeforeExecution {
				if !s.apply(met) {
					return
				}
				met = nil
			}
			s.mu.Lock()
			s.exchanges = append(s.exchanges, met)
			s.mu.Unlock()
			statements = nil
		}
		s.proxy.pass(s)
		if _, err := s.server.Write(exchange.Bytes()); err != nil {
			return
		}
		exchange.Reset()
	}
}

// understand returns the statement that a message runs.
func (s *session) understand(message []byte) (run statement, isRun bool) {
	fields := bytes.SplitN(message[5:], []byte{0}, 3)
	switch message[0] {
	case queryType:
		return statement{text: string(fields[0])}, true
	case parseType:
		s.statements[string(fields[0])] = string(fields[1])
	case bindType:
		s.portals[string(fields[0])] = statement{s.statements[string(fields[1])], elements(fields[2])}
	case executeType:
		return s.portals[string(fields[0])], true
	}
	return statement{}, false
}

// elements reads, from what follows the names in a message that binds, how many elements
// the first parameter has. It is 0 unless that is an array in the binary format, in which
// pgx sends arrays: the number of dimensions, flags, a type, and the length of the first
// dimension.
func elements(bound []byte) int {
	formats, rest := short(bound)
	if formats == 0 || len(rest) < 2*formats || binary.BigEndian.Uint16(rest) != 1 {
		return 0
	}
	parameters, rest := short(rest[2*formats:])
	const size, lengthAt = 4, 12
	if parameters == 0 || len(rest) < size+lengthAt+size || binary.BigEndian.Uint32(rest[size:]) != 1 {
		return 0
	}
	return int(binary.BigEndian.Uint32(rest[size+lengthAt:]))
}

// short reads a number of two bytes, or 0 without them, and returns what follows.
func short(b []byte) (int, []byte) {
	if len(b) < 2 {
		return 0, nil
	}
	return int(binary.BigEndian.Uint16(b)), b[2:]
}

// faultOf returns the first fault that the statements of an exchange meet.
func (s *session) faultOf(statements []statement) (first *Fault) {
	for _, run := range statements {
		text := strings.ToLower(run.text)
		words := strings.Fields(text)
		if len(words) > 0 && words[0] == "begin" {
			s.transaction.Reset()
		}
		if met := s.proxy.match(run, s.transaction.String()); first == nil {
			first = met
		}
		s.transaction.WriteString(text + ";")
		if len(words) > 0 && (words[0] == "commit" || words[0] == "rollback") {
			s.transaction.Reset()
		}
	}
	return first
}

// apply does what a fault's rule says, and reports whether the connection goes on.
func (s *session) apply(met *Fault) bool {
	if met.applied.Add(1) == 1 {
		close(met.reached)
	}
	if met.Do == Cut {
		s.close()
		return false
	}
	select {
	case <-met.released:
		return true
	case <-s.gone:
		return false
	}
}

// answer forwards what the server says.
func (s *session) answer(server *bufio.Reader) {
	var held bytes.Buffer
	for {
		message, err := readFrame(server, 1)
		if err != nil {
			return
		}
		s.proxy.pass(s)
		met := s.awaited()
		kind := message[0]
		if kind == notificationType && s.proxy.mute.Load() {
			continue
		}
		if met != nil && met.At == AfterRows && kind != completeType && held.Len() == 0 && kind != readyType {
			met = nil // still rows, which go on at once
		}
		held.Write(message)
		if kind == readyType {
			if met != nil && !s.apply(met) {
				return
			}
			s.mu.Lock()
			s.exchanges = s.exchanges[1:]
			s.mu.Unlock()
		}
		if met != nil && kind != readyType {
			continue // until the server is ready, and so has committed
		}
		if _, err := s.client.Write(held.Bytes()); err != nil {
			_, _ = io.Copy(io.Discard, server) // the server may still execute
			return
		}
		held.Reset()
	}
}

// awaited is the fault of the exchange that is being answered.
func (s *session) awaited() *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.exchanges) == 0 {
		return nil
	}
	return s.exchanges[0]
}

// readFrame reads a message: a type of some bytes, then the length of the rest, in which
// the length itself counts.
func readFrame(from *bufio.Reader, kind int) ([]byte, error) {
	head := make([]byte, kind+4)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(head[kind:])) - 4
	if n < 0 || n > 1<<30 {
		return nil, io.ErrUnexpectedEOF
	}
	message := append(head, make([]byte, n)...)
	_, err := io.ReadFull(from, message[len(head):])
	return message, err
}
