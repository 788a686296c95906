// Package mailtest is a mail server for tests: a real SMTP server on loopback that
// keeps the mails it receives.
package mailtest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Options configure [New]. The zero value is a server without encryption.
type Options struct {
	// StartTLS offers STARTTLS.
	StartTLS bool
	// TLS encrypts from the start of the connection.
	TLS bool
}

// User and Password are the credentials that the server accepts. Signing in is optional.
const (
	User     = "parley"
	Password = "hunter2 secret"
)

// Mail is a mail that the server received.
type Mail struct {
	From, To string
	// User is who signed in, empty if nobody did.
	User string
	// Encrypted says that it arrived over TLS.
	Encrypted bool
	// Data is the message, with its headers.
	Data string
}

// Parts returns the text of a message and its page, empty without one, as a mail
// program decodes them.
func (m Mail) Parts() (text, page string, err error) {
	message, err := mail.ReadMessage(strings.NewReader(m.Data))
	if err != nil {
		return "", "", err
	}
	kind, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		return "", "", err
	}
	if !strings.HasPrefix(kind, "multipart/") {
		text, err = decoded(message.Body, message.Header.Get("Content-Transfer-Encoding"))
		return text, "", err
	}
	parts := multipart.NewReader(message.Body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return text, page, nil
		}
		if err != nil {
			return "", "", err
		}
		content, err := decoded(part, part.Header.Get("Content-Transfer-Encoding"))
		if err != nil {
			return "", "", err
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			page = content
		} else {
			text = content
		}
	}
}

// decoded reads a part with the ends of lines that Go has.
func decoded(part io.Reader, encoding string) (string, error) {
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		part = quotedprintable.NewReader(part)
	case "base64":
		part = base64.NewDecoder(base64.StdEncoding, part)
	}
	content, err := io.ReadAll(part)
	return strings.ReplaceAll(string(content), "\r\n", "\n"), err
}

// Server is a mail server. It is safe for concurrent use.
type Server struct {
	// Address is a host and port.
	Address string
	// Roots verify its certificate.
	Roots *x509.CertPool

	mu      sync.Mutex
	mails   []Mail
	refusal *smtp.SMTPError
	held    chan struct{}
}

// New starts a server that stops when the test ends.
func New(t testing.TB, options Options) *Server {
	t.Helper()
	web := httptest.NewTLSServer(nil) // provides a certificate for 127.0.0.1
	web.Close()
	s := &Server{Roots: x509.NewCertPool()}
	s.Roots.AddCert(web.Certificate())
	certificate := &tls.Config{Certificates: web.TLS.Certificates}
	server := smtp.NewServer(smtp.BackendFunc(s.newSession))
	server.AllowInsecureAuth = true
	if options.StartTLS {
		server.TLSConfig = certificate
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Address = listener.Addr().String()
	if options.TLS {
		listener = tls.NewListener(listener, certificate)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()   // Serve reports what went wrong
		_ = listener.Close() // it is not the server's before Serve has begun
		if err := <-ended; err != nil && !errors.Is(err, smtp.ErrServerClosed) {
			t.Errorf("the mail server ended with: %v", err)
		}
	})
	return s
}

// Mails returns all accepted mails, the oldest first.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Refuse makes the server answer each recipient with a code of RFC 5321; 0 makes it
// accept them again.
func (s *Server) Refuse(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = nil
	if code != 0 {
		s.refusal = &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode}
	}
}

// Hold leaves recipients without an answer until the returned function is called.
func (s *Server) Hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := make(chan struct{})
	s.held = held
	return func() { close(held) }
}

func (s *Server) newSession(c *smtp.Conn) (smtp.Session, error) {
	_, encrypted := c.TLSConnectionState()
	return &session{server: s, mail: Mail{Encrypted: encrypted}}, nil
}

// session is a connection that speaks SMTP.
type session struct {
	server *Server
	mail   Mail
}

// Reset is called between mails, and Logout at the end.
func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// AuthMechanisms returns the supported ways to sign in.
func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth checks credentials.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, name, secret string) error {
		if name != User || secret != Password {
			return smtp.ErrAuthFailed
		}
		s.mail.User = name
		return nil
	}), nil
}

// Mail starts a mail.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.mail.From = from
	return nil
}

// Rcpt sets its recipient.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	refusal, held := s.server.refusal, s.server.held
	s.server.mu.Unlock()
	if held != nil {
		<-held
	}
	if refusal != nil {
		answer := *refusal // like real servers, it repeats the recipient
		answer.Message = "<" + to + ">: refused"
		return &answer
	}
	s.mail.To = to
	return nil
}

// Data receives its text.
func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mail.Data = string(data)
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, s.mail)
	return nil
}
