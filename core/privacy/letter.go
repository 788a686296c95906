package privacy

import (
	"fmt"
	"time"

	"parley/core/outbox"
	"parley/core/tenant"
)

// endingLetter tells owners that somebody has deleted a workspace.
func endingLetter(mails *outbox.Writer, ending tenant.Workspace, by string) outbox.Letter {
	return outbox.Letter{
		Subject: ending.ShortName() + " will be deleted on " + date(*ending.DeleteAt),
		Says: []string{
			fmt.Sprintf("%s has deleted the workspace %s. Its chatbots and API tokens no longer answer, and nothing more is charged.", by, ending.Name),
			fmt.Sprintf("On %s UTC everything in it is erased. Until then an owner can restore it:", ending.DeleteAt.UTC().Format("January 2, 2006, 15:04")),
		},
		Link: outbox.Link{Text: "Restore the workspace", URL: mails.Link("/workspaces/" + ending.ID + "/deletion")},
	}
}

// restoredLetter tells owners that somebody has taken the deletion back.
func restoredLetter(mails *outbox.Writer, restored tenant.Workspace, by string) outbox.Letter {
	return outbox.Letter{
		Subject: restored.ShortName() + " was restored",
		Says: []string{
			fmt.Sprintf("%s has restored the workspace %s: it is not deleted, and its chatbots answer again.", by, restored.Name),
			"A subscription that it had was canceled when it was deleted. Choose a plan again if you need one:",
		},
		Link: outbox.Link{Text: "Usage & billing", URL: mails.Link("/workspaces/" + restored.ID + "/billing")},
	}
}

// deletedLetter is what owners read when all is erased.
func deletedLetter(workspace tenant.Workspace, receipt Erasure) outbox.Letter {
	return outbox.Letter{
		Subject: workspace.ShortName() + " was deleted",
		Says: append([]string{
			fmt.Sprintf("Everything in the workspace %s was erased: %d rows of the database and %d entries of the index.",
				workspace.Name, receipt.Erased.Total()-receipt.Erased[IndexEntries], receipt.Erased[IndexEntries]),
			"The receipt is " + receipt.ID + ". It does not name you, and stays. What remains:",
		}, Exceptions(Workspace)...),
	}
}

// goodbyeLetter is the last mail to a person.
func goodbyeLetter(leaving Leaving, receipt Erasure) outbox.Letter {
	says := []string{
		fmt.Sprintf("Your account was deleted, as you asked: %d rows of the database. The receipt is %s; it does not name you.", receipt.Erased.Total(), receipt.ID),
	}
	if len(leaving.Alone) > 0 {
		says = append(says, fmt.Sprintf("These workspaces had no other member. They no longer answer, nothing more is charged, and everything in them is erased in seven days: %s.", names(leaving.Alone)))
	}
	says = append(says, "What remains:")
	return outbox.Letter{Subject: "Your account was deleted", Says: append(says, Exceptions(Account)...)}
}

func date(at time.Time) string { return at.UTC().Format("January 2, 2006") }

// SampleLetters returns one of each letter of this package, for people who look at
// them.
func SampleLetters(mails *outbox.Writer) []outbox.Letter {
	day := time.Date(2026, 11, 9, 9, 30, 0, 0, time.UTC)
	workspace := tenant.Workspace{ID: "ws_1", Name: "Acme & <b>Sons</b>", DeleteAt: &day}
	receipt := Erasure{ID: "er_1", Erased: Counts{"messages": 4_711, IndexEntries: 312}}
	return []outbox.Letter{
		endingLetter(mails, workspace, "ada@example.com"), restoredLetter(mails, workspace, "ada@example.com"), deletedLetter(workspace, receipt),
		goodbyeLetter(Leaving{Alone: []tenant.Workspace{workspace}}, receipt),
	}
}
