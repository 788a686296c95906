package config

import "testing"

func TestSecurityContact(t *testing.T) {
	for _, contact := range []string{"", "mailto:security@example.com", "https://example.com/security", "https://example.com:8443/report?for=parley"} {
		if err := (&Operation{SecurityContact: contact, AuditDays: 400}).check(); err != nil {
			t.Errorf("%q is refused: %v", contact, err)
		}
	}
}
