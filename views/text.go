package views

import "time"

func stamp(t time.Time) string   { return t.UTC().Format("2006-01-02 15:04 UTC") }
func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

var stateNames = map[string]string{
	"pending":  "Waiting to be indexed",
	"ready":    "Ready",
	"failed":   "Failed",
	"removing": "Being removed",
}

var kindNames = map[string]string{"markdown": "Markdown", "text": "Plain text"}

var roleNames = map[string]string{"owner": "Owner", "admin": "Admin", "member": "Member"}
