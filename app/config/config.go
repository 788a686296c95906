// Package config is the configuration of the program: its settings, which are flags
// and environment variables, their checks, and the configuration of each part of the
// program.
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
	SSO
	Operation
	Clients
	Logging
	Telemetry
}

// Validate is called by kong after parsing. It returns a WrongSetting.
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
		c.Mail.check, c.SSO.check, c.Operation.check, c.Clients.check, c.Logging.check, c.Telemetry.check,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// Encodes reports whether passages are encoded. Where an embedding server makes the
// vectors, those are as good.
func (c *Config) Encodes() bool { return c.Encode == toolsOn && c.EmbedModel == "" }

// ClientsAreOne reports whether all clients seem to have one address: a proxy
// terminates TLS, which this server does not do, but no proxy is trusted.
func (c *Config) ClientsAreOne() bool {
	return strings.HasPrefix(c.BaseURL, "https://") && len(c.Proxies) == 0
}

// LinksLeadNowhere reports whether mails would link to the reader's own machine: the
// server listens to others but does not know its public address.
func (c *Config) LinksLeadNowhere() bool {
	if c.SMTPURL == "" || c.BaseURL != "" {
		return false
	}
	host, _, err := net.SplitHostPort(c.ListenAddress())
	if err != nil {
		return false // the server refuses to start
	}
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}
