package bot

var stateNames = map[string]string{
	"pending":    "Waiting",
	"fetching":   "Being fetched",
	"extracting": "Being read",
	"indexing":   "Being indexed",
	"ready":      "Ready",
	"failed":     "Failed",
	"removing":   "Being removed",
	"syncing":    "Looking for pages",
}

var kindNames = map[string]string{
	"markdown": "Markdown", "text": "Plain text", "html": "Web page", "pdf": "PDF", "docx": "Word", "pptx": "PowerPoint",
	"xlsx": "Excel", "csv": "Table (CSV)", "epub": "EPUB", "pairs": "Questions and answers",
}

var reachNames = map[string]string{"page": "This page", "site": "The whole site"}

var scheduleNames = map[string]string{"never": "Never", "daily": "Daily", "weekly": "Weekly"}
