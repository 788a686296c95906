// Package config is the configuration of the program: its settings, which are
// flags and environment variables, their checks, and what the parts of the
// program are told of them.
package config

import (
	"net"
	"reflect"
	"strings"
)

// Config is the whole configuration, by flags and environment. The reference
// in docs/config.md is generated from it.
type Config struct {
	Serving
	Weaviate
	Models
	Reading
	Payments
	Mail
	Operation
	Clients
	Logging
}

// Validate is called by kong after parsing. Its error is a WrongSetting.
func (c *Config) Validate() error {
	if err := c.check(); err != nil {
		return &WrongSetting{err.Error()}
	}
	return nil
}

func (c *Config) check() error {
	if err := checkSettings(reflect.ValueOf(*c)); err != nil {
		return err
	}
	for _, check := range []func() error{
		c.Serving.check, c.Weaviate.check, c.Models.check, c.Reading.check, c.Payments.check,
		c.Mail.check, c.Operation.check, c.Clients.check, c.Logging.check,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// ClientsAreOne reports whether all clients have one address here: TLS ends in
// a proxy, as this server speaks none, and no proxy is trusted to name them.
func (c *Config) ClientsAreOne() bool {
	return strings.HasPrefix(c.BaseURL, "https://") && len(c.Proxies) == 0
}

// LinksLeadNowhere reports whether mails would link to the reader's own
// machine: the server listens to others, and has not been told its address.
func (c *Config) LinksLeadNowhere() bool {
	if c.SMTPURL == "" || c.BaseURL != "" {
		return false
	}
	host, _, err := net.SplitHostPort(c.ListenAddress())
	if err != nil {
		return false // the start refuses it
	}
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}
