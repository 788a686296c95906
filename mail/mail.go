// Package mail sends mails to people by SMTP.
//
// It does not own their texts, recipients, due times or retries (packages core/account,
// core/subscription and core/outbox).
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Config names the mail server and the sender.
type Config struct {
	// URL is smtp://user:password@host:587, which encrypts with STARTTLS, or
	// smtps://user:password@host:465, which encrypts from the first byte. A server
	// on this machine may do without encryption. The ports are the defaults.
	URL string
	// From is an address, with or without a name: Parley <parley@example.com>.
	From string
	// RootCAs are the trusted certificate authorities; nil means the system's.
	RootCAs *x509.CertPool
	// Now is the clock.
	Now func() time.Time
}

// defaultTimeout bounds a connection.
const defaultTimeout = 30 * time.Second

// Sender sends mails.
type Sender struct {
	server  server
	from    *netmail.Address
	timeout time.Duration
	now     func() time.Time
}

// server holds the parts of a URL.
type server struct {
	host           string
	port           int
	user, password string
	// encrypted says that the connection starts with TLS.
	encrypted bool
	// local says that the server is on this machine.
	local bool
	roots *x509.CertPool
}

// New returns a sender without connecting. Its errors never show the password.
func New(config Config) (*Sender, error) {
	server, err := parseURL(config.URL)
	if err != nil {
		return nil, err
	}
	server.roots = config.RootCAs
	from, err := parseFrom(config.From)
	if err != nil {
		return nil, err
	}
	return &Sender{server: server, from: from, timeout: defaultTimeout, now: config.Now}, nil
}

var errURL = errors.New("SMTP_URL must be smtp:// or smtps:// with a host, such as smtp://user:password@mail.example.com:587")

func parseURL(text string) (server, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return server{}, errURL
	}
	s := server{host: u.Hostname(), user: u.User.Username(), port: 587}
	s.password, _ = u.User.Password()
	switch u.Scheme {
	case "smtp":
	case "smtps":
		s.encrypted, s.port = true, 465
	default:
		return server{}, errURL
	}
	if port := u.Port(); port != "" {
		if s.port, err = strconv.Atoi(port); err != nil || s.port < 1 || s.port > 65535 {
			return server{}, errURL
		}
	}
	ip := net.ParseIP(s.host)
	s.local = s.host == "localhost" || ip != nil && ip.IsLoopback()
	return s, nil
}

func parseFrom(text string) (*netmail.Address, error) {
	from, err := netmail.ParseAddress(text)
	if err != nil || unfit(from.Name) || unfit(from.Address) {
		return nil, errors.New("MAIL_FROM must be an e-mail address, such as Parley <parley@example.com>")
	}
	return from, nil
}

// tls returns how to verify the server. Nobody can get between this process and a
// server on the same machine, whose certificate is often self-signed.
func (s server) tls() *tls.Config {
	return &tls.Config{
		ServerName: s.host, MinVersion: tls.VersionTLS12, RootCAs: s.roots,
		InsecureSkipVerify: s.local && !s.encrypted, //nolint:gosec // see above
	}
}

// connect calls do with a connected client. The connection ends with ctx and when
// do returns, which the library does not ensure.
func (s *Sender) connect(ctx context.Context, do func(context.Context, *gomail.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	dial := func(dialing context.Context, network, _ string) (net.Conn, error) {
		connection, err := s.server.dial(dialing, network)
		if err == nil {
			context.AfterFunc(ctx, func() { _ = connection.Close() }) // it may be closed already
		}
		return connection, err
	}
	options := append(s.server.options(), gomail.WithTimeout(s.timeout), gomail.WithDialContextFunc(dial))
	client, err := gomail.NewClient(s.server.host, options...)
	if err != nil {
		return fmt.Errorf("mail client: %w", err)
	}
	return do(ctx, client)
}

// dial connects, with TLS if the connection starts with it.
func (s server) dial(ctx context.Context, network string) (net.Conn, error) {
	address := net.JoinHostPort(s.host, strconv.Itoa(s.port))
	if s.encrypted {
		return (&tls.Dialer{Config: s.tls()}).DialContext(ctx, network, address)
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// options returns the library's options for the URL.
func (s server) options() []gomail.Option {
	options := []gomail.Option{gomail.WithPort(s.port), gomail.WithTLSConfig(s.tls())}
	switch {
	case s.encrypted:
		options = append(options, gomail.WithSSL())
	case s.local:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.user == "" {
		return options
	}
	// Without TLS the library sends a password only to this machine.
	return append(options, gomail.WithUsername(s.user), gomail.WithPassword(s.password),
		gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
}
