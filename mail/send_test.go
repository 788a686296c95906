package mail

import (
	"context"
	"io"
	"net"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/outbox"
	"parley/mail/mailtest"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func newSender(t *testing.T, p *mailtest.Server, scheme, credentials string) *Sender {
	t.Helper()
	s, err := New(Config{
		URL: scheme + "://" + credentials + p.Address, From: "Parley <parley@example.com>", RootCAs: p.Roots,
		Now: func() time.Time { return noon },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func signed() string { return url.UserPassword(mailtest.User, mailtest.Password).String() + "@" }

var reminder = outbox.Mail{
	ID: 7, WorkspaceID: "ws_1", Key: "ends:ws_1:2026-11-24", To: "owner@example.com",
	Subject: "Bäckerei: Ihr Plan", Body: "The Standard plan ends on 24 November 2026.\n\nhttps://parley.example.com/workspaces/ws_1/billing\n",
}

func TestSend(t *testing.T) {
	for sentence, c := range map[string]struct {
		scheme    string
		options   mailtest.Options
		anonymous bool
		encrypted bool
	}{
		"smtp to this machine needs no encryption":  {scheme: "smtp"},
		"smtp without a user does not sign in":      {scheme: "smtp", anonymous: true},
		"smtp is encrypted if the server offers it": {scheme: "smtp", options: mailtest.Options{StartTLS: true}, encrypted: true},
		"smtps is encrypted from the first byte":    {scheme: "smtps", options: mailtest.Options{TLS: true}, encrypted: true},
	} {
		t.Run(sentence, func(t *testing.T) {
			p := mailtest.New(t, c.options)
			credentials, as := signed(), mailtest.User
			if c.anonymous {
				credentials, as = "", ""
			}
			s := newSender(t, p, c.scheme, credentials)
			if err := s.Check(t.Context()); err != nil {
				t.Fatalf("the check fails: %v", err)
			}
			if err := s.Send(t.Context(), reminder); err != nil {
				t.Fatal(err)
			}
			all := p.Mails()
			if len(all) != 1 || all[0].From != "parley@example.com" || all[0].To != "owner@example.com" || all[0].User != as || all[0].Encrypted != c.encrypted {
				t.Errorf("the server has %+v", all)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	p := mailtest.New(t, mailtest.Options{})
	s := newSender(t, p, "smtp", "")
	for range 2 {
		if err := s.Send(t.Context(), reminder); err != nil {
			t.Fatal(err)
		}
	}
	message, err := netmail.ReadMessage(strings.NewReader(p.Mails()[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("it has the necessary headers", func(t *testing.T) {
		for name, want := range map[string]string{
			"From": `"Parley" <parley@example.com>`, "To": "<owner@example.com>", "Subject": "=?UTF-8?q?B=C3=A4ckerei:_Ihr_Plan?=",
			"Date": "Tue, 24 Nov 2026 12:00:00 +0000", "Auto-Submitted": "auto-generated", "User-Agent": "", "X-Mailer": "",
		} {
			if got := message.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	})
	t.Run("its text is the mail's body", func(t *testing.T) {
		body, err := io.ReadAll(message.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(string(body), "\r\n", "\n"); strings.TrimSpace(got) != strings.TrimSpace(reminder.Body) {
			t.Errorf("it is %q", got)
		}
	})
	t.Run("a mail with a page has both, and mail programs choose the page", func(t *testing.T) {
		both := reminder
		both.HTML = "<p>Zürich " + strings.Repeat("and a long line ", 100) + "</p>\n"
		if err := s.Send(t.Context(), both); err != nil {
			t.Fatal(err)
		}
		all := p.Mails()
		sent := all[len(all)-1]
		text, page, err := sent.Parts()
		if err != nil || strings.TrimSpace(text) != strings.TrimSpace(both.Body) || strings.TrimSpace(page) != strings.TrimSpace(both.HTML) {
			t.Errorf("the parts are %q and %q, %v", text, page, err)
		}
		if !strings.Contains(sent.Data, "Content-Type: multipart/alternative;") || strings.Index(sent.Data, "text/plain") > strings.Index(sent.Data, "text/html") {
			t.Errorf("the message is %s", sent.Data)
		}
	})
	t.Run("it keeps its id when sent twice", func(t *testing.T) {
		again, err := netmail.ReadMessage(strings.NewReader(p.Mails()[1].Data))
		if err != nil {
			t.Fatal(err)
		}
		id := message.Header.Get("Message-ID")
		if id != again.Header.Get("Message-ID") || !strings.HasSuffix(id, "@example.com>") || len(id) < 40 {
			t.Errorf("the ids are %q and %q", id, again.Header.Get("Message-ID"))
		}
	})
}

func TestHostileMail(t *testing.T) {
	p := mailtest.New(t, mailtest.Options{})
	s := newSender(t, p, "smtp", "")
	for sentence, change := range map[string]func(*outbox.Mail){
		"a subject with another header":    func(m *outbox.Mail) { m.Subject = "Hello\r\nBcc: all@example.com" },
		"a subject with a bare line feed":  func(m *outbox.Mail) { m.Subject = "Hello\nthere" },
		"a subject that is not text":       func(m *outbox.Mail) { m.Subject = "caf\xe9" },
		"a subject without an end":         func(m *outbox.Mail) { m.Subject = strings.Repeat("long ", 1000) },
		"an address with another":          func(m *outbox.Mail) { m.To = "a@example.com, b@example.com" },
		"an address with another header":   func(m *outbox.Mail) { m.To = "a@example.com\r\nBcc: b@example.com" },
		"an address with another command":  func(m *outbox.Mail) { m.To = "a@example.com>\r\nRCPT TO:<b@example.com" },
		"something that is not an address": func(m *outbox.Mail) { m.To = "nobody" },
		"a text that is not text":          func(m *outbox.Mail) { m.Body = "caf\xe9" },
		"a page that is not text":          func(m *outbox.Mail) { m.HTML = "caf\xe9" },
	} {
		t.Run(sentence+" is refused permanently", func(t *testing.T) {
			mail := reminder
			change(&mail)
			if err := s.Send(t.Context(), mail); !fault.Is(err, fault.Invalid) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("a text with a line of one dot arrives whole", func(t *testing.T) {
		mail := reminder
		mail.Body = "One\n.\nQUIT\n"
		if err := s.Send(t.Context(), mail); err != nil {
			t.Fatal(err)
		}
		all := p.Mails()
		if len(all) != 1 || !strings.Contains(all[0].Data, "One\r\n.\r\nQUIT") {
			t.Errorf("the server has %+v", all)
		}
	})
}

func TestRefusedMail(t *testing.T) {
	for sentence, c := range map[string]struct {
		code int
		want fault.Kind
	}{
		"an unknown mailbox is refused permanently":                  {550, fault.Invalid},
		"a malformed address is refused permanently":                 {501, fault.Invalid},
		"a busy mailbox may be free later":                           {450, fault.Upstream},
		"a server that requires a sign-in may accept the mail later": {530, fault.Upstream},
	} {
		t.Run(sentence, func(t *testing.T) {
			p := mailtest.New(t, mailtest.Options{})
			p.Refuse(c.code)
			err := newSender(t, p, "smtp", "").Send(t.Context(), reminder)
			if !fault.Is(err, c.want) || !strings.Contains(err.Error(), strconv.Itoa(c.code)) || strings.Contains(err.Error(), "owner") {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("a wrong password does not condemn the mail, and is not shown", func(t *testing.T) {
		s := newSender(t, mailtest.New(t, mailtest.Options{}), "smtp", "parley:hunter3@")
		for _, err := range []error{s.Send(t.Context(), reminder), s.Check(t.Context())} {
			if !fault.Is(err, fault.Upstream) || strings.Contains(err.Error(), "hunter3") {
				t.Errorf("got %v", err)
			}
		}
	})
	t.Run("an unreachable server may be back later", func(t *testing.T) {
		p := mailtest.New(t, mailtest.Options{})
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		p.Address = listener.Addr().String()
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		if err := newSender(t, p, "smtp", "").Send(t.Context(), reminder); !fault.Is(err, fault.Upstream) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a server elsewhere that offers no encryption gets no mail", func(t *testing.T) {
		p := mailtest.New(t, mailtest.Options{})
		s := newSender(t, p, "smtp", signed())
		s.server.local = false
		if err := s.Send(t.Context(), reminder); !fault.Is(err, fault.Upstream) || len(p.Mails()) != 0 {
			t.Errorf("got %v, and the server has %v", err, p.Mails())
		}
	})
	t.Run("a server elsewhere with an untrusted certificate gets no mail", func(t *testing.T) {
		p := mailtest.New(t, mailtest.Options{StartTLS: true})
		p.Roots = nil
		s := newSender(t, p, "smtp", signed())
		s.server.local = false
		if err := s.Send(t.Context(), reminder); !fault.Is(err, fault.Upstream) || len(p.Mails()) != 0 {
			t.Errorf("got %v, and the server has %v", err, p.Mails())
		}
	})
}

func TestSlowServer(t *testing.T) {
	p := mailtest.New(t, mailtest.Options{})
	defer p.Hold()()
	t.Run("a server that does not answer times out", func(t *testing.T) {
		s := newSender(t, p, "smtp", "")
		s.timeout = 50 * time.Millisecond
		if err := s.Send(t.Context(), reminder); !fault.Is(err, fault.Upstream) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a caller who gives up is not kept waiting", func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer stop()
		if err := newSender(t, p, "smtp", "").Send(ctx, reminder); !fault.Is(err, fault.Upstream) {
			t.Errorf("got %v", err)
		}
	})
}

func TestConfiguration(t *testing.T) {
	for _, address := range []string{
		"", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://:587", "smtp://h/path", "smtp://h?tls=no", "smtp://h#x",
		"smtp://h:0", "smtp://h:65536", "smtp://h:port", "smtp://u:s3cr3t@h:x",
	} {
		t.Run("the URL "+address+" is refused, without showing it", func(t *testing.T) {
			_, err := New(Config{URL: address, From: "parley@example.com", Now: time.Now})
			if err == nil || !strings.HasPrefix(err.Error(), "SMTP_URL must be") || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("got %v", err)
			}
		})
	}
	for _, from := range []string{"", "parley", "a@example.com, b@example.com", "Parley <parley@example.com>\r\nBcc: x@example.com"} {
		t.Run("the sender "+from+" is refused", func(t *testing.T) {
			_, err := New(Config{URL: "smtp://h", From: from, Now: time.Now})
			if err == nil || !strings.HasPrefix(err.Error(), "MAIL_FROM must be") {
				t.Errorf("got %v", err)
			}
		})
	}
	for address, want := range map[string]server{
		"smtp://mail.example.com":            {host: "mail.example.com", port: 587},
		"smtps://mail.example.com/":          {host: "mail.example.com", port: 465, encrypted: true},
		"smtp://u%40x:p%3Aq@localhost:25":    {host: "localhost", port: 25, user: "u@x", password: "p:q", local: true},
		"smtp://[::1]:2525":                  {host: "::1", port: 2525, local: true},
		"smtps://127.1.2.3":                  {host: "127.1.2.3", port: 465, encrypted: true, local: true},
		"smtp://localhost.example.com":       {host: "localhost.example.com", port: 587},
		"smtp://user:password@10.0.0.1:2525": {host: "10.0.0.1", port: 2525, user: "user", password: "password"},
	} {
		t.Run("the URL "+address+" is understood", func(t *testing.T) {
			got, err := parseURL(address)
			if err != nil || got != want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
