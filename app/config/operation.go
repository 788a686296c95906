package config

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
)

// Operation configures what operators monitor and who may sign up.
type Operation struct {
	MetricsAddr     string `name:"metrics-addr" env:"METRICS_ADDR" placeholder:"ADDRESS" help:"Address on which Parley serves /metrics to Prometheus and profiles at /debug/pprof/, such as 127.0.0.1:9091. If it is unset, Parley serves neither. Keep this address private."`
	SecurityContact string `name:"security-contact" env:"SECURITY_CONTACT" placeholder:"URI" help:"Where people report a vulnerability of this installation, such as mailto:security@example.com or https://example.com/security. If it is set, Parley serves /.well-known/security.txt, which also names the policy if BASE_URL begins with https."`
	AuditDays       int    `name:"audit-days" env:"AUDIT_DAYS" placeholder:"N" default:"400" help:"Days for which Parley keeps entries of the audit log, including those of deleted workspaces: from 1 to 3660."`
	AuditStdout     bool   `name:"audit-stdout" env:"AUDIT_STDOUT" help:"Whether the server writes each entry of the audit log to standard output, as a line of JSON with the field audit, for a collector. Its own log goes to standard error."`
	SignUp          bool   `name:"sign-up" env:"SIGN_UP" default:"true" negatable:"" help:"Whether anybody may sign up. The first visitor of an empty server always may."`
	FactorOfAll     bool   `name:"require-second-factor" env:"REQUIRE_SECOND_FACTOR" help:"Whether everybody needs a second factor: without one, people reach their own account and no workspace. Whoever signs in by OIDC_ISSUER has shown what that provider asks for; the providers of workspaces do not count. API tokens are not affected."`
}

const maxAuditDays = 3660

// check also refuses a contact that security.txt cannot hold: RFC 9116, section 2.5.3,
// requires a URI, and a web address must be https.
func (c *Operation) check() error {
	if c.MetricsAddr != "" && !isListenAddress(c.MetricsAddr) {
		return errors.New("METRICS_ADDR must be an address and port, such as 127.0.0.1:9091")
	}
	if c.AuditDays < 1 || c.AuditDays > maxAuditDays {
		return fmt.Errorf("AUDIT_DAYS must be from 1 to %d", maxAuditDays)
	}
	if c.SecurityContact != "" && !isContact(c.SecurityContact) {
		return fmt.Errorf("SECURITY_CONTACT must be an e-mail address or a page, such as mailto:security@example.com or https://example.com/security")
	}
	return nil
}

func isContact(text string) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "mailto":
		address, err := mail.ParseAddress(u.Opaque)
		return err == nil && address.Address == u.Opaque
	case "https":
		return u.Hostname() != "" && u.User == nil
	}
	return false
}
