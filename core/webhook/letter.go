package webhook

import (
	"fmt"

	"parley/core/outbox"
	"parley/core/tenant"
)

func letterOfDisabled(mails *outbox.Writer, workspace tenant.Workspace, e Endpoint) outbox.Letter {
	return outbox.Letter{
		Subject: fmt.Sprintf("A webhook of %s was turned off", workspace.ShortName()),
		Says: []string{
			fmt.Sprintf("Parley sends no more events of the workspace %s to %s. %s", workspace.Name, e.Host(), e.Reason),
			"When the receiver works again, resume the webhook and send again what it missed:",
		},
		Link: outbox.Link{Text: "Look at the webhook", URL: mails.Link("/workspaces/" + workspace.ID + "/webhooks/" + e.ID)},
	}
}

// SampleLetters returns one of each letter of this package, for people who look at
// them.
func SampleLetters(mails *outbox.Writer) []outbox.Letter {
	endpoint := Endpoint{ID: "we_1", URL: "https://hooks.example.com/parley", Reason: "It has answered no delivery for three days."}
	return []outbox.Letter{letterOfDisabled(mails, tenant.Workspace{ID: "ws_1", Name: "Acme"}, endpoint)}
}
