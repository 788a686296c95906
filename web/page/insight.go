package page

import (
	"parley/core/insight"
	"parley/core/insight/history"
	"parley/core/insight/stats"
	"parley/core/insight/testrun"
)

// Insight is what owners learn from conversations.
type Insight struct {
	Feedback *insight.Feedbacks
	Gaps     *insight.Gaps
	Asker    *insight.Asker
	History  *history.History
	Reports  *stats.Reports
	Tests    *testrun.Service
}
