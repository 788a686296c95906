package config

import (
	"errors"
	"time"

	"parley/mail"
)

// Mail is the server that takes mails, and their sender.
type Mail struct {
	SMTPURL  string `name:"smtp-url" env:"SMTP_URL" placeholder:"URL" secret:"url" help:"Server that takes mails: smtp://user:password@mail.example.com:587, which is encrypted by STARTTLS, or smtps:// on port 465. Unset means that no mails are sent, and that addresses are not checked. Mails have links: set BASE_URL, too."`
	MailFrom string `name:"mail-from" env:"MAIL_FROM" placeholder:"ADDRESS" help:"Sender of mails, such as parley@example.com, with or without a name. Needed with SMTP_URL."`
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
