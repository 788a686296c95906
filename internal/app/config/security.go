package config

import (
	"fmt"
	"net/mail"
	"net/url"
	"strings"
)

// validateSecurityContact refuses what security.txt cannot hold: RFC 9116,
// section 2.5.3, wants a URI, and an address of the web must be https.
func (c *Config) validateSecurityContact() error {
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
