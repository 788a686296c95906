package chat

// Outcome says what became of an answer that has ended. Unlike its status it
// tells an answer that helps from one that says that it cannot.
type Outcome string

// The outcomes of an answer.
const (
	// Answered is a complete answer that the knowledge gave, or one that returns a courtesy.
	Answered Outcome = "answered"
	// NoAnswer is a complete one that says that the knowledge has none, or that was
	// made without any.
	NoAnswer Outcome = "no_answer"
	// OutcomeFailed, OutcomeStopped and OutcomeInterrupted are the outcomes of answers
	// that ended with the status of the same name.
	OutcomeFailed      Outcome = "failed"
	OutcomeStopped     Outcome = "stopped"
	OutcomeInterrupted Outcome = "interrupted"
)

// OutcomeOf is the outcome of an answer that ended with a status. Unknown says
// that a complete one does not answer its question. An answer that is being
// generated has none.
func OutcomeOf(status Status, unknown bool) Outcome {
	switch status {
	case Complete:
		if unknown {
			return NoAnswer
		}
		return Answered
	case Failed:
		return OutcomeFailed
	case Stopped:
		return OutcomeStopped
	case Interrupted:
		return OutcomeInterrupted
	}
	return ""
}
