package arch

// exceptions are the packages that exceed a limit. Remove one when its package
// no longer does: a test fails until you have.
var exceptions = []Exception{
	{"api", Lines, "", "each resource has a handler type of its own, and all share visits, decoding and the one table of errors"},
	{"billing/stripetest", Lines, "", "it is one Stripe: what happens to one object changes others, at one time and under one lock"},
	{"billing/stripetest", Methods, "Server", "it is one Stripe: what happens to one object changes others, at one time and under one lock"},
	{"cmd/parley", Lines, "", "each command is a type, and all share how results are printed"},
	{"core/audit", Exported, "", "the actions of the audit log are one list, whichever package records them"},
	{"core/chat", Exported, "", "each role, status, outcome and origin of what is said is a constant"},
	{"core/chatbot", Lines, "", "a request is admitted by its token, its chatbot and their plan together, which are cached and changed together"},
	{"core/chatbot", Exported, "", "each choice that an owner has about a chatbot, a token or a provider is a type or a constant"},
	{"core/fault", Exported, "", "each kind of failure and each code that callers tell apart is a constant"},
	{"core/insight/testrun", Exported, "", "each expectation, cause, state and change is a constant, and each port has a name of its own"},
	{"core/insight/testrun", Methods, "Service", "adding, importing, running and comparing share the workspace's lock and the stores"},
	{"core/knowledge", Lines, "", "its services share the states of documents, the workspace's lock and the worker"},
	{"core/knowledge", Exported, "", "each kind, state and schedule of documents and sources is a constant"},
	{"core/plan", Exported, "", "each name, interval and feature of a plan, each limited resource and each status of a subscription is a constant"},
	{"core/retrieval", Exported, "", "each port, to an index, an embedder, an encoder and what is stored, has the types of what it asks and answers"},
	{"core/tenant", Exported, "", "each role, each action of a member and each kind of thing that a plan limits is a constant"},
	{"core/webhook", Exported, "", "each kind of event, state and outcome is a constant"},
	{"ent/schema", Exported, "", "each table is a type"},
	{"internal/app", Lines, "", "it alone connects the domain with its adapters, so every part of the program adds a few lines"},
	{"llm/extractive", Lines, "", "how passages are read, what is weighed of them and what is quoted share the units, sections and terms of one question"},
	{"views/shell", Exported, "", "each page has an address and most have an entry of the navigation"},
	{"store", Lines, "", "it alone imports ent, and all subjects share its transactions"},
	{"store", Methods, "TestRuns", "questions, runs and results are written together, in one transaction"},
	{"store", Exported, "", "each subject has a type and a constructor of its own"},
	{"views/bot", Exported, "", "each page of a chatbot has a model, and most have parts"},
	{"web/bot", Lines, "", "the sidebar of a chatbot is one list of pages, which share forms, uploads and their parts"},
}
