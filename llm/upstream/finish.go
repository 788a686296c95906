package upstream

import "strings"

// Ending is what a server says about the end of an answer.
type Ending int

// The endings.
const (
	// Unknown is a reason that says nothing about how the answer ended.
	Unknown Ending = iota
	// Running is no reason: the answer goes on.
	Running
	// Complete is an answer that the model took to its end.
	Complete
	// CutByLength is an answer that a limit of tokens cut.
	CutByLength
	// Filtered is an answer that a filter, or the model itself, cut.
	Filtered
	// Broken is an answer that the server gave up.
	Broken
)

// endings has the reasons of servers, in lower case and without punctuation. Gateways pass on what
// the server behind them calls it.
var endings = map[string]Ending{
	"null": Running, "none": Running, "nil": Running, "undefined": Running, "unspecified": Running,
	"finishreasonunspecified": Running, "inprogress": Running, "notfinished": Running, "running": Running,

	"stop": Complete, "endturn": Complete, "stopsequence": Complete, "stopstring": Complete, "stopstringfound": Complete,
	"eos": Complete, "eostoken": Complete, "eosfound": Complete, "end": Complete, "complete": Complete, "completed": Complete,
	"finish": Complete, "finished": Complete, "done": Complete,

	"length": CutByLength, "maxtokens": CutByLength, "maxtoken": CutByLength, "maxlength": CutByLength, "modellength": CutByLength,
	"maxoutputtokens": CutByLength, "maxnewtokens": CutByLength, "maxcompletiontokens": CutByLength, "maxpredictedtokensreached": CutByLength,
	"maxtokensreached": CutByLength, "tokenlimit": CutByLength, "tokenlimitreached": CutByLength, "truncated": CutByLength, "limit": CutByLength,
	"modelcontextwindowexceeded": CutByLength, "contextlengthreached": CutByLength, "contextlength": CutByLength,
	"contextlengthexceeded": CutByLength, "contextwindowexceeded": CutByLength, "incomplete": CutByLength,

	"contentfilter": Filtered, "contentfiltered": Filtered, "safety": Filtered, "imagesafety": Filtered, "recitation": Filtered,
	"blocklist": Filtered, "blocked": Filtered, "prohibitedcontent": Filtered, "spii": Filtered, "sensitive": Filtered,
	"guardrailintervened": Filtered, "guardrail": Filtered, "moderation": Filtered, "modarmor": Filtered, "modelarmor": Filtered,
	"errortoxic": Filtered, "flagged": Filtered, "refusal": Filtered, "language": Filtered,

	"error": Broken, "abort": Broken, "aborted": Broken, "cancelled": Broken, "canceled": Broken, "failed": Broken, "timeout": Broken,
	"networkerror": Broken, "servererror": Broken, "internalerror": Broken, "insufficientsystemresource": Broken, "errorlimit": Broken,
	"modelerror": Broken, "overloaded": Broken,
}

// EndingOf reads a finish_reason or stop_reason.
func EndingOf(reason string) Ending {
	if reason == "" {
		return Running
	}
	return endings[withoutMarks.Replace(strings.ToLower(reason))]
}

var withoutMarks = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")
