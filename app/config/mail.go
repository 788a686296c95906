package config

import (
	"errors"
	"time"

	"parley/mail"
)

// Mail configures the mail server and the sender.
type Mail struct {
	SMTPURL  string `name:"smtp-url" env:"SMTP_URL" placeholder:"URL" secret:"url" help:"Mail server: smtp://user:password@mail.example.com:587, which uses STARTTLS, or smtps:// on port 465. If it is unset, Parley sends no mails and does not check addresses. Mails have links: set BASE_URL, too."`
	MailFrom string `name:"mail-from" env:"MAIL_FROM" placeholder:"ADDRESS" help:"Sender of mails, such as parley@example.com, with or without a name. Required with SMTP_URL."`
}

// Mails returns the adapter's configuration.
func (c *Mail) Mails(now func() time.Time) mail.Config {
	return mail.Config{URL: c.SMTPURL, From: c.MailFrom, Now: now}
}

func (c *Mail) check() error {
	if c.MailFrom != "" && c.SMTPURL == "" {
		return errors.New("SMTP_URL must be set when MAIL_FROM is")
	}
	if c.SMTPURL == "" {
		return nil
	}
	_, err := mail.New(c.Mails(time.Now))
	return err
}
